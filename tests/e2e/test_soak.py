"""Thousands of an editor's requests, next to clients that misbehave: each is answered once, and nothing grows.

VAULTSEEK_SOAK sets the number of requests, which are sent as fast as they are answered. VAULTSEEK_SOAK_MINUTES spreads
them evenly over this time, ten a second unless their number is set. The server is measured after each part of them, and
the last part is compared with the second, when the vault is read, its vectors are made, and caches are full. SOAK.md
has the figures of a long run.
"""

import os
import random
import time
from pathlib import Path

import psutil
import pytest
from attrs import frozen
from bench.generated_vault import write_vault
from kit.fake_endpoint import serve
from kit.platforms import needs_unix_sockets
from kit.rude_clients import KEYWORDS, Suspended, die, stop_reading
from kit.traffic import N_OPEN, Server, SocketClient, SocketServer, Traffic, quantile, table

MINUTES = float(os.environ.get("VAULTSEEK_SOAK_MINUTES", "0"))
N_REQUESTS = int(os.environ.get("VAULTSEEK_SOAK") or 600 * MINUTES or 1000)
N_PARTS = 10 if MINUTES > 30 else 5
N_ROUNDS = max(4, round(MINUTES * 2 / N_PARTS))  # in each part, of half a minute at most
N_NOTES = 5000
N_PROBES = 60
N_TRIES = 3  # to measure the second and the last part, since other programs disturb the caches of the processor
MAX_SLOWER = 1.2
HEAD = (
    "",
    "| part | p50 ms | p95 ms | CPU s | memory MB | threads | files |",
    "| --: | --: | --: | --: | --: | --: | --: |",
)
MAX_GROWTH = 30 * 2**20  # bytes, however long it takes


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    root = tmp_path_factory.mktemp("soak") / "vault"
    return root, write_vault(root, N_NOTES, n_bytes=700)


@pytest.fixture
def start(vault):
    started = []

    def starter():
        started.append(Server(vault[0], **KEYWORDS))
        return started[-1]

    yield starter
    for server in started:
        server.kill()


@frozen
class Reading:
    """The state of the server after a part of the requests; milliseconds of its processor time for one search."""

    p50_ms: float
    p95_ms: float
    cpu_s: float  # since the reading before
    memory: int
    n_threads: int
    n_files: int


