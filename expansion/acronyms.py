"""What an acronym stands for: by a list, and by the vault's own words, "Reciprocal Rank Fusion (RRF)".

Nothing is collected while notes are read. The first query that holds an acronym looks through the notes that hold it,
which the postings name; what a note says is remembered for as long as the note stays the same. So a vault without such
a query pays nothing, and a note that changes is looked at once.

It goes both ways: who asks for "reciprocal rank fusion" finds the notes that say RRF and no more.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from attrs import Factory, define, frozen

from expansion.tables import Table
from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import runs
from search.budget import Budget
from search.errors import ConfigError
from search.ids import NoteId
from search.vault.note import Note

MAX_MEANINGS = 3  # of one acronym
MAX_LOOKED_UP = 24  # acronyms of one query
_MAX_NOTES = 400  # that hold one are looked through; a word of more notes is no acronym that needs explaining
_MAX_NOTES_UNSURE = 50  # the same for what is typed in small letters
_ACRONYM = re.compile(r"(?=.*[^\W\d_].*[^\W\d_])[^\W_]{2,8}")
_PHRASE_WORDS = range(2, 7)
_MOST_CHARACTERS = 160  # between the first word of a meaning and its acronym
_MOST_WORDS = 4096  # in the cache of one vault

Acronyms = Mapping[str, tuple[str, ...]]
"""Folded acronym -> its meanings, as written."""


@frozen
class Meant:
    """Words that a query may mean besides. `typed` stands in it, `where` is a note that says so, or "" for the list."""

    typed: str
    text: str
    where: str = ""

    @property
    def clause(self) -> str:
        """The reason, for a person."""
        return f"{self.typed}: {self.text}{f', as in {self.where}' if self.where else ''}"


@frozen(kw_only=True)
class Words:
    """What acronyms need to know of a vault.

    `notes_with_token` gives the notes that hold a folded token, None where there are more than the number passed.
    """

    notes: Mapping[NoteId, Note]
    notes_with_token: Callable[[str, int], frozenset[NoteId] | None]
    text_of: Callable[[NoteId], str]


@define(eq=False)
class AcronymBook:
    """The list, and what one vault's notes have said so far. Threads may share it."""

    known: Acronyms
    _said: dict[str, dict[NoteId, tuple[Note, tuple[str, ...]]]] = Factory(dict)
    _lock: threading.Lock = Factory(threading.Lock)

    def expand(self, text: str, words: Words, *, budget: Budget) -> tuple[Meant, ...]:
        """What the acronyms of `text` stand for, then the acronyms of its phrases; nothing that it says itself.

        Raises:
            Cancelled: nobody waits any more.
        """
        typed = runs(text)[:64]
        folded = [fold(run) for run in typed]
        said = f" {' '.join(folded)} "
        found: dict[str, Meant] = {}
        looked_up = [*self._acronyms_of(typed), *self._phrases_of(folded)][:MAX_LOOKED_UP]
        for acronym, phrase in looked_up:
            limit = _MAX_NOTES if phrase or not acronym.islower() else _MAX_NOTES_UNSURE
            for meaning, where in self._meanings(fold(acronym), words, limit, budget):
                if phrase and fold(meaning) == phrase:
                    found.setdefault(fold(acronym), Meant(phrase, acronym.upper(), where))
                elif not phrase and f" {fold(meaning)} " not in said:
                    found.setdefault(fold(meaning), Meant(acronym, meaning, where))
        return tuple(found.values())

    def _acronyms_of(self, typed: list[str]) -> Iterator[tuple[str, str]]:
        for run in dict.fromkeys(typed):
            if _ACRONYM.fullmatch(run) and not is_stop_word(fold(run)) and (run.isupper() or len(run) <= 6):
                yield run, ""

    def _phrases_of(self, folded: list[str]) -> Iterator[tuple[str, str]]:
        """Words side by side, with the acronym that they would make."""
        words = [word for run in folded for word in run.split("-") if word]
        for n_words in reversed(_PHRASE_WORDS):
            for at in range(len(words) - n_words + 1):
                chosen = words[at : at + n_words]
                if not (is_stop_word(chosen[0]) or is_stop_word(chosen[-1])):
                    yield "".join(word[0] for word in chosen), " ".join(chosen)

    def _meanings(self, acronym: str, words: Words, limit: int, budget: Budget) -> Iterator[tuple[str, str]]:
        """The meanings with a note that says so: the list's first, then the vault's, most often said first."""
        for meaning in self.known.get(acronym, ())[:MAX_MEANINGS]:
            yield meaning, ""
        said = self._said_by_vault(acronym, words, limit, budget)
        counts: Counter[str] = Counter(fold(meaning) for meanings in said.values() for meaning in meanings)
        for folded, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_MEANINGS]:
            where = min(note for note, meanings in said.items() if folded in map(fold, meanings))
            yield next(meaning for meaning in said[where] if fold(meaning) == folded), where

    def _said_by_vault(
        self, acronym: str, words: Words, limit: int, budget: Budget
    ) -> Mapping[NoteId, tuple[str, ...]]:
        holding = words.notes_with_token(acronym, limit)
        if not holding:
            return {}
        with self._lock:
            before = self._said.get(acronym, {})
        now: dict[NoteId, tuple[Note, tuple[str, ...]]] = {}
        for name in holding:
            note = words.notes.get(name)
            if note is None:
                continue
            if (known := before.get(name)) is None or known[0] is not note:
                budget.check()
                known = (note, definitions(words.text_of(name), acronym))
            now[name] = known
        with self._lock:
            if len(self._said) >= _MOST_WORDS:
                self._said.clear()
            self._said[acronym] = now
        return {name: meanings for name, (_, meanings) in now.items() if meanings}


