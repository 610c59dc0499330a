"""The folders that are open, each a vault of its own with an engine of its own, or a part of the vault around it.

An engine is made at the first question about its folder, in the thread that asks, so that opening an editor costs
nothing. The editor's open texts and its words of changed files are collected here and handed over just before the
engine is asked: typing never waits for a search.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Protocol

from attrs import field, frozen

from lsp_server.documents import Document, Documents
from lsp_server.folders import MARKDOWN, refusal, vault_around
from lsp_server.models import engine_of
from lsp_server.options import ServerOptions
from lsp_server.settings import Resolved, resolve
from lsp_server.speed import Speed
from lsp_server.uris import to_path, to_uri
from search.answer.result import Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.errors import ConfigError, VaultClosed
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.ports import Progress, silent
from search.query import Query
from search.vault.paths import is_note_id

if TYPE_CHECKING:
    from search.navigation.library import Library
    from search.navigation.related import RelatedNotes
    from search.navigation.symbols import Symbol
    from search.semantic.maintenance import Maintenance
    from search.semantic.status import SemanticStatus
    from search.settings import Settings


CLOSE_S = 5.0
"""How long the next question waits until an engine of other settings is closed: a model makes a step, a disk writes."""


class Standing(Protocol):
    """How a vault stands, as its engine says."""

    @property
    def n_notes(self) -> int:
        """Notes that are known."""

    @property
    def n_pending(self) -> int:
        """Notes still to be read."""

    @property
    def is_complete(self) -> bool:
        """Whether all were read."""

    @property
    def generation(self) -> int:
        """Grows with every change."""

    @property
    def skipped(self) -> Mapping[str, str]:
        """Path -> why it is not searched."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know."""

    @property
    def semantic(self) -> "SemanticStatus | None":
        """How search by meaning stands."""


