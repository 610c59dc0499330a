"""Finds notes by name: by title, alias or file name.

Names are compared run by run and folded, so case, accents and punctuation make no difference. If no name equals the
query, words joined by dots, hyphens and underscores are separated ("reset the router" finds reset-the-router.md). If
there is still no match, stop words are ignored: "how do I reset the router?" finds "Reset the router". Then the query
must not lack more words of a name than the name has content words (words that are not stop words). So "peace" does not
find "War and Peace": the query lacks two words, and "peace" is the only content word, since "war" is a stop word in
German.
"""

import re
from collections.abc import Iterator, Mapping

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import runs
from search.cache.plain_values import pack, unpack
from search.ids import NoteId
from search.vault.note import Note

_MAX_WORDS = 64  # words of a query that are searched for names
_LONGEST = 8  # words of a name in a query
_JOINERS = re.compile(r"[._\-]+")


class NameIndex:
    """The names of all notes, updated note by note; not thread-safe."""

    def __init__(self) -> None:
        self._by_key: dict[str, list[NoteId]] = {}  # each note once
        self._names: dict[NoteId, tuple[str, ...]] = {}

    def update(self, note: Note) -> None:
        """Add a note, or replace its names."""
        self.remove(note.id)
        names = tuple(dict.fromkeys((note.title, *note.aliases, note.name)))
        self._names[note.id] = names
        for key in {key for name in names for key in _keys(name)}:
            self._by_key.setdefault(key, []).append(note.id)

    def remove(self, note: NoteId) -> None:
        """Remove a note; an unknown one is ignored."""
        for key in {key for name in self._names.pop(note, ()) for key in _keys(name)}:
            notes = self._by_key[key]
            notes.remove(note)
            if not notes:
                del self._by_key[key]

    def saved(self) -> bytes:
        """The index for a snapshot; `restore` reads it."""
        return pack((self._by_key, self._names))

    def restore(self, saved: bytes) -> None:
        """Replace an empty index by a saved one."""
        self._by_key, self._names = unpack(saved)

    def notes_named(self, text: str) -> Mapping[NoteId, str]:
        """The notes that `text` names, each with the matching name; `text` may begin with a folder and end in `.md`."""
        return next(self._by_form(text), {})

    def notes_named_in_any_form(self, text: str) -> Mapping[NoteId, str]:
        """Like `notes_named`, but a note counts even if another one has a name closer to `text`."""
        named: dict[NoteId, str] = {}
        for found in self._by_form(text):
            named = {**found, **named}
        return named

    def _by_form(self, text: str) -> Iterator[Mapping[NoteId, str]]:
        """The notes that `text` names in each form, the closest form first; forms without notes are left out."""
        queries = _queries(text)
        notes = {note for query in queries for key in _keys(query) for note in self._by_key.get(key, ())}
        for form in (normalized, without_joiners, without_stop_words):
            wanted = {form(query) for query in queries} - {""}
            found = {
                note: name
                for note in notes
                for name in reversed(self._names[note])
                if form(name) in wanted
                and (form is not without_stop_words or any(_has_enough_of(query, name) for query in queries))
            }
            if found:
                yield found

    def notes_mentioned_in(self, text: str) -> Iterator[tuple[NoteId, str]]:
        """The notes with a name that is part of `text`, word by word, and that name.

        A name that is all of `text`, or nothing but stop words, does not count. Only the first 64 words of `text` are
        searched.
        """
        words = without_joiners(text).split(" ")[:_MAX_WORDS]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                part = " ".join(words[start:end])
                if end - start < len(words) and part in self._by_key and not all(map(is_stop_word, words[start:end])):
                    for note in self._by_key[part]:
                        name = next((name for name in self._names[note] if without_joiners(name) == part), "")
                        if name:
                            yield note, name


def is_name(text: str, name: str) -> bool:
    """Whether `text` is the name, and not only the same words with other joiners or without stop words.

    >>> is_name("Notes/Snow fox.md", "snow FOX"), is_name("snow-fox", "Snow fox")
    (True, False)
    """
    return normalized(name) in map(normalized, _queries(text))


def _queries(text: str) -> set[str]:
    """What `text` may name: as it stands, and as a file, whose folder and extension are not part of its name."""
    return {text, text.removesuffix(".md").rpartition("/")[2]} - {""}


def normalized(text: str) -> str:
    """The folded runs of `text`, joined by spaces; the folded text if it has no run.

    >>> normalized("3.1. Budget"), normalized("Reset  the Router?"), normalized("…")
    ('3.1 budget', 'reset the router', '...')
    """
    return " ".join(map(fold, runs(text))) or fold(text.strip())


def without_stop_words(text: str) -> str:
    """The normalized text without stop words, unless it has nothing else."""
    return _drop_stop_words(normalized(text))


def without_joiners(text: str) -> str:
    """The normalized text with spaces in place of dots, hyphens and underscores.

    >>> without_joiners("3.1. Budget"), without_joiners("reset-the_router")
    ('3 1 budget', 'reset the router')
    """
    return _drop_joiners(normalized(text))


def _has_enough_of(text: str, name: str) -> bool:
    """Whether `text` lacks at most as many words of the name as the name has content words (not stop words).

    >>> _has_enough_of("what is the hub", "Hub"), _has_enough_of("peace", "War and Peace")
    (True, False)
    """
    missing = set(normalized(name).split(" ")) - set(normalized(text).split(" "))
    return len(missing) <= len(without_stop_words(name).split(" "))


def _drop_stop_words(words: str) -> str:
    return " ".join(word for word in words.split(" ") if not is_stop_word(word)) or words


def _drop_joiners(words: str) -> str:
    return " ".join(_JOINERS.sub(" ", words).split()) or words


def _keys(name: str) -> tuple[str, str]:
    """The keys under which a name is found; names with the same normalized form have the same keys."""
    words = normalized(name)
    return _drop_joiners(words), _drop_stop_words(words)
