"""Finds the notes that have words of a query exactly as typed, where tokens cannot tell: `$HOME`, `10:30`, `50%`.

Tokens keep letters, digits and what joins them. So `$HOME` and "home" have the same tokens, and a word of a script
without spaces becomes pairs of characters, which may also be parts of two other words. Only the text tells them apart.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from unicodedata import normalize

from attrs import frozen

from search.analysis.tokens import is_dense, runs
from search.budget import Budget
from search.ids import NoteId, has_markdown
from search.query import RankedTerm
from search.vault.hidden import without_hidden
from search.vault.note import Note

_MAX_NOTES = 500  # notes read for one word
_MAX_WORDS = 8  # words of one query
_MAX_CHARS = 60  # of a word; a longer one is a sentence without spaces or an address
_EMPHASIS = "*_~="
_MARKS = "\"'“”„‘’«»‹›()[]{}<>"  # quotes and brackets around a word
_PUNCTUATION = ".,;:!?…。、，！？：；"  # after a word
_IN_NUMBERS = ".,:"  # between two digits these do not end a number


def words_with_signs(terms: Iterable[RankedTerm]) -> tuple[str, ...]:
    """The words that tokens do not keep as typed, in lower case: those with signs, and those without spaces.

    The latter are words of three or more characters in a script that is written without spaces. Each word is returned
    once, the first 8 at most; phrases, tags and terms under an operator are left out.

    >>> words_with_signs(map(RankedTerm, ["(the", "$HOME,", "10:30?", "snow-fox", "C++", "知识图谱", "%"]))
    ('$home', '10:30', '知识图谱')
    """
    found = (_bare(term.text) for term in terms if not term.is_phrase and _is_free(term))
    return tuple(dict.fromkeys(word for word in found if len(word) <= _MAX_CHARS and _has_signs(word)))[:_MAX_WORDS]


def notes_as_typed(
    words: Sequence[str],
    notes: Mapping[NoteId, Note],
    *,
    with_tokens: Callable[[str], frozenset[NoteId]],
    text_of: Callable[[NoteId], str],
    budget: Budget,
) -> Mapping[NoteId, float]:
    """The notes that have any of `words` as typed where a reader sees it, each with the share of them that it has.

    The share is above 0 and at most 1; without words there are no notes. `with_tokens(text)` returns the notes that
    have all tokens of a text. At most 500 notes are read for each word, the first ones by path.

    Raises:
        Cancelled: the budget was cancelled.
    """
    counts: dict[NoteId, int] = {}
    for word in words:
        typed = _Typed.of(word)
        for note in sorted(with_tokens(word))[:_MAX_NOTES]:
            budget.check()
            known = notes.get(note)
            if known is not None and typed.is_in(known, text_of(note)):
                counts[note] = counts.get(note, 0) + 1
    return {note: count / len(words) for note, count in counts.items()}


def _is_free(term: RankedTerm) -> bool:
    """Whether the term is neither a tag nor under an operator; `#` and a number, as in `#123`, is no tag."""
    return not term.is_literal or (term.text[:1] == "#" and term.text[1:].isdigit())


def _bare(text: str) -> str:
    """The word in lower case, without emphasis, quotes and brackets around it and punctuation after it.

    A function keeps its brackets, as in `main()`.
    """
    word = normalize("NFC", text).lower().rstrip(_PUNCTUATION)
    while len(word) > 2 and word[0] == word[-1] and word[0] in _EMPHASIS:
        word = word[1:-1]
    inner = word.strip(_MARKS).rstrip(_PUNCTUATION)
    return word if inner + "()" == word else inner


def _has_signs(word: str) -> bool:
    found = runs(word)
    is_held = found == [word] and not (is_dense(word) and len(word) > 2)
    return bool(found) and not is_held


@frozen
class _Typed:
    """A word as typed, in lower case."""

    word: str
    sign: str  # its first sign: few texts have it, so most need not be searched for the word; else its first character
    is_address: bool  # whether it is a URL

    @classmethod
    def of(cls, word: str) -> "_Typed":
        return cls(word, next((char for char in word if not char.isalnum()), word[0]), "://" in word)

    def is_in(self, note: Note, text: str) -> bool:
        """Whether the note has the word in a name or where a reader sees it; an address counts anywhere."""
        if any(any(True for _ in self._places(name.lower())) for name in (note.title, *note.aliases, note.id)):
            return True
        if self.sign not in text:
            return False
        lower = text.lower()
        is_all_seen = self.is_address or not has_markdown(note.id)
        return any(is_all_seen or self._is_seen(lower, at) for at in self._places(lower))

    def _places(self, lower: str) -> Iterator[int]:
        """The places in a text in lower case where the word begins and is not part of a longer one."""
        at = lower.find(self.word)
        while at >= 0:
            end = at + len(self.word)
            before, after = lower[max(0, at - 2) : at][::-1], lower[end : end + 2]
            if not _goes_on(self.word[0], before) and not _goes_on(self.word[-1], after):
                yield at
            at = lower.find(self.word, at + 1)

    def _is_seen(self, lower: str, at: int) -> bool:
        start, end = lower.rfind("\n", 0, at) + 1, lower.find("\n", at)
        return self.word in without_hidden(lower[start : end if end >= 0 else len(lower)])[0]


def _goes_on(edge: str, outside: str) -> bool:
    """Whether a word goes on beyond its first or last character `edge` with the characters `outside`, nearest first."""
    if not outside or is_dense(edge) or is_dense(outside[0]):
        return False
    if edge.isdigit() and outside[0] in _IN_NUMBERS:
        return outside[1:].isdigit()
    return outside[0].isalnum()
