"""Notes by what they are called: title, aliases and file name, for queries that are a name.

Names are compared run by run, folded, so that case, accents and punctuation make no difference. Where no note is named
by the query as it stands, joined words are taken apart ("reset the router" names "reset-the-router.md"), and where
there is none either, glue words are left out: "how do I reset the router?" names the note "Reset the router". Of a name
itself no more is left out than stays: "peace" is not what "War and Peace" is called, though "war" is glue in German.
"""

import re
from collections.abc import Iterator, Mapping

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import runs
from search.ids import NoteId
from search.vault.note import Note

_MAX_WORDS = 64  # of a query in which names are looked for
_LONGEST = 8  # words of a name in it
_JOINERS = re.compile(r"[._\-]+")


class NameIndex:
    """Kept note by note; not safe for several threads at once."""

    def __init__(self) -> None:
        self._by_key: dict[str, list[NoteId]] = {}  # each note once
        self._names: dict[NoteId, tuple[str, ...]] = {}

    def update(self, note: Note) -> None:
        """Add a note, or replace what was known of it."""
        self.remove(note.id)
        names = tuple(dict.fromkeys((note.title, *note.aliases, note.name)))
        self._names[note.id] = names
        for key in {key for name in names for key in _keys(name)}:
            self._by_key.setdefault(key, []).append(note.id)

    def remove(self, note: NoteId) -> None:
        """Forget a note; an unknown one is passed over."""
        for key in {key for name in self._names.pop(note, ()) for key in _keys(name)}:
            named = self._by_key[key]
            named.remove(note)
            if not named:
                del self._by_key[key]

    def named(self, text: str) -> Mapping[NoteId, str]:
        """The notes that `text` names, each with the name that agrees; with `.md` or a folder in front too."""
        asked = {text, text.removesuffix(".md").rpartition("/")[2]} - {""}
        notes = {note for one in asked for key in _keys(one) for note in self._by_key.get(key, ())}
        for form in (plain, spaced, gist):
            wanted = {form(one) for one in asked} - {""}
            found = {
                note: name
                for note in notes
                for name in reversed(self._names[note])
                if form(name) in wanted and (form is not gist or any(_is_short_of_little(one, name) for one in asked))
            }
            if found:
                return found
        return {}

    def within(self, text: str) -> Iterator[tuple[NoteId, str]]:
        """The notes one of whose names is a part of `text`, word by word, and which; not all of it, nor only glue.

        Words are what blanks and punctuation part; of a longer text than a query has, the beginning is looked at.
        """
        words = spaced(text).split(" ")[:_MAX_WORDS]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                part = " ".join(words[start:end])
                if end - start < len(words) and part in self._by_key and not all(map(is_stop_word, words[start:end])):
                    for note in self._by_key[part]:
                        name = next((name for name in self._names[note] if spaced(name) == part), "")
                        if name:
                            yield note, name


def plain(text: str) -> str:
    """The folded runs of `text`, joined by blanks; a text without any run: its folded self.

    >>> plain("3.1. Budget"), plain("Reset  the Router?"), plain("…")
    ('3.1 budget', 'reset the router', '...')
    """
    return " ".join(map(fold, runs(text))) or fold(text.strip())


def gist(text: str) -> str:
    """`plain` without glue words, or with them where there is nothing else."""
    return _without_glue(plain(text))


def spaced(text: str) -> str:
    """`plain` with blanks for the dots, hyphens and underscores that join words.

    >>> spaced("3.1. Budget"), spaced("reset-the_router")
    ('3 1 budget', 'reset the router')
    """
    return _taken_apart(plain(text))


def _is_short_of_little(text: str, name: str) -> bool:
    """Whether `text` lacks no more words of the name than the name has without glue.

    >>> _is_short_of_little("what is the hub", "Hub"), _is_short_of_little("peace", "War and Peace")
    (True, False)
    """
    missing = set(plain(name).split(" ")) - set(plain(text).split(" "))
    return len(missing) <= len(gist(name).split(" "))


def _without_glue(words: str) -> str:
    return " ".join(word for word in words.split(" ") if not is_stop_word(word)) or words


def _taken_apart(words: str) -> str:
    return " ".join(_JOINERS.sub(" ", words).split()) or words


def _keys(name: str) -> tuple[str, str]:
    """What a name is looked up by: equal plain forms have equal spaced ones."""
    words = plain(name)
    return _taken_apart(words), _without_glue(words)