def definitions(text: str, acronym: str) -> tuple[str, ...]:
    """The meanings of a folded `acronym` that a text gives: words before "(RRF)", and in brackets after "RRF (".

    >>> definitions("We use Reciprocal Rank Fusion (RRF). A map of content (MOC) helps.", "rrf")
    ('Reciprocal Rank Fusion',)
    """
    upper = acronym.upper()
    if f"({upper}" not in text and f"{upper} (" not in text:
        return ()
    found: dict[str, None] = {}
    for match in re.finditer(rf"\({re.escape(upper)}s?\)", text):
        before = text[max(0, match.start() - _MOST_CHARACTERS) : match.start()]
        if meaning := _tail_with_initials(re.split(r"[\n.;:!?()\[\]|]", before)[-1], acronym):
            found[meaning] = None
    for match in re.finditer(rf"(?<!\w){re.escape(upper)}s? \(([^()\n]{{3,{_MOST_CHARACTERS}}})\)", text):
        if _tail_with_initials(match[1], acronym) == match[1].strip():
            found[match[1].strip()] = None
    return tuple(found)


def _tail_with_initials(text: str, acronym: str) -> str:
    """The last words of `text` whose initials are `acronym`, with or without those of glue words; else ""."""
    words = [(match[0], match.start()) for match in re.finditer(r"[^\W_]+", text)]
    initials = strict = ""
    for word, start in reversed(words[-2 * len(acronym) :]):
        initial = fold(word)[:1]
        initials = initial + initials
        strict = ("" if is_stop_word(fold(word)) else initial) + strict
        if acronym in (initials, strict) and not (acronym == strict != initials and is_stop_word(fold(word))):
            return text[start:].strip(" *_`\"'“”„«»")
    return ""


def read_acronyms(table: Table) -> Acronyms:
    """The list of a table `acronyms`.

    Raises:
        ConfigError: a key is no acronym, or its value no list of meanings.
    """
    found: dict[str, tuple[str, ...]] = {}
    for acronym in table.values:
        if not _ACRONYM.fullmatch(acronym):
            raise ConfigError(f"{table.path}.{acronym}", acronym, "an acronym of 2 to 8 letters and digits")
        meanings = table.texts(acronym)
        if not all(runs(meaning) for meaning in meanings):
            raise ConfigError(f"{table.path}.{acronym}", list(meanings), "a list of meanings, each of some words")
        key = fold(acronym)
        found[key] = (*found.get(key, ()), *meanings)
    return found