class Soak:
    """A server with one well-behaved client, whose vault is embedded by an endpoint, and now and then rude ones."""

    def __init__(self, path, vault, words, fake):
        self.server = SocketServer(path)
        embedding = {"baseUrl": fake.base_url, "model": "fake", "batchSize": 64}
        self.client = SocketClient(path, vault, embedding=embedding)
        self.traffic = Traffic(self.client, words)
        self.process = psutil.Process(self.server.process.pid)
        self.words = words
        self.small = vault.with_name("small")
        write_vault(self.small, 300, n_bytes=700)
        self.source = random.Random(3)  # noqa: S311 - the same rude clients in every run
        self.probes = [" ".join(self.source.choices(words[:3000], k=2)) for _ in range(N_PROBES)]
        self.cpu_s = 0.0
        self.n_rude = 0

    def queries(self, n):
        """Words to search for."""
        return self.source.choices(self.words[:3000], k=n)

    def part(self, n_requests):
        """Send requests in rounds, in each of which a client stops reading, one dies and one is suspended."""
        for _ in range(N_ROUNDS):
            silent = stop_reading(self.server.path, self.small, self.queries(40))
            asleep = Suspended(self.server.path, self.small, self.queries(60))
            die(self.server.path, self.small, self.queries(20))
            self.traffic.run(n_requests // N_ROUNDS, seconds=MINUTES * 60 / N_PARTS / N_ROUNDS)
            assert asleep.wake() == 60
            silent.close()
            self.n_rude += 3
        self.wait_for_vectors()
        return self.read()

    def wait_for_vectors(self):
        """Wait until all notes have vectors. A search starts their making again if notes have changed since."""
        semantic = None
        while semantic is None or semantic["missing"] or semantic["missingGists"] or semantic["filling"]:
            if semantic is None or not semantic["filling"]:
                self.client.wait_for(self.client.ask("vaultseek/search", {"query": self.words[300]}, kind="filling"))
            time.sleep(0.5)  # each search would pause the making
            self.client.wait_for(self.client.ask("vaultseek/status"))
            semantic = self.client.result["vaults"][0]["semantic"]

    def read(self):
        """The state of the server, which has nothing to do."""
        before, self.cpu_s = self.cpu_s, processor_s(self.process.pid)
        spent = self.cpu_s - before
        took = self.probe()
        memory = self.process.memory_info().rss
        return Reading(
            quantile(took, 0.5), quantile(took, 0.95), spent, memory, self.process.num_threads(), self.process.num_fds()
        )

    def probe(self):
        """The milliseconds of processor time that each probe takes."""
        took = []
        for text in self.probes:
            begun = processor_s(self.process.pid)
            self.client.wait_for(self.client.ask("vaultseek/search", {"query": text}, kind="probe"))
            took.append((processor_s(self.process.pid) - begun) * 1000.0)
        return took


def processor_s(pid):
    """Seconds of processor time that a process has used; on Linux exact, elsewhere in steps of some milliseconds."""
    if hasattr(time, "CLOCK_PROCESS_CPUTIME_ID") and Path("/proc/self").exists():
        return time.clock_gettime((~pid << 3) | 2)  # the id of another process's clock, see clock_getcpuclockid(3)
    return sum(psutil.Process(pid).cpu_times()[:2])


@needs_unix_sockets
@pytest.mark.timeout(600 + N_REQUESTS / 3 + MINUTES * 90)
def test_each_request_is_answered_once_and_nothing_grows(vault, tmp_path, capsys, attempts):
    with serve() as fake:
        soak = Soak(tmp_path / "s", *vault, fake)
        try:
            readings = []
            for number in range(1, N_PARTS + 1):
                readings.append(soak.part(N_REQUESTS // N_PARTS))
                with capsys.disabled():  # a long run shows how it goes
                    print(*(HEAD if number == 1 else ()), row(number, readings[-1]), sep="\n", flush=True)
            second, last = readings[1], readings[-1]
            p95_ms = last.p95_ms
            for _ in range(N_TRIES):
                if p95_ms > MAX_SLOWER * second.p95_ms:
                    p95_ms = min(p95_ms, quantile(soak.probe(), 0.95))
            client = soak.client
            client.ask("shutdown")
            client.tell("exit")
            client.wait_until_few(0)
        finally:
            code = soak.server.stop()
            soak.client.close()
    with capsys.disabled():
        print("", *table(client.times), sep="\n")
    attempts(len(client.asked) + soak.n_rude)
    assert code == 0
    said = b"".join(soak.server.said).decode()
    assert "Traceback" not in said, said[-5000:]
    assert set(client.answers.values()) == {1}
    assert client.answers.keys() == client.asked.keys()
    assert client.without_id > 0
    assert -32603 not in client.errors
    assert client.shown == []
    for token, values in client.progress.items():
        if token.startswith("w"):
            kinds = [value["kind"] for value in values]
            assert kinds == ["begin", *["report"] * (len(kinds) - 2), "end"]
            assert "report" in kinds
    assert p95_ms <= MAX_SLOWER * second.p95_ms
    assert last.memory - second.memory <= MAX_GROWTH
    assert last.n_threads <= second.n_threads + 2
    assert last.n_files <= second.n_files + 2


def row(number, one):
    """A reading as a line of a Markdown table."""
    values = (f"{one.p50_ms:.1f}", f"{one.p95_ms:.1f}", f"{one.cpu_s:.1f}", f"{one.memory / 2**20:.0f}")
    return f"| {number} | {' | '.join(values)} | {one.n_threads} | {one.n_files} |"


@pytest.mark.parametrize(("messages", "code"), [(("exit",), 1), ((), 1)])
def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(start, vault, messages, code):
    """The client sends exit without shutdown, or closes the pipe, while searches run."""
    server = start()
    traffic = Traffic(server, vault[1])
    for _ in range(N_OPEN):
        traffic.search()
    assert server.leave(*messages) == code
    server.draining.join()
    said = b"".join(server.said).decode()
    assert "Traceback" not in said, said[-5000:]


def test_in_a_burst_of_searches_only_the_answered_one_runs_to_its_end(start, vault, capsys):
    """Each search replaces the previous one without being cancelled; a hover in between is answered too.

    How long it takes is measured in `bench/bench_server.py`.
    """
    server = start()
    text = " ".join(vault[1][300:304])[:30]
    place = {"textDocument": {"uri": "file:///x.md"}, "position": {"line": 0, "character": 0}}
    for _ in range(3):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="alone"))
    for _ in range(7):
        for end in range(1, 30):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="prefix")
            if end == 15:
                hover = server.ask("textDocument/hover", place)
        last = server.ask("vaultseek/search", {"query": text}, kind="last")
        server.wait_for(last)
        server.wait_for(hover)
        assert server.answers[hover] == 1
        server.wait_until_few(0)
    assert server.errors[-32800] >= 7 * 25
    n_answered = sum(len(server.times[kind]) for kind in ("alone", "prefix", "last"))
    server.wait_for(server.ask("vaultseek/status"))
    (status,) = server.result["vaults"]
    assert status["searches"]["count"] == n_answered
    with capsys.disabled():
        print("", *table(server.times), sep="\n")
