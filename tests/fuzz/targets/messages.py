"""What a client sends: frames of any bytes, and messages whose parameters are nearly right."""

import asyncio
import copy
import json
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from lsprotocol import types as lsp

from lsp_server.frames import HEADER_BYTES
from lsp_server.handlers import HANDLERS, make_server
from lsp_server.transport import serve
from lsp_server.wire.uris import to_uri
from search.engine import Engine
from search.errors import VaultError
from search.settings import Settings
from tests.fuzz.target import MAX_INPUT, Target, built_of, corpus, mutated
from vaults import write

VAULT = """
--- .obsidian/app.json
{}
--- oak.md
# Oak
An oak is a #tree. [[elm#Care]] [[missing]]
--- elm.md
# Care
Of the [[oak]] and 知識.
"""
PATIENCE_S = 60.0
INTERNAL = -32603
FOLDER = "file:///vault"  # in inputs; the real folder takes its place, so that inputs mean the same elsewhere
VALUES = (
    *(None, True, -1, 0, 2, 10**9, 2**31, 10**400, 0.5, float("nan"), float("inf"), "", "x", "oak", "\ud800"),
    *("\0", "🎉" * 9),
    *([], [[]], {}, {"": {}}, [None], ["x"] * 200, "file:///", "file://host/a", f"{FOLDER}/%FF.md"),
    *(f"{FOLDER}/../x", "untitled:a", FOLDER),
    *("/" + "[[" * 40, "(" * 3000, "1" * 5000),
)


class SharedEngine(Engine):
    """Stays open, since reading a vault takes longer than most conversations."""

    def close(self) -> None:
        """Do nothing."""


