"""Clients of a server's socket that stop reading, die, or are suspended by their system."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from kit.traffic import SocketClient, connected

ROOT = Path(__file__).parents[2]
KEYWORDS = {"enableSemantic": False}


def stop_reading(path, vault, queries):
    """Send requests and read no answer; returns the open connection."""
    connection = connected(path)
    folder = {"uri": vault.as_uri(), "name": "vault"}
    options = {"capabilities": {}, "workspaceFolders": [folder], "initializationOptions": KEYWORDS}
    connection.sendall(_frame(0, "initialize", options))
    for number, query in enumerate(queries, 1):
        connection.sendall(_frame(number, "vaultseek/search", {"query": query}))
    return connection


def die(path, vault, queries):
    """Send requests, and end in the middle of the last one."""
    with stop_reading(path, vault, queries) as connection:
        connection.sendall(_frame(len(queries) + 1, "vaultseek/search", {"query": "end"})[:-9])


def _frame(msg_id, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Suspended:
    """A client in a process of its own, suspended while the server answers it."""

    def __init__(self, path, vault, queries):
        self.process = subprocess.Popen(
            [sys.executable, __file__, path, vault, *queries],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        )
        self.process.stdout.readline()  # all is asked
        self.process.send_signal(signal.SIGSTOP)

    def wake(self):
        """Let it go on; returns how many requests were answered, each of them once."""
        self.process.send_signal(signal.SIGCONT)
        said, _ = self.process.communicate(timeout=60)
        return int(said)


if __name__ == "__main__":
    client = SocketClient(sys.argv[1], Path(sys.argv[2]), **KEYWORDS)
    for query in sys.argv[3:]:
        client.ask("workspace/symbol", {"query": query})  # a search would replace the one before
    print("asked", flush=True)
    client.wait_until_few(0, timeout=3600)  # it does not know how long it is suspended
    print(sum(client.answers[msg_id] == 1 for msg_id in client.asked) - 1, flush=True)
    client.close()
