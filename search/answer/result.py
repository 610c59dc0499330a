"""A whole answer: the hits with their excerpts, and everything a person should know about how they came about."""

from collections.abc import Mapping

from attrs import field, frozen

from search.answer.notice import Notice
from search.answer.ranking import Hit
from search.ids import NoteId


@frozen
class Snippet:
    """One excerpt, a line of the note or a part of it.

    `highlights` are half-open ranges of `text` in characters (Python indices). `line` counts from 0 in the file and
    `start_char` is where `text` begins in that line, so that a client can select the match itself.
    """

    text: str
    line: int
    start_char: int = 0
    highlights: tuple[tuple[int, int], ...] = ()


@frozen
class FoundSection:
    """A heading of the note below which something matched; `line` counts from 0."""

    heading_path: tuple[str, ...]
    line: int


@frozen(kw_only=True)
class FoundNote:
    """One result as it is shown: the hit itself, with what a list needs so that nobody has to open the file."""

    hit: Hit[NoteId]
    title: str
    sentence: str  # why it stands here, for a person
    snippets: tuple[Snippet, ...] = ()
    sections: tuple[FoundSection, ...] = ()


@frozen(kw_only=True)
class SearchResult:
    """The answer to one query. `total` counts all notes that matched, before `limit` cut them."""

    hits: tuple[FoundNote, ...] = ()
    notices: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(factory=dict)  # step -> milliseconds, in the order of work
    mode: str = "keyword"  # hybrid, keyword or vector: which sources took part
    total: int = 0
    is_complete: bool = True  # False while notes are still being read
    generation: int = 0  # the state of the vault that was searched; grows with every change
    terms: tuple[str, ...] = ()  # what was looked for, as typed, folded
    suggested: tuple[str, ...] = ()  # words besides that a chat model named, folded
    variants: tuple[str, ...] = ()  # other wordings that it gave
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