class Engine(Protocol):
    """What is asked of `search.engine.Engine`."""

    def search(
        self,
        query: Query,
        *,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
        on_answer: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Answer a query; what words find is told to `on_answer` before it is blended."""

    def related(
        self,
        note: NoteId,
        *,
        heading: str = "",
        lines: tuple[int, int] | None = None,
        limit: int = 10,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
    ) -> "RelatedNotes":
        """Notes that have to do with a note, a section or some of its lines."""

    def library(self, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> "Library":
        """The vault for who follows links in it."""

    def by_name(self, query: Query) -> SearchResult | None:
        """The notes that are called what is asked for, of those that are known; waits for nothing."""

    def symbols(self, query: str, *, limit: int = 200, with_headings: bool = True) -> "tuple[Symbol, ...]":
        """Names that a few letters may mean, best first."""

    def prepare_symbols(self) -> None:
        """Make ready what the two above look through."""

    def indexed(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> "Maintenance":
        """The commands over the vectors, once all notes are read."""

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Say why a note stands where it does."""

    def status(self) -> Standing:
        """How the vault stands."""

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Lay a text over a file."""

    def close_buffer(self, note: NoteId) -> None:
        """Take it away."""

    def hint(self, notes: Iterable[NoteId]) -> None:
        """These may have changed."""

    def close(self) -> None:
        """Stop."""


MakeEngine = Callable[[Path, "Settings"], Engine]


def real_engine(root: Path, settings: "Settings") -> Engine:
    """The search core's own, with the models that the settings name."""
    return engine_of(root, settings)


@frozen(eq=False)
class Vault:
    """One folder. `is_consented` says that the user named it in `vaultseek.vaults`."""

    root: Path
    is_consented: bool
    make_engine: MakeEngine
    settings_of: Callable[[Path], "Settings"]  # those that hold now
    hints: set[NoteId] = field(factory=set)
    speed: Speed = field(factory=Speed)
    asked: Event = field(factory=Event)  # set once a question is under way
    _engines: "list[tuple[Engine, Settings]]" = field(factory=list)  # none or one, and what it was made with
    _laid: dict[NoteId, Document] = field(factory=dict)
    _lock: Lock = field(factory=Lock)
    _gone: Event = field(factory=Event)  # set once the folder is no longer open

    @property
    def uri(self) -> str:
        """The folder's URI."""
        return to_uri(self.root)

    @property
    def engine_if_any(self) -> Engine | None:
        """The engine, if a question was asked before."""
        made = self._engines[:1]
        return made[0][0] if made else None

    def refusal(self) -> str:
        """Why this folder is not searched; empty when it may be. What was opened once needs no sign any more."""
        return refusal(self.root, is_consented=self.is_consented or bool(self._engines))

    def note_of(self, path: Path) -> NoteId | None:
        """The id of a Markdown file below this folder; None for all else, and for what the core takes for no note."""
        if path.suffix.lower() not in MARKDOWN:
            return None
        for file, root in ((path, self.root), (path.parent.resolve() / path.name, self.root.resolve())):
            if file.is_relative_to(root):
                below = file.relative_to(root).as_posix()
                return NoteId(below) if is_note_id(below) else None
        return None

    def folder_of(self, path: Path) -> str | None:
        """A path below this folder that may be, or have been, a folder of notes; None for all else, hidden ones too."""
        if path.suffix or not path.is_relative_to(self.root) or path == self.root:
            return None
        below = path.relative_to(self.root)
        return None if any(part.startswith(".") for part in below.parts) else below.as_posix()

    def uri_of(self, note: NoteId) -> str:
        """The URI of a note."""
        return to_uri(self.root / note)

    def engine(self, documents: Documents) -> Engine:
        """The engine of the settings that hold, told of all that the editor knows. For worker threads: it may wait.

        Raises:
            VaultError: the folder cannot be read.
            VaultClosed: it is no longer open; one that is open again is another `Vault`.
        """
        with self._lock:
            if self._gone.is_set():
                raise VaultClosed(str(self.root))
            self._drop_outdated()
            if not self._engines:
                settings = self.settings_of(self.root)
                self._engines.append((self.make_engine(self.root, settings), settings))
            engine = self._engines[0][0]
            self._lay(engine, documents)
        return engine

    def renew(self) -> None:
        """Stop the engine if it was made with other settings than those that hold; for worker threads."""
        with self._lock:
            self._drop_outdated()

    def _drop_outdated(self) -> None:
        """Called with the lock held."""
        for engine, made_with in tuple(self._engines):
            settings = self.settings_of(self.root)
            if settings is not made_with and settings != made_with:
                self._engines.clear()
                self._laid.clear()
                _close(engine)

    def _lay(self, engine: Engine, documents: Documents) -> None:
        open_now = {note: doc for doc in documents if doc.path and (note := self.note_of(doc.path)) is not None}
        for note in [note for note in self._laid if note not in open_now]:
            del self._laid[note]
            engine.close_buffer(note)
        for note, document in open_now.items():
            if self._laid.get(note) is not document:
                engine.open_buffer(note, document.text)
                self._laid[note] = document
        hints = frozenset(self.hints)
        if hints:
            self.hints.difference_update(hints)
            engine.hint(sorted(hints))

    def close(self) -> None:
        """Stop the engine, for good."""
        with self._lock:
            self._gone.set()
            made = tuple(self._engines)
            self._engines.clear()
            self._laid.clear()
        for engine, _ in made:
            engine.close()


def _close(engine: Engine) -> None:
    """Close an engine before another one is made, which writes to the same vectors; what takes long is left behind."""
    closing = Thread(target=engine.close, name="vaultseek-closer", daemon=True)
    closing.start()
    closing.join(CLOSE_S)


class Session:
    """One client's folders, open texts and settings."""

    def __init__(
        self,
        make_engine: MakeEngine = real_engine,
        elsewhere: Callable[[Callable[[], None]], None] = lambda work: work(),
    ) -> None:
        """`elsewhere` does what may wait, such as closing a vault that is no longer needed: a server has a thread."""
        self._make_engine = make_engine
        self._elsewhere = elsewhere
        self._lock = Lock()
        self.documents = Documents()
        self.options = ServerOptions()
        self.initial_options: object = None  # as sent with initialize
        self.settings: Settings | None = None  # None until a client sent any or a question needs them
        self.is_configured = False  # whether the client's settings are in use, those of `initialize` perhaps
        self._of_folders: dict[Path, Resolved] = {}  # of folders whose settings differ
        self._opened: dict[Path, Path] = {}  # workspace folders -> the vaults that they stand for
        self._vaults: dict[Path, Vault] = {}

    @property
    def vaults(self) -> tuple[Vault, ...]:
        """The workspace's folders in their order, then those that the settings name."""
        return tuple(self._vaults.values())

    @property
    def scopes(self) -> dict[Path, Path]:
        """Each vault's folder -> the folder that a client knows it by: the first that was opened of it, else itself."""
        known_by = {root: folder for folder, root in reversed(self._opened.items())}
        return {root: known_by.get(root, root) for root in self._vaults}

    def vault_named(self, uri: str) -> Vault | None:
        """The vault that a URI names, however it is spelled, or that an open folder of this URI lies in."""
        path = to_path(uri)
        return None if path is None else self._vaults.get(self._opened.get(Path(path), Path(path)))

    def vault_meant(self, uri: str | None) -> Vault | None:
        """The vault that a request will mean, as far as it can be told without looking at the disk.

        None for no open folder, and where it depends on which of several may be searched.
        """
        if uri is not None:
            return self.vault_named(uri)
        return self.vaults[0] if len(self.vaults) == 1 else None

    def change_folders(self, *, added: Iterable[str], removed: Iterable[str]) -> None:
        """Open and close workspace folders by URI; what is no file is passed over."""
        for path in _paths(removed):
            self._opened.pop(path, None)
        for path in _paths(added):
            self._opened[path] = path
        self._arrange()

    def configure(
        self, options: ServerOptions, settings: "Settings", of_folders: Mapping[Path, Resolved] | None = None
    ) -> None:
        """Use new settings, some folders perhaps their own; engines are made anew only where theirs changed."""
        self.options, self.settings, self.is_configured = options, settings, True
        self._of_folders = dict(of_folders or {})
        self._arrange()
        for vault in self.vaults:
            if vault.engine_if_any is not None:
                self._elsewhere(vault.renew)

    def options_of(self, vault: Vault) -> ServerOptions:
        """The options that hold for a vault."""
        own = self._of_folders.get(vault.root)
        return self.options if own is None else own.server

    def _settings_of(self, root: Path) -> "Settings":
        own = self._of_folders.get(root)
        if own is not None:
            return own.search
        with self._lock:
            if self.settings is None:  # a question that came before the client's configuration
                self.settings = resolve(self.initial_options).search
            return self.settings

    def _arrange(self) -> None:
        named = [Path(name) for name in self.options.vaults]
        self._opened = {path: path if path in named else vault_around(path) for path in self._opened}
        old = self._vaults
        self._vaults = {}
        for path in dict.fromkeys((*self._opened.values(), *named)):
            vault = old.pop(path, None)
            if vault is None or vault.is_consented != (path in named):
                if vault is not None:
                    self._elsewhere(vault.close)
                vault = Vault(path, path in named, self._make_engine, self._settings_of)
            self._vaults[path] = vault
        for vault in old.values():
            self._elsewhere(vault.close)

    def choose(self, uri: str | None) -> Vault | None:
        """The vault that a request means; None when no folder may be searched, see `refusals`.

        Raises:
            ConfigError: `uri` names no open folder, or there are several and it was not given.
        """
        if uri is not None:
            chosen = self.vault_named(uri)
            if chosen is None:
                raise ConfigError("params.vault", uri, "the URI of an open folder or of one named in vaultseek.vaults")
            return None if chosen.refusal() else chosen
        usable = [vault for vault in self.vaults if not vault.refusal()]
        if len(usable) > 1:
            raise ConfigError("params.vault", None, "the URI of one of the folders, as several are open")
        return usable[0] if usable else None

    def expect(self, uri: str | None) -> None:
        """A question for this vault, or for the only one, is on its way: from now on it is not idle."""
        chosen = None if uri is None else self.vault_named(uri)
        for vault in self.vaults if uri is None else (chosen,):
            if vault is not None:
                vault.asked.set()

    def holding(self, uri: str, vault_uri: str | None = None) -> tuple[Vault, NoteId] | None:
        """The note that a URI names and its vault, the innermost one; None for what is no note of an open folder.

        With a `vault_uri` only that folder counts.
        """
        path = to_path(uri)
        if path is None:
            return None
        vaults = self.vaults if vault_uri is None else (self.vault_named(vault_uri),)
        found = [(vault, note) for vault in vaults if vault and (note := vault.note_of(Path(path))) is not None]
        return max(found, key=lambda pair: len(pair[0].root.parts), default=None)

    def refusals(self) -> tuple[Notice, ...]:
        """Why nothing can be searched, one notice a folder."""
        if not self.vaults:
            message = "No folder is open; open a vault's folder or name one in vaultseek.vaults."
            return (Notice(NoticeKind.SKIPPED, "no-vault", message),)
        return tuple(
            Notice(NoticeKind.SKIPPED, "no-vault", f"The folder is not searched: {reason}.", vault.uri)
            for vault in self.vaults
            if (reason := vault.refusal())
        )

    def hint(self, uris: Iterable[str]) -> None:
        """Files or folders may have changed; the vaults that hold them hear of it at their next question."""
        for path in _paths(uris):
            for vault in self.vaults:
                note = vault.note_of(path) or vault.folder_of(path)
                if note is not None:
                    vault.hints.add(NoteId(note))

    def close(self) -> None:
        """Stop all engines."""
        for vault in self.vaults:
            vault.close()


def _paths(uris: Iterable[str]) -> list[Path]:
    return [Path(path) for uri in uris if (path := to_path(uri)) is not None]
