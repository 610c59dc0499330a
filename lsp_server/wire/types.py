"""The messages of `vaultseek/*`: snake_case here, camelCase on the wire; fields whose value is `None` are omitted.

These classes are the protocol. `PROTOCOL.md` describes each of them and carries a hash of this file and of the
TypeScript generated from it, so that no message changes unseen. Ranges are defined here once: `decode.py` checks them,
and `encode.py` fills the answers. An answer contains values of the search core as they are; `wire_fields` tells how
each of their fields is named on the wire.
"""

from collections.abc import Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_type_hints

import attrs
from attrs import field, frozen

from lsp_server.wire.fields import InRange, UpTo, camel
from search.answer.evidence import FieldMatch, FolderEvidence, GraphEvidence, LinkEvidence, Passage
from search.answer.result import FoundSection
from search.answer.strength import StrengthDerivation, WordStrength
from search.answer.term_score import FrequencyPart
from search.answer.trail import Found, Fused, Replaced, Scaled, Step
from search.notice import Notice
from search.query import Linked

METHOD_SEARCH = "vaultseek/search"
METHOD_EXPLAIN = "vaultseek/explain"
METHOD_CONTEXT = "vaultseek/context"
METHOD_RELATED = "vaultseek/related"
METHOD_TEXT = "vaultseek/text"
METHOD_STATUS = "vaultseek/status"
COMMAND_UPDATE = "vaultseek.updateIndex"
COMMAND_REBUILD = "vaultseek.rebuildIndex"
COMMAND_CLEAR = "vaultseek.clearIndex"
COMMAND_COLLECT = "vaultseek.collectGarbage"

Token = int | str
"""A client's name for a stream of `$/progress` notifications."""

MAX_UINTEGER = 2**31 - 1
"""The largest line or column number (LSP, `uinteger`)."""


@frozen(kw_only=True)
class SearchOptions:
    """How to search. A field that is absent or null takes its default, which follows each field."""

    max_results: int | None = field(default=None, validator=InRange(1, 100))  # 30
    candidate_limit: int | None = field(default=None, validator=InRange(10, 1000))  # 500
    rrf_k: int | None = field(default=None, validator=InRange(1, 100))  # 60
    enable_semantic: bool | None = None  # true; false means mode keyword
    semantic_weight: float | None = field(default=None, validator=InRange(0, 1))  # the model's own: 0.5
    semantic_scope: Literal["vault", "candidates"] | None = None  # vault
    salient_terms: tuple[str, ...] = field(default=(), validator=UpTo(100))  # ranked together with the query's words
    preset: str | None = None  # the preset of the settings
    mode: Literal["hybrid", "keyword", "vector"] | None = None  # hybrid
    level: Literal["note", "file"] | None = None  # note; file matches names and paths only
    depth: int | None = field(default=None, validator=InRange(0, 5))  # how many links to follow; the preset's
    link_types: tuple[str, ...] = field(default=(), validator=UpTo(100))  # follow only links of these types
    include_linked: bool = False  # whether each result lists the notes linked with it
    include_terms: bool = False  # whether trails have the terms of a BM25F score; vaultseek/explain always has them
    doc_type: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only notes of one of these kinds
    folder: str | None = None  # only notes in this folder or below it
    tags: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only notes with all of these tags
    types: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only files of these types, such as md and pdf
    limit_to: tuple[str, ...] = field(default=(), validator=UpTo(100_000))  # only these notes, by id or URI


@frozen(kw_only=True)
class SearchParams:
    """A query. `vault` is a folder's URI, required when several vaults are open."""

    query: str
    options: SearchOptions = SearchOptions()
    vault: str | None = None
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


@frozen(kw_only=True)
class ContextParams:
    """A question, and the most tokens that the answer's text may take."""

    query: str
    max_tokens: int = field(default=4_000, validator=InRange(100, 1_000_000))
    options: SearchOptions = SearchOptions()
    vault: str | None = None
    work_done_token: Token | None = None


