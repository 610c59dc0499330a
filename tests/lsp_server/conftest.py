# ruff: noqa: D102, ARG002  the doubles have the signatures of the real classes
"""A server in this process, a client that sends it bytes, and an engine that follows a test's script."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
import pytest_asyncio
from attrs import evolve, field, frozen

from lsp_server.transport import make_server, serve
from lsp_server.wire.uris import to_uri
from search.answer.evidence import Evidence, Field, FieldMatch, FolderEvidence, GraphEvidence
from search.answer.ranking import Hit
from search.answer.result import FoundNote, FoundSection, Reason, SearchResult, Snippet
from search.answer.trail import Found, Fused, Replaced, Scaled
from search.budget import UNLIMITED
from search.engine import Engine
from search.errors import ConfigError
from search.navigation.related import RelatedNote, RelatedNotes
from search.ports import silent
from vaults import write


def found(name, *steps, **parts):
    """A note as an engine returns it."""
    trail = steps or (Found("lexical", 7.5), Fused("lexical", 1, 1.0, 1 / 61), Replaced("minmax", 0.98, "best"))
    evidence = Evidence(
        matches=(FieldMatch(Field.TITLE, "orchid", 3.0),),
        exact_name="Orchid",
        folder=FolderEvidence("plants", 2, 4, 1.15),
        graph=GraphEvidence(1, 0, 1, 1.3, 1.08),
    )
    return FoundNote(hit=Hit.found(name, *trail, evidence=evidence), title="Orchid", sentence="Its title.", **parts)


ANSWER = SearchResult(
    hits=(
        found(
            "plants/orchid.md",
            Found("lexical", 7.5),
            Fused("lexical", 1, 1.0, 1 / 61),
            Scaled("folder", 1.15, "2 of 4 notes of plants"),
            Replaced("minmax", 0.98, "best of 1"),
            snippets=(Snippet("😀 orchid", 2, 4, ((2, 8),)),),
            sections=(FoundSection(("Care", "Water"), 1),),
        ),
    ),
    timings_ms={"grep": 1.5},
    total=1,
    generation=3,
    terms=("orchid",),
)
RELATED = RelatedNotes(notes=(RelatedNote(found=ANSWER.hits[0], is_linked=True),), total=3, generation=3)
REASON = Reason(note="plants/orchid.md", rank=1, total=1, step="ranked", sentence="First.", found=ANSWER.hits[0])


@frozen(kw_only=True)
class ScriptedStatus:
    """The status of a scripted engine."""

    n_notes: int = 2
    n_pending: int = 0
    is_complete: bool = True
    generation: int = 3
    skipped: dict = field(factory=lambda: {"big.md": "too long"})
    notices: tuple = ()
    semantic: object = None


class ScriptedIndex:
    """Records which commands were run."""

    def __init__(self):
        self.runs = []

    def update(self, *, budget, progress):
        self.runs.append("update")
        progress(1, 2)
        budget.check()
        return 2

    def rebuild(self, *, budget, progress):
        self.runs.append("rebuild")
        return 3

    def clear(self):
        self.runs.append("clear")

    def collect_garbage(self):
        self.runs.append("collect")
        return 1


class ScriptedEngine:
    """Answers with what `script` returns and records what it receives."""

    def __init__(self, root, settings):
        self.root, self.settings = root, settings
        self.queries, self.patiences, self.received = [], [], []
        self.threads = set()
        self.current_status = ScriptedStatus()
        self.script = lambda _query, _budget, _progress: ANSWER
        self.is_closed = False
        self.by_words = None
        self.in_brief = None
        self.names = None
        self.found = None
        self.n_prepared = 0
        self.index = ScriptedIndex()
        self.n_indexed = 0

    def maintenance(self, *, budget=UNLIMITED, progress=silent):
        self.n_indexed += 1
        if self.index is None:
            raise ConfigError("enableSemantic", "false", "true")
        return self.index

    def search(self, query, *, budget=UNLIMITED, patience_s=None, progress=silent, on_answer=None, on_first=None):
        self.queries.append(query)
        self.patiences.append(patience_s)
        self.threads.add(threading.current_thread())
        if on_first is not None and self.in_brief is not None:
            on_first(self.in_brief)
        if on_answer is not None and self.by_words is not None:
            on_answer(self.by_words)
        return self.script(query, budget, progress)

    def related(self, note, **options):
        names = ("heading", "lines", "linked", "limit", "patience_s")
        self.received.append(("related", note, *(options[name] for name in names)))
        return RELATED

    def context(self, query, *, max_tokens, budget, patience_s):
        self.received.append(("context", query.text, query.folder, max_tokens, patience_s))
        return self.found

    def by_name(self, query):
        return self.names

    def prepare_symbols(self):
        self.n_prepared += 1

    def explain(self, query, note, *, budget=UNLIMITED):
        self.queries.append(query)
        return evolve(REASON, note=note)

    def status(self):
        if isinstance(self.current_status, Exception):
            raise self.current_status
        return self.current_status

    def open_buffer(self, note, text):
        self.received.append(("open", note, text))

    def close_buffer(self, note):
        self.received.append(("close", note))

    def mark_changed(self, notes):
        self.received.append(("hint", *notes))

    def close(self):
        self.is_closed = True


class Client:
    """Speaks JSON-RPC to a server in this process.

    `answers` are its own answers to the server's requests, None where it gives none, or not yet.
    """

    def __init__(self, script=None):
        self.engines = []
        self.script = script
        self.by_words = None  # the partial answer of engines
        self.in_brief = None  # and the one before it, without all excerpts
        self.names = None  # the answer by names, before that
        self.server = make_server(self.make_engine)
        self.reader = asyncio.StreamReader()
        self.notes, self.requests, self.orphans = [], [], []
        self.answers = {}
        self.waiting = {}
        self.heard = asyncio.Event()
        self.task = asyncio.ensure_future(serve(self.server, self.reader, self))
        self.last_id = 0

    def make_engine(self, root, settings):
        engine = ScriptedEngine(root, settings)
        if self.script is not None:
            engine.script = self.script
        engine.by_words, engine.in_brief, engine.names = self.by_words, self.in_brief, self.names
        self.engines.append(engine)
        return engine

    # the writer's side

    def write(self, data):
        message = json.loads(data.split(b"\r\n\r\n", 1)[1])
        if "method" in message and "id" in message:
            self.requests.append(message)
            answer = self.answers.get(message["method"], {"error": {"code": -32601, "message": "no"}})
            if answer is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **answer})
        elif "method" in message:
            self.notes.append(message)
        elif message["id"] in self.waiting:
            self.waiting.pop(message["id"]).set_result(message)
        else:
            self.orphans.append(message)
        self.heard.set()

    def close(self):
        pass

    # the client's side

    def send_bytes(self, body):
        self.reader.feed_data(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send(self, message):
        self.send_bytes(json.dumps(message).encode())

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params=None, **head):
        self.last_id += 1
        answer = self.waiting[self.last_id] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params, **head})
        return answer

    async def result(self, method, params=None):
        answer = await self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    async def error(self, method, params=None):
        return (await self.ask(method, params))["error"]

    def cancel(self, msg_id):
        self.notify("$/cancelRequest", {"id": msg_id})

    async def initialize(self, *folders, capabilities=None, initialized=False, **more):
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **more}
        if folders:
            params["workspaceFolders"] = [{"uri": to_uri(folder), "name": folder.name} for folder in folders]
        result = await self.result("initialize", params)
        if initialized:
            self.notify("initialized", {})
        return result

    async def until(self, holds):
        while not holds():
            self.heard.clear()
            await self.heard.wait()

    async def settle(self):
        """Wait until the server has handled everything sent before, also in the quick thread."""
        await self.ask("vaultseek/status")

    def progress(self, token):
        return [
            note["params"]["value"]
            for note in self.notes
            if note["method"] == "$/progress" and note["params"]["token"] == token
        ]

    async def leave(self):
        self.reader.feed_eof()
        return await self.task


class Reader(Client):
    """A client whose server really searches notes, by words only."""

    def make_engine(self, root, settings):
        self.engines.append(Engine(root, settings))
        return self.engines[-1]

    async def read(self, root, notes, **initialize):
        """Write notes, open their folder and wait until they are read."""
        write(root, notes)
        (root / ".obsidian").mkdir(exist_ok=True)
        await self.initialize(root, **initialize)
        await self.result("vaultseek/search", {"query": "x"})
        return self

    def at(self, file, line, character, **more):
        return {"textDocument": {"uri": to_uri(file)}, "position": {"line": line, "character": character}, **more}


class OwnClient(Client):
    """A client whose server has real engines with all models."""

    def __init__(self):
        super().__init__()
        self.task.cancel()
        self.server = make_server()
        self.task = asyncio.ensure_future(serve(self.server, self.reader, self))


@pytest_asyncio.fixture
async def reader():
    """An uninitialized client whose server searches by words."""
    client = Reader()
    yield client
    if not client.task.done():
        await client.leave()


@pytest_asyncio.fixture
async def editor():
    """An uninitialized client whose server has real engines, as users have it."""
    client = OwnClient()
    yield client
    if not client.task.done():
        await client.leave()


@pytest_asyncio.fixture
async def client():
    """An uninitialized client."""
    client = Client()
    yield client
    if not client.task.done():
        await client.leave()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A marked folder with one note; on its third line, other characters precede the match."""
    root = tmp_path / "vault"
    (root / ".obsidian").mkdir(parents=True)
    (root / "plants").mkdir()
    (root / "plants" / "orchid.md").write_text("# Orchid\n\né😀 x😀 orchid\n", encoding="utf-8")
    return root


@pytest_asyncio.fixture
async def ready(client, vault):
    """A client with one vault open."""
    await client.initialize(vault)
    return client
