"""A whole answer: the hits with their excerpts, and everything a person should know about how they came about."""

from collections.abc import Mapping

from attrs import field, frozen

from search.answer.ranking import Hit
from search.ids import NoteId
from search.notice import Notice

_ELLIPSIS = "…"


@frozen
class Snippet:
    """One excerpt, a line of the note or a part of it.

    `highlights` are half-open ranges of `text` in characters (Python indices). `line` counts from 0 in the file and
    `start_char` is where `text` begins in that line, so that a client can select the match itself. Where the line
    goes on before or behind, markup aside, the excerpt is cut and `shown` says so.
    """

    text: str
    line: int
    start_char: int = 0
    highlights: tuple[tuple[int, int], ...] = ()
    is_cut_before: bool = field(default=False, kw_only=True)
    is_cut_after: bool = field(default=False, kw_only=True)

    @property
    def shown(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text as a person reads it, with an ellipsis where it is cut, and the highlights in that.

        >>> Snippet("oak tree", 0, 9, ((0, 3),), is_cut_before=True).shown
        ('… oak tree', ((2, 5),))
        """
        before = f"{_ELLIPSIS} " if self.is_cut_before else ""
        after = f" {_ELLIPSIS}" if self.is_cut_after else ""
        shift = len(before)
        return before + self.text + after, tuple((start + shift, end + shift) for start, end in self.highlights)


@frozen
class FoundSection:
    """A heading of the note below which something matched; `line` counts from 0."""

    heading_path: tuple[str, ...]
    line: int


@frozen(kw_only=True)
class LinkedNote:
    """A note one link away from a result; `is_backlink` where it is that note which links to it."""

    note: NoteId
    title: str
    types: tuple[str, ...]  # of the links, see `search.vault.note.Link.type`
    is_backlink: bool


@frozen(kw_only=True)
class FoundNote:
    """One result as it is shown: the hit itself, with what a list needs so that nobody has to open the file."""

    hit: Hit[NoteId]
    title: str
    sentence: str  # why it stands here, for a person
    snippets: tuple[Snippet, ...] = ()
    sections: tuple[FoundSection, ...] = ()
    staleness: str = ""  # fresh, aging or stale, where the design tells
    linked: tuple[LinkedNote, ...] = ()  # where the query asks for them


@frozen(kw_only=True)
class SearchResult:
    """The answer to one query. `total` counts all notes that matched, before `limit` cut them."""

    hits: tuple[FoundNote, ...] = ()
    notices: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(factory=dict)  # step -> milliseconds, in the order of work
    mode: str = "keyword"  # hybrid, keyword or vector: which sources took part
    search_type: str = "keyword"  # the same, or fulltext_fallback where meaning was asked and said nothing
    total: int = 0
    is_complete: bool = True  # False while notes are still being read
    generation: int = 0  # the state of the vault that was searched; grows with every change
    terms: tuple[str, ...] = ()  # what was looked for, as typed, folded
    suggested: tuple[str, ...] = ()  # words besides that a chat model named, folded
    variants: tuple[str, ...] = ()  # other wordings that it gave
    concepts: tuple[str, ...] = ()  # words of the vault that the query's meaning was searched together with
    passage: str = ""  # a passage by it that might answer the question


@frozen(kw_only=True)
class Reason:
    """Why one note stands where it does in the answer to one query, or at which step it fell out."""

    note: NoteId
    rank: int | None  # from 1 among all that were ranked, None when it is not among them
    total: int
    step: str  # the step that decided: "ranked", "limit", "candidates", "grep", "filter", "excluded", "missing" …
    sentence: str
    found: FoundNote | None = None
    last_shown: FoundNote | None = None  # the note just above the cut, to compare with
    notices: tuple[Notice, ...] = ()