@frozen(kw_only=True)
class ExplainParams:
    """A query and one note, named by its id or its URI."""

    query: str
    note: str
    options: SearchOptions = SearchOptions()
    vault: str | None = None
    work_done_token: Token | None = None


@frozen
class WirePosition:
    """A place in a note: line from 0, character in the agreed position encoding."""

    line: int = field(validator=InRange(0, MAX_UINTEGER))
    character: int = field(validator=InRange(0, MAX_UINTEGER))


@frozen
class WireRange:
    """A half-open range of positions."""

    start: WirePosition
    end: WirePosition


@frozen(kw_only=True)
class WireDocument:
    """A note, named by its URI."""

    uri: str


@frozen(kw_only=True)
class RelatedParams:
    """A request for notes related to a note, to one of its sections (`heading`) or to a range of its lines.

    `range` wins over `heading`; an empty range counts as absent. `linked` is about notes that are linked already.
    """

    text_document: WireDocument
    heading: str | None = None
    range: WireRange | None = None
    linked: Linked = Linked.INCLUDE
    limit: int = field(default=10, validator=InRange(1, 100))
    vault: str | None = None
    work_done_token: Token | None = None


@frozen(kw_only=True)
class TextParams:
    """A request for the text of a file as it is searched."""

    text_document: WireDocument
    vault: str | None = None
    work_done_token: Token | None = None


@frozen(kw_only=True)
class VaultParams:
    """The parameters of `vaultseek/status` and the only argument of a command; both may be absent.

    `vault` is a folder's URI. None means all vaults in a status, and the one that is open in a command.
    """

    vault: str | None = None


@frozen(kw_only=True)
class WireSnippet:
    """An excerpt of one line: its place, and what to highlight, both in the note and in `text` itself."""

    text: str
    range: WireRange
    highlights: tuple[WireRange, ...]  # places in the note
    marks: tuple[tuple[int, int], ...]  # the same as columns of `text`
    fragment: str | None = None  # names the card of a canvas, the cell of a notebook or the page, without `#`
    page: int | None = None  # of a file with pages, from 1
    page_label: str | None = None  # if it is not the number
    text_range: WireRange | None = None  # of its first match in the answer to `vaultseek/text`, if `range` is not there


@frozen(kw_only=True)
class WireExplanation:
    """Why a note has its rank (designs/3, Data Model), and the trail from which its score can be recomputed."""

    lexical_matches: tuple[FieldMatch, ...]
    exact_name: str | None = None
    semantic_score: float | None = None  # raw cosine, -1..1
    semantic_lines: tuple[int, int] | None = None  # the passage with that cosine: half-open, from 0
    folder_boost: FolderEvidence | None = None
    graph_connections: GraphEvidence | None = None
    link: LinkEvidence | None = None
    passages: tuple[Passage, ...] | None = None  # the best ones, where the score combines several
    base_score: float
    final_score: float
    trail: tuple[Step, ...]
    strength: StrengthDerivation | None = None  # the facts from which the strength can be recomputed


@frozen(kw_only=True)
class WireLinked:
    """A note that a result links to, or that links to the result (`is_backlink`)."""

    id: str
    uri: str
    title: str
    types: tuple[str, ...]  # embed, plain, or the name of a property or field
    is_backlink: bool


@frozen(kw_only=True)
class WireResult:
    """One note of an answer."""

    id: str
    uri: str
    title: str
    score: float  # orders the results of one answer
    strength: float | None = None  # 0..1: how well the note answers by itself; absent for a query without words
    strength_level: Literal["exact", "strong", "good", "fair", "weak"] | None = None  # the strength in a word
    engine: str  # the sources that found it, joined by +
    sentence: str
    snippets: tuple[WireSnippet, ...]
    sections: tuple[FoundSection, ...]
    explanation: WireExplanation
    score_breakdown: Mapping[str, float]  # source -> its value before its weight
    relevance_reason: str  # the score as a sum
    staleness: Literal["fresh", "aging", "stale"] | None = None  # where the pipeline computes it
    linked_pages: tuple[WireLinked, ...] | None = None  # where the request asks for them