@cache
def engine() -> Engine:
    """An engine by words alone: no message makes it call a model or an address."""
    made = SharedEngine(write(Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-")), VAULT))
    made.refresh()
    return made


def check_messages(data: bytes) -> None:
    """Each line is a message: each request gets one answer, which is no internal error, and the server stays there."""
    bodies = [line for line in data[:MAX_INPUT].split(b"\n") if line.strip()][:12]
    folder = json.dumps(to_uri(Path(engine().status().root)))[1:-1].encode()
    asyncio.run(_converse([body.replace(FOLDER.encode(), folder) for body in bodies]))


def check_frames(data: bytes) -> None:
    """Any bytes are read as frames, or end the connection with a message that says why."""
    asyncio.run(_send(data[:MAX_INPUT]))


class Connection:
    """A server in this process, and what it wrote."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.heard = asyncio.Event()
        self.reader = asyncio.StreamReader(HEADER_BYTES)
        self.task = asyncio.ensure_future(serve(make_server(_engine_of), self.reader, self))

    def write(self, data: bytes) -> None:
        """Take a message of the server."""
        head, _, body = data.partition(b"\r\n\r\n")
        assert head.startswith(b"Content-Length: ")
        self.written.append(json.loads(body))
        self.heard.set()

    def close(self) -> None:
        """Do nothing."""

    def send(self, body: bytes) -> None:
        """Send a message."""
        self.reader.feed_data(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def ask(self, msg_id: str, method: str, params: object) -> None:
        """Send a request."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}).encode())

    def answers(self) -> list[dict[str, Any]]:
        """The answers to requests."""
        return [message for message in self.written if "method" not in message]

    async def until_answered(self, *ids: object) -> None:
        """Wait for the answers to some requests, or for the end of the connection."""
        async with asyncio.timeout(PATIENCE_S):
            while not self.task.done() and Counter(map(repr, ids)) - self._answered():
                self.heard.clear()
                waiting = asyncio.ensure_future(self.heard.wait())
                await asyncio.wait((waiting, self.task), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()

    def _answered(self) -> Counter[str]:
        return Counter(repr(answer["id"]) for answer in self.answers())

    async def leave(self) -> None:
        """Close the client's end, and check all answers."""
        self.reader.feed_eof()
        async with asyncio.timeout(PATIENCE_S):
            await self.task
        for answer in self.answers():
            assert answer["jsonrpc"] == "2.0"
            assert ("result" in answer) is not ("error" in answer), answer
            assert "error" not in answer or answer["error"]["code"] != INTERNAL, answer


def _engine_of(root: Path, _settings: Settings) -> Engine:
    """The engine of the only vault; other folders of this machine are not read, whatever a message says."""
    if str(root) != engine().status().root:
        raise VaultError(str(root), "not in this test")
    return engine()


async def _converse(bodies: list[bytes]) -> None:
    connection = Connection()
    root = to_uri(Path(engine().status().root))
    connection.ask("first", lsp.INITIALIZE, {"processId": None, "rootUri": root, "capabilities": {}})
    await connection.until_answered("first")
    for body in bodies:
        connection.send(body)
    asked = [msg_id for body in bodies if (msg_id := _request_id(body)) is not None]
    connection.ask("last", "vaultseek/status", {})
    await connection.until_answered("last", *asked)
    if connection.task.done():
        assert any(_is_exit(body) for body in bodies)
    await connection.leave()


async def _send(data: bytes) -> None:
    connection = Connection()
    connection.reader.feed_data(data)
    await connection.leave()


def _request_id(body: bytes) -> str | int | None:
    """The id of a request that must be answered; None for anything else."""
    message = _json(body)
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return None
    msg_id = message.get("id")
    return msg_id if isinstance(msg_id, str | int) and not isinstance(msg_id, bool) else None


def _is_exit(body: bytes) -> bool:
    message = _json(body)
    return isinstance(message, dict) and message.get("method") == lsp.EXIT


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _written(messages: list[dict[str, Any]]) -> bytes:
    """Messages as an input; requests get numbers in their order."""
    numbered = ({**message, "id": at} if "id" in message else message for at, message in enumerate(messages, start=1))
    return b"\n".join(json.dumps(message).encode() for message in numbered)


def _spoiled(message: dict[str, Any], changes: list[tuple[list[int], object, bool]]) -> dict[str, Any]:
    """A message with values in its parameters replaced or removed."""
    spoiled = copy.deepcopy(message)
    for steps, value, is_removed in changes:
        # A copy, since a later change may reach into it, or put the same value inside itself.
        _spoil(spoiled["params"], steps, copy.deepcopy(value), is_removed=is_removed)
    return spoiled


def _spoil(inside: Any, steps: list[int], value: object, *, is_removed: bool) -> None:
    """Replace or remove a value at the place that numbers lead to."""
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    if not keys:
        return
    step, *more = steps
    key = keys[step % len(keys)]
    if more and isinstance(inside[key], dict | list):
        _spoil(inside[key], more, value, is_removed=is_removed)
    elif is_removed:
        del inside[key]
    else:
        inside[key] = value


def _messages() -> st.SearchStrategy[bytes]:
    """Messages of the corpus with values in their parameters changed, in any order."""
    place = st.lists(st.integers(0, 30), min_size=1, max_size=5)
    changes = st.lists(st.tuples(place, st.sampled_from(VALUES), st.booleans()), max_size=2)
    known = [_json(line) for data in corpus("messages") for line in data.splitlines()]
    usable = [message for message in known if isinstance(message, dict) and isinstance(message.get("params"), dict)]
    return st.lists(st.builds(_spoiled, st.sampled_from(usable), changes), min_size=1, max_size=8).map(_written)


PIECES = (
    *HANDLERS,
    *('"jsonrpc":"2.0"', '"id":', '"method":', '"params":', "null", "true", "1e999", "{", "}", "[", "]", '"', ","),
)
FRAMES = (
    *("Content-Length: ", "content-length:", "Content-Type: x", "\r\n", "\r\n\r\n", "\n", "0", "5", "-1", "99"),
    *("1_0", "٣", "POST / HTTP/1.1", "{}", "[]", "null", "[" * 2000, " ", "x", "\0"),
    '{"jsonrpc":"2.0","id":1,"method":"exit"}',
)
messages = st.deferred(_messages)
TARGETS = (
    Target("messages", check_messages, st.one_of(messages, mutated(corpus("messages"))), PIECES, n_examples=150),
    Target("frames", check_frames, st.one_of(built_of(FRAMES), mutated(corpus("frames"))), FRAMES, n_examples=80),
)
