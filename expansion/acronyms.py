"""What an acronym means: from a list, and from definitions in the vault such as "Reciprocal Rank Fusion (RRF)".

The trick: nothing is collected while the vault is read. The first query with an acronym reads the notes that contain
it, which the postings name. What a note defines is cached until the note changes, so a vault without such queries pays
nothing.

Expansion works both ways: a query for "reciprocal rank fusion" also finds notes that only say RRF.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from attrs import Factory, define

from expansion.tables import TomlTable
from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import runs
from search.budget import Budget
from search.errors import ConfigError
from search.ids import NoteId
from search.query import QueryExpansion
from search.vault.note import Note

if TYPE_CHECKING:
    from search.execution.understanding import VaultView

MAX_MEANINGS = 3  # of one acronym
MAX_LOOKED_UP = 24  # acronyms per query
_MAX_NOTES = 400  # a token in more notes than this is treated as a word that needs no explanation
_MAX_NOTES_LOWER = 50  # the same limit for a token typed in lower case
_ACRONYM = re.compile(r"(?=.*[^\W\d_].*[^\W\d_])[^\W_]{2,8}")
_PHRASE_WORDS = range(2, 7)
_MAX_DISTANCE = 160  # characters from the first word of a meaning to its acronym
_MAX_CACHED = 4096  # acronyms in the cache of one vault

Acronyms = Mapping[str, tuple[str, ...]]
"""Folded acronym -> its meanings, as written."""


@define(eq=False)
class AcronymBook:
    """The list, and the definitions that were read from one vault so far. Threads may share it."""

    known: Acronyms
    _defined: dict[str, dict[NoteId, tuple[Note, tuple[str, ...]]]] = Factory(dict)
    _lock: threading.Lock = Factory(threading.Lock)

    def expand(self, text: str, vault: "VaultView", *, budget: Budget) -> tuple[QueryExpansion, ...]:
        """The meanings of the acronyms in `text`, then the acronyms of its phrases; none that `text` itself contains.

        Raises:
            Cancelled: the budget was cancelled.
        """
        typed = runs(text)[:64]
        folded = [fold(run) for run in typed]
        query = f" {' '.join(folded)} "
        found: dict[str, QueryExpansion] = {}
        looked_up = [*self._acronyms_of(typed), *self._phrases_of(folded)][:MAX_LOOKED_UP]
        for acronym, phrase in looked_up:
            limit = _MAX_NOTES if phrase or not acronym.islower() else _MAX_NOTES_LOWER
            for meaning, where in self._meanings(fold(acronym), vault, limit, budget):
                if phrase and fold(meaning) == phrase:
                    found.setdefault(fold(acronym), _expansion(phrase, acronym.upper(), where))
                elif not phrase and f" {fold(meaning)} " not in query:
                    found.setdefault(fold(meaning), _expansion(acronym, meaning, where))
        return tuple(found.values())

    def _acronyms_of(self, typed: list[str]) -> Iterator[tuple[str, str]]:
        """The words that may be acronyms, each with an empty phrase."""
        for run in dict.fromkeys(typed):
            if _ACRONYM.fullmatch(run) and not is_stop_word(fold(run)) and (run.isupper() or len(run) <= 6):
                yield run, ""

    def _phrases_of(self, folded: list[str]) -> Iterator[tuple[str, str]]:
        """The acronyms that the initials of phrases form, each with its phrase."""
        words = [word for run in folded for word in run.split("-") if word]
        for n_words in reversed(_PHRASE_WORDS):
            for at in range(len(words) - n_words + 1):
                chosen = words[at : at + n_words]
                if not (is_stop_word(chosen[0]) or is_stop_word(chosen[-1])):
                    yield "".join(word[0] for word in chosen), " ".join(chosen)

    def _meanings(self, acronym: str, vault: "VaultView", limit: int, budget: Budget) -> Iterator[tuple[str, str]]:
        """The meanings in the list, then those in the vault by frequency, each with a note that defines it or ""."""
        for meaning in self.known.get(acronym, ())[:MAX_MEANINGS]:
            yield meaning, ""
        defined = self._defined_in(vault, acronym, limit, budget)
        counts: Counter[str] = Counter(fold(meaning) for meanings in defined.values() for meaning in meanings)
        for folded, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_MEANINGS]:
            where = min(note for note, meanings in defined.items() if folded in map(fold, meanings))
            yield next(meaning for meaning in defined[where] if fold(meaning) == folded), where

    def _defined_in(
        self, vault: "VaultView", acronym: str, limit: int, budget: Budget
    ) -> Mapping[NoteId, tuple[str, ...]]:
        names = vault.notes_with_token(acronym, limit)
        if not names:
            return {}
        with self._lock:
            before = self._defined.get(acronym, {})
        now: dict[NoteId, tuple[Note, tuple[str, ...]]] = {}
        for name in names:
            note = vault.notes.get(name)
            if note is None:
                continue
            if (known := before.get(name)) is None or known[0] is not note:
                budget.check()
                known = (note, definitions(vault.text_of(name), acronym))
            now[name] = known
        with self._lock:
            if len(self._defined) >= _MAX_CACHED:
                self._defined.clear()
            self._defined[acronym] = now
        return {name: meanings for name, (_, meanings) in now.items() if meanings}


def _expansion(typed: str, text: str, where: str) -> QueryExpansion:
    """An expansion of what the user `typed`; `where` is a note with the definition, "" for the list."""
    return QueryExpansion(typed, text, f"{typed}: {text}{f', as in {where}' if where else ''}")


def definitions(text: str, acronym: str) -> tuple[str, ...]:
    """The meanings that `text` gives a folded `acronym`: the words before "(RRF)" and those in brackets after "RRF".

    >>> definitions("We use Reciprocal Rank Fusion (RRF). A map of content (MOC) helps.", "rrf")
    ('Reciprocal Rank Fusion',)
    """
    upper = acronym.upper()
    if f"({upper}" not in text and f"{upper} (" not in text:
        return ()
    found: dict[str, None] = {}
    for match in re.finditer(rf"\({re.escape(upper)}s?\)", text):
        before = text[max(0, match.start() - _MAX_DISTANCE) : match.start()]
        if meaning := _tail_with_initials(re.split(r"[\n.;:!?()\[\]|]", before)[-1], acronym):
            found[meaning] = None
    for match in re.finditer(rf"(?<!\w){re.escape(upper)}s? \(([^()\n]{{3,{_MAX_DISTANCE}}})\)", text):
        if _tail_with_initials(match[1], acronym) == match[1].strip():
            found[match[1].strip()] = None
    return tuple(found)


def _tail_with_initials(text: str, acronym: str) -> str:
    """The last words of `text` whose initials, with or without those of stop words, are `acronym`; "" for none."""
    words = [(match[0], match.start()) for match in re.finditer(r"[^\W_]+", text)]
    initials = strict = ""
    for word, start in reversed(words[-2 * len(acronym) :]):
        initial = fold(word)[:1]
        initials = initial + initials
        strict = ("" if is_stop_word(fold(word)) else initial) + strict
        if acronym in (initials, strict) and not (acronym == strict != initials and is_stop_word(fold(word))):
            return text[start:].strip(" *_`\"'“”„«»")
    return ""


def read_acronyms(table: TomlTable) -> Acronyms:
    """The acronyms of a table `acronyms`.

    Raises:
        ConfigError: a key is not an acronym, or its value is not a list of meanings.
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
