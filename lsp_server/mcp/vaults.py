"""The vaults of a server. The first call that needs a vault opens it; if that fails, the next call tries again.

Clients start servers that they may never call, so starting one reads nothing.
"""

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from lsp_server.mcp.quoting import escaped_line
from search.errors import VaultseekError, shorten

if TYPE_CHECKING:
    from search.budget import Budget
    from search.engine import Engine
    from search.ids import NoteId
    from search.vault.note import Note

_N_SIMILAR = 3  # notes to suggest
_CITED_LINES = re.compile(r":\d+(?:-\d+)?$")
SCHEME = "vaultseek://note/"


class ServedVault:
    """One vault and its engine. Any thread may call its methods."""

    def __init__(self, name: str, root: Path, open_engine: Callable[[Path], "Engine"]) -> None:
        self.name = name
        self.root = root
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def engine(self) -> "Engine":
        """The engine, opened by the first call.

        Raises:
            VaultseekError: the folder cannot be searched, or the server is ending.
        """
        with self._lock:
            if self._is_closed:
                raise VaultseekError("the server is ending")
            if self._engine is None:
                self._engine = self._open_engine(self.root)
            return self._engine

    def current(self, budget: "Budget") -> "Engine":
        """The engine, with all changes of the vault read: no answer is from a part of it, or of an earlier moment.

        An assistant often reads a note that it has just changed by another tool, so it never waits for the next sweep.

        Raises:
            VaultseekError: as `engine`.
            Cancelled: the budget was cancelled.
        """
        engine = self.engine()
        engine.mark_changed(())
        engine.refresh(budget=budget)
        return engine

    def note(self, name: str, budget: "Budget") -> "Note":
        """The note that a path, title or alias means. Raises as `place`."""
        return self.place(name, budget)[0]

    def place(self, name: str, budget: "Budget") -> "tuple[Note, str]":
        """The note that a path, title or alias means, and what follows it after `#`, if anything.

        Raises:
            VaultseekError: there is no such note; the message names similar ones.
        """
        found, fragment = self._find(name, budget)
        library = self.engine().library(budget=budget)
        if found in library.notes:
            return library.notes[found], fragment
        similar = library.similar_names(found.rpartition("/")[2].removesuffix(".md"), limit=_N_SIMILAR)
        near = f"similar are {', '.join(map(escaped_line, similar))}" if similar else "search_notes finds paths"
        raise VaultseekError(f"there is no note {shorten(name)}; {near}")

    def find(self, name: str, budget: "Budget") -> "NoteId":
        """The note that a path, title or alias means, also written as a citation, a link or a URI.

        If there is no such note, the result is the id that its path would have.
        """
        return self._find(name, budget)[0]

    def _find(self, name: str, budget: "Budget") -> "tuple[NoteId, str]":
        engine = self.current(budget)
        notes = engine.library(budget=budget).notes
        for reading, fragment in _readings(name.strip()):
            if (found := engine.find_note(self._path(reading))) in notes:
                return found, fragment
        escaped = {escaped_line(note): note for note in notes if not note.isprintable()}
        for reading, fragment in _readings(name.strip()):
            if reading in escaped:
                return escaped[reading], fragment
        return engine.find_note(self._path(name.strip())), ""

    def _path(self, name: str) -> str:
        """The path from the vault's root; a model may have written it with the vault's folder in front."""
        for start in (self.root.as_posix(), str(self.root)):
            if name.startswith((f"{start}/", f"{start}\\")):
                name = name[len(start) :].replace("\\", "/")
        return name.lstrip("/")

    def close(self) -> None:
        """Stop the engine; no call opens it again."""
        with self._lock:
            self._is_closed = True
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()


def _readings(name: str) -> Iterable[tuple[str, str]]:
    """What a model may mean by a name, the likeliest first: as written, then read as a URI, link or citation.

    The second part is what follows the path after `#`.
    """
    yield name, ""
    bare = name.removeprefix(SCHEME).removeprefix("[[").removesuffix("]]").partition("|")[0]
    yield bare, ""
    yield _CITED_LINES.sub("", bare), ""
    if "#" in bare:  # a path can contain the sign, and so can a fragment
        for path, _, fragment in (bare.rpartition("#"), bare.partition("#")):
            yield path, fragment


@frozen
class Vaults:
    """All vaults of a server, by name."""

    all: tuple[ServedVault, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the command line; a model needs them only where there are several."""
        return tuple(vault.name for vault in self.all)

    def named(self, name: str) -> ServedVault:
        """A vault by its name; "" is the only vault.

        Raises:
            VaultseekError: there is no such vault, or "" with several.
        """
        if not name and len(self.all) == 1:
            return self.all[0]
        for vault in self.all:
            if vault.name == name:
                return vault
        raise VaultseekError(f"there is no vault {shorten(name)}; allowed is one of {', '.join(self.names)}")

    def close(self) -> None:
        """Stop all engines."""
        for vault in self.all:
            vault.close()


def names_of(roots: Sequence[Path]) -> Iterable[str]:
    """A name for each folder: its last part, with a number where another has the same.

    >>> list(names_of([Path("/a/notes"), Path("/b/notes")]))
    ['notes', 'notes-2']
    """
    taken: set[str] = set()
    for root in roots:
        name = base = root.absolute().name or "vault"
        number = 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        yield name
