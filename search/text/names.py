"""Notes by what they are called: title, aliases and file name, for queries that are a name.

Names are compared run by run, folded, so that case, accents and punctuation make no difference. A query is also
compared without its glue words: "how do I reset the router?" names the note "Reset the router", but only where
no note is named by the query as it stands.
"""

from collections.abc import Mapping

from search.ids import NoteId
from search.text.fold import fold
from search.text.glue import is_glue
from search.text.tokens import runs
from search.vault.note import Note


class NameIndex:
    """Kept note by note; not safe for several threads at once."""

    def __init__(self) -> None:
        self._by_gist: dict[str, set[NoteId]] = {}
        self._names: dict[NoteId, tuple[str, ...]] = {}

    def update(self, note: Note) -> None:
        """Add a note, or replace what was known of it."""
        self.remove(note.id)
        names = tuple(dict.fromkeys((note.title, *note.aliases, note.name)))
        self._names[note.id] = names
        for name in names:
            self._by_gist.setdefault(gist(name), set()).add(note.id)

    def remove(self, note: NoteId) -> None:
        """Forget a note; an unknown one is passed over."""
        for name in self._names.pop(note, ()):
            key = gist(name)
            if (named := self._by_gist.get(key)) is not None:
                named.discard(note)
                if not named:
                    del self._by_gist[key]

    def named(self, text: str) -> Mapping[NoteId, str]:
        """The notes that `text` names, each with the name that agrees; with `.md` or a folder in front too."""
        wanted = plain(text)
        if not wanted:
            return {}
        stem = text.removesuffix(".md").rpartition("/")[2]
        candidates = self._by_gist.get(gist(text), set()) | self._by_gist.get(gist(stem), set())
        near = {
            note: next((name for name in self._names[note] if gist(name) in {gist(text), gist(stem)}), "")
            for note in candidates
        }
        same = {note: name for note in near for name in self._names[note] if plain(name) in {wanted, plain(stem)}}
        return same or near


def plain(text: str) -> str:
    """The folded runs of `text`, joined by blanks; a text without any run: its folded self.

    >>> plain("3.1. Budget"), plain("Reset  the Router?"), plain("…")
    ('3.1 budget', 'reset the router', '...')
    """
    return " ".join(map(fold, runs(text))) or fold(text.strip())


def gist(text: str) -> str:
    """`plain` without glue words, or with them where there is nothing else."""
    words = plain(text).split(" ")
    return " ".join(word for word in words if not is_glue(word)) or " ".join(words)