@frozen(kw_only=True)
class WireRelated(WireResult):
    """One related note: a result whose `reason` equals its sentence; `is_linked` where one links to the other."""

    reason: str
    is_linked: bool


@frozen(kw_only=True)
class WireExpandedQuery:
    """The words of the query; what a chat model added is omitted where it added nothing."""

    original: str
    terms: tuple[str, ...] = ()  # as typed, folded
    suggested: tuple[str, ...] | None = None  # additional words, which weigh less
    variants: tuple[str, ...] | None = None  # other wordings, whose words are among `suggested`
    concepts: tuple[str, ...] | None = None  # words of the vault, embedded together with the query
    passage: str | None = None  # a possible answer to the question, embedded together with the query


@frozen(kw_only=True)
class SearchAnswer:
    """The whole answer. A partial one sent before it has the same shape and is replaced by it."""

    results: tuple[WireResult, ...] = ()
    notices: tuple[Notice, ...]
    total: int = 0
    mode: str = "keyword"
    search_type: str = "keyword"  # the mode, or fulltext_fallback where semantic search was requested and gave nothing
    complete: bool = True
    generation: int = 0
    expanded_query: WireExpandedQuery
    timings: Mapping[str, float] = field(factory=dict)  # step -> milliseconds
    vault: str | None = None  # the URI of the vault that was searched


@frozen(kw_only=True)
class RelatedAnswer:
    """Related notes, best first."""

    results: tuple[WireRelated, ...] = ()
    notices: tuple[Notice, ...]
    total: int = 0
    complete: bool = True
    generation: int = 0
    vault: str | None = None


@frozen(kw_only=True)
class WirePlace:
    """The first line of a page, card or cell in a file's text; `fragment` names it, as of a snippet."""

    line: int
    fragment: str
    label: str | None = None  # of a page whose label is not its number


@frozen(kw_only=True)
class TextAnswer:
    """The text of a file as it is searched, with LF line breaks, and where its pages, cards or cells begin."""

    id: str
    uri: str
    title: str
    text: str
    places: tuple[WirePlace, ...]
    cut: bool = False  # whether the file has more text
    vault: str


@frozen(kw_only=True)
class ExplainAnswer:
    """Why the note has its rank, or which step removed it."""

    note: str
    uri: str | None = None  # None for a note that does not exist, which may name a place outside the vault
    rank: int | None = None
    total: int
    step: str
    sentence: str
    found: WireResult | None = None
    last_shown: WireResult | None = None
    notices: tuple[Notice, ...]
    vault: str


@frozen(kw_only=True)
class WirePassage:
    """A verbatim part of a note: characters `start` to `end` of the file, counted as Unicode code points.

    `lines` is half-open, from 0. `headings` are those above and of the first line. `rank` is the note's, from 1. Places
    in a file that no editor shows as text, such as a PDF, are those of its searched text.
    """

    id: str
    uri: str
    title: str
    start: int
    end: int
    lines: tuple[int, int]
    headings: tuple[str, ...]
    text: str
    rank: int
    fragment: str | None = None  # names the page, card or cell of the first line, without `#`
    page: int | None = None  # of a file with pages, from 1


@frozen(kw_only=True)
class ContextAnswer:
    """The best passages for a question, in the order of the search, and all of them as one `text`."""

    text: str = ""
    passages: tuple[WirePassage, ...] = ()
    tokens: int = 0  # of `text`, estimated so that tokenizers rarely count more
    max_tokens: int
    total: int = 0  # notes found
    shown: int = 0  # notes of which passages are shown
    cut: int = 0  # passages that did not fit
    repeated: int = 0  # passages left out since another one has the same text
    without_vectors: int = 0  # notes that are not searched by meaning
    notices: tuple[Notice, ...]
    mode: str = "keyword"
    complete: bool = True
    generation: int = 0
    vault: str | None = None


