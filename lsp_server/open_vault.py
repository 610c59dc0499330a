"""One open vault and its search engine.

The engine is created at the first request for the vault, in the thread of that request, so that opening an editor costs
nothing. Texts open in the editor and hints about changed files are handed over just before each request: typing never
waits for a search. A long text that was edited is read by a thread of its own. Requests that must be quick do not wait
for it; they answer from the text that was read last.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from attrs import define, field

from lsp_server.config.vault_discovery import refusal
from lsp_server.documents import Document, Documents
from lsp_server.latest_work import LatestWork
from lsp_server.wire.uris import to_uri
from search.errors import VaultClosed
from search.ids import NoteId, is_by_name
from search.vault.paths import is_note_id

if TYPE_CHECKING:
    from search.engine import Engine  # imports numpy, which starting does not need
    from search.settings import Settings

MakeEngine = Callable[[Path, "Settings"], "Engine"]

N_LATENCIES = 100  # searches that the status covers

LONG_TEXT = 200_000  # characters of an open text; reading a shorter one takes less than 0.1 s

CLOSE_S = 5.0
"""How long a request waits until the engine with the old settings is closed: enough for one step of a model."""


@define(eq=False)
class OpenVault:
    """One folder. `is_consented` means that the user named it in `vaultseek.vaults`."""

    root: Path
    is_consented: bool
    make_engine: MakeEngine
    settings_of: Callable[[Path], "Settings"]  # the current settings
    hints: set[NoteId] = field(factory=set)  # notes and folders that may have changed since the last request
    has_more_hints: bool = False  # whether others may have changed, too many to name
    latencies_ms: deque[float] = field(factory=lambda: deque(maxlen=N_LATENCIES))  # of the last answers, oldest first
    is_requested: Event = field(factory=Event)  # set by the first request
    _made: "tuple[Engine, Settings] | None" = None  # the engine and the settings that it was made with
    _handed_over: dict[NoteId, Document] = field(factory=dict)  # open texts that the engine knows or will know
    _read: dict[NoteId, Document] = field(factory=dict)  # the versions of them that the engine has read
    _reading: LatestWork = field(factory=LatestWork)
    _lock: Lock = field(factory=Lock)
    _is_closed: bool = False  # whether the folder is no longer open

    @property
    def uri(self) -> str:
        """The folder's URI."""
        return to_uri(self.root)

    @property
    def engine_if_any(self) -> "Engine | None":
        """The engine, if there was a request before."""
        made = self._made
        return made[0] if made else None

    def refusal(self) -> str:
        """Why this folder is not searched; empty when it may be. A vault with an engine stays allowed."""
        return refusal(self.root, is_consented=self.is_consented or self._made is not None)

    def note_of(self, path: Path) -> NoteId | None:
        """The id of a note or another file below this folder; None for files elsewhere and for invalid ids."""
        file, root = path, self.root
        if not file.is_relative_to(root):  # asks the system about links only if it must
            file, root = path.parent.resolve() / path.name, root.resolve()
        if not file.is_relative_to(root):
            return None
        below = file.relative_to(root).as_posix()
        return NoteId(below) if is_note_id(below) else None

    def texts_in(self, documents: Documents) -> dict[NoteId, Document]:
        """The open texts that are notes of this vault."""
        found = {note: doc for doc in documents if doc.path and (note := self.note_of(doc.path)) is not None}
        return {note: doc for note, doc in found.items() if not is_by_name(note)}

    def folder_of(self, path: Path) -> str | None:
        """A path below this folder that may be or have been a folder of notes; None for other and hidden paths."""
        if path.suffix or not path.is_relative_to(self.root) or path == self.root:
            return None
        below = path.relative_to(self.root)
        return None if any(part.startswith(".") for part in below.parts) else below.as_posix()

    def uri_of(self, note: NoteId) -> str:
        """The URI of a note."""
        return to_uri(self.root / note)

    def engine(self, documents: Documents) -> "Engine":
        """An engine with the current settings, open texts and hints. For worker threads: it can block.

        Raises:
            VaultError: the folder cannot be read.
            VaultClosed: the folder is no longer open; if it was opened again, that is another `OpenVault`.
        """
        engine = self.quick_engine(documents)
        self._reading.wait()
        return engine

    def quick_engine(self, documents: Documents) -> "Engine":
        """The engine, without waiting for long texts that were just edited: of these it may know an earlier version."""
        with self._lock:
            if self._is_closed:
                raise VaultClosed(str(self.root))
            self._drop_outdated()
            if self._made is None:
                settings = self.settings_of(self.root)
                self._made = self.make_engine(self.root, settings), settings
            engine, _ = self._made
            self._hand_over(engine, documents)
        return engine

    def text_read(self, note: NoteId) -> Document | None:
        """The version of an open text that the engine has read; None if it has read none."""
        return self._read.get(note)

    def renew(self) -> None:
        """Close an outdated engine now rather than at the next request. For worker threads."""
        with self._lock:
            self._drop_outdated()

    def _drop_outdated(self) -> None:
        """Close the engine if its settings are no longer the current ones. The caller holds the lock."""
        if self._made is None:
            return
        engine, made_with = self._made
        settings = self.settings_of(self.root)
        if settings is not made_with and settings != made_with:
            self._forget()
            _close(engine)

    def _forget(self) -> None:
        self._made = None
        self._handed_over.clear()
        self._read.clear()

    def _hand_over(self, engine: "Engine", documents: Documents) -> None:
        """Tell the engine which texts and hints are new since the last request."""
        open_now = self.texts_in(documents)
        for note in [note for note in self._handed_over if note not in open_now]:
            del self._handed_over[note]
            self._read.pop(note, None)
            self._reading.drop(note)
            engine.close_buffer(note)
        for note, document in open_now.items():
            before = self._handed_over.get(note)
            if before is document:
                continue
            is_long = before is not None and len(before.text) > LONG_TEXT
            if is_long or self._reading.has(note):
                self._reading.put(note, partial(self._read_long, engine, note, document))
            else:
                engine.open_buffer(note, document.text)
                self._read[note] = document
            self._handed_over[note] = document
        hints = frozenset(self.hints)
        if hints or self.has_more_hints:
            self.has_more_hints = False
            self.hints.difference_update(hints)
            engine.mark_changed(sorted(hints))

    def _read_long(self, engine: "Engine", note: NoteId, document: Document) -> None:
        """Have the engine read a long text, and forget it again if the text was closed meanwhile."""
        if self.engine_if_any is not engine:
            return
        engine.open_buffer(note, document.text)
        with self._lock:
            if self.engine_if_any is not engine:
                return
            if note in self._handed_over:
                self._read[note] = document
            else:
                engine.close_buffer(note)

    def close(self) -> None:
        """Close the engine for good."""
        with self._lock:
            self._is_closed = True
            engine = self.engine_if_any
            self._forget()
        if engine is not None:
            engine.close()


def _close(engine: "Engine") -> None:
    """Close an engine before the next one writes to the same vectors; if that takes long, go on without waiting."""
    closing = Thread(target=engine.close, name="vaultseek-closer", daemon=True)
    closing.start()
    closing.join(CLOSE_S)
