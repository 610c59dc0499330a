"""The answer to a query: the hits with excerpts and explanations, and notices about how they were found."""

from collections.abc import Mapping

from attrs import field, frozen

from search.answer.ranking import Hit
from search.answer.strength import StrengthDerivation, in_a_word
from search.ids import NoteId
from search.notice import Notice

_ELLIPSIS = "…"
MISSING = "missing"  # the step of a reason for a note that does not exist


@frozen
class Snippet:
    """One excerpt: a line of the note or a part of it.

    `highlights` are half-open ranges of `text` in characters (Python indices). `line` counts from 0 in the file, and
    `text` begins at character `start_char` of that line, so a client can select the match itself. The excerpt is cut if
    the line has more text before or after it, apart from markup; `shown` marks the cuts.
    """

    text: str
    line: int
    start_char: int = 0
    highlights: tuple[tuple[int, int], ...] = ()
    fragment: str = field(default="", kw_only=True)  # names a canvas's card, a notebook's cell or a page, without `#`
    file_line: int | None = field(default=None, kw_only=True)  # of that card or cell; None: it is `line`
    is_cut_before: bool = field(default=False, kw_only=True)
    is_cut_after: bool = field(default=False, kw_only=True)
    page: int = field(default=0, kw_only=True)  # from 1; 0 in a note without pages
    page_label: str = field(default="", kw_only=True)  # as a reader sees it: "iv"
    is_of_linking_note: bool = field(default=False, kw_only=True)  # then its line is 0, which is no place in the file

    @property
    def shown(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text for people, with an ellipsis at each cut, and the highlights in this text.

        >>> Snippet("oak tree", 0, 9, ((0, 3),), is_cut_before=True).shown
        ('… oak tree', ((2, 5),))
        """
        before = f"{_ELLIPSIS} " if self.is_cut_before else ""
        after = f" {_ELLIPSIS}" if self.is_cut_after else ""
        shift = len(before)
        return before + self.text + after, tuple((start + shift, end + shift) for start, end in self.highlights)


@frozen
class FoundSection:
    """A heading of the note with matches in its section; `line` counts from 0."""

    heading_path: tuple[str, ...]
    line: int


@frozen(kw_only=True)
class LinkedNote:
    """A note one link away from a result; `is_backlink` if the note links to the result."""

    note: NoteId
    title: str
    types: tuple[str, ...]  # of the links, see `search.vault.note.Link.type`
    is_backlink: bool


@frozen(kw_only=True)
class FoundNote:
    """One result for display: the hit, with all that a list of results needs."""

    hit: Hit[NoteId]
    title: str
    sentence: str  # why it was found, for a person
    strength: float | None = None  # 0..1, see `search.answer.strength`; None if there is nothing to compare it with
    derivation: StrengthDerivation | None = None  # of the strength; None if the strength is the score
    snippets: tuple[Snippet, ...] = ()
    sections: tuple[FoundSection, ...] = ()
    staleness: str = ""  # fresh, aging or stale; empty if the preset does not say
    linked: tuple[LinkedNote, ...] = ()  # if the query asks for linked notes

    @property
    def strength_level(self) -> str:
        """The strength in a word; empty if there is none, and for a related note, as its score has another scale."""
        return "" if self.derivation is None else in_a_word(self.derivation.value)


@frozen(kw_only=True)
class SearchResult:
    """The answer to one query. `total` counts all notes that matched, before the cut to `limit`."""

    hits: tuple[FoundNote, ...] = ()
    notices: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(factory=dict)  # step -> milliseconds, in the order of work
    mode: str = "keyword"  # hybrid, keyword or vector: which sources took part
    search_type: str = "keyword"  # the same, or fulltext_fallback if semantic search was requested but impossible
    total: int = 0
    is_complete: bool = True  # False while notes are still being read
    generation: int = 0  # number of the vault's state that was searched; grows with every change
    terms: tuple[str, ...] = ()  # the words that were searched for, as typed, folded
    suggested: tuple[str, ...] = ()  # further words, suggested by a chat model, folded
    variants: tuple[str, ...] = ()  # rephrased queries from a chat model
    concepts: tuple[str, ...] = ()  # words of the vault that were embedded together with the query
    passage: str = ""  # a passage from a chat model that might answer the question


@frozen(kw_only=True)
class Reason:
    """The reason for one note's rank in the answer to one query, or the step that left it out."""

    note: NoteId
    rank: int | None  # from 1 among all ranked notes; None if it is not among them
    total: int
    step: str  # the step that decided: "ranked", "limit", "candidates", "grep", "filter", "excluded", MISSING …
    sentence: str
    found: FoundNote | None = None
    last_shown: FoundNote | None = None  # the last note of the answer, for comparison
    notices: tuple[Notice, ...] = ()