@frozen(kw_only=True)
class WireSkipped:
    """A file that was not read, and why."""

    note: str
    reason: str


@frozen(kw_only=True)
class WireSemantic:
    """The state of semantic search: its model, how many notes have vectors or lack them, and what they take on disk.

    `notes` and `missing` are about whole texts, `gists` and `missing_gists` about names and openings, which come first.
    """

    model: str
    notes: int
    vectors: int
    missing: int
    gists: int
    missing_gists: int
    unreadable: int  # notes in a language or script that the model cannot read; they are not missing
    cache_bytes: int
    folder: str
    filling: bool  # whether the missing vectors are being computed
    seconds_left: float | None = None
    problem: str | None = None  # why it does not work


@frozen(kw_only=True)
class WireSpeed:
    """How long the last searches of a vault took, in milliseconds."""

    count: int
    p50: float
    p95: float


@frozen(kw_only=True)
class WireVault:
    """One vault. States: idle (no request yet), reading, ready, refused (the user must allow it first), failed."""

    uri: str
    name: str
    state: Literal["idle", "reading", "ready", "refused", "failed"]
    reason: str | None = None
    notes: int = 0
    pending: int = 0
    generation: int = 0
    open_notes: int = 0
    skipped: tuple[WireSkipped, ...] = ()
    notices: tuple[Notice, ...] = ()
    semantic: WireSemantic | None = None  # absent where semantic search is off
    searches: WireSpeed | None = None  # absent before the first search


@frozen(kw_only=True)
class StatusAnswer:
    """The server's state. `message` is one sentence for a person."""

    version: str
    position_encoding: str
    message: str
    vaults: tuple[WireVault, ...]


@frozen(kw_only=True)
class CommandAnswer:
    """What a command did: how many `notes` it embedded or dropped, and a sentence for a person."""

    command: str
    notes: int
    message: str


STEP_KINDS: Mapping[type, str] = {Found: "found", Fused: "fused", Scaled: "scaled", Replaced: "replaced"}
"""The `kind` by which a client tells the steps of a trail apart."""

_RENAMED: Mapping[type, Mapping[str, str]] = {
    FrequencyPart: {"is_saturated": "saturated"},
    FieldMatch: {"is_suggested": "suggested"},
    FolderEvidence: {"n_relevant": "documentCount", "n_notes": "totalCount", "factor": "boostFactor"},
    GraphEvidence: {"connection_score": "score", "factor": "boostMultiplier"},
}
"""Fields of the search core that have a name of their own on the wire; every other name becomes camelCase."""

_OMITTED: Mapping[type, frozenset[str]] = {
    Found: frozenset({"terms"}),
    FieldMatch: frozenset({"is_suggested", "form"}),
    StrengthDerivation: frozenset({"exact_name"}),
    WordStrength: frozenset({"form"}),
    Notice: frozenset({"subject"}),
}
"""Fields of the search core that are omitted when empty, as a wire class's fields are when None."""


@frozen
class WireField:
    """One field of a message: its name in Python and on the wire, its type, and when it is omitted."""

    attribute: str
    name: str
    type: Any
    is_omitted_if_empty: bool

    @property
    def is_optional(self) -> bool:
        """Whether a message can lack the field."""
        return self.is_omitted_if_empty or NoneType in get_args(self.type)


def wire_fields(cls: type[Any]) -> tuple[WireField, ...]:
    """The fields of a class as they travel, in their order."""
    types, renamed, omitted = get_type_hints(cls), _RENAMED.get(cls, {}), _OMITTED.get(cls, frozenset())
    return tuple(
        WireField(name, renamed.get(name, camel(name)), types[name], name in omitted)
        for name in (attribute.name for attribute in attrs.fields(cls))
    )
