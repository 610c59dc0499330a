"""The messages of `vaultseek/*`, as they travel: snake_case here, camelCase on the wire, `None` left out.

These classes are the protocol. `PROTOCOL.md` describes each and carries a hash of this file, so that none
changes unseen. Ranges stand here once; `from_wire.py` checks them and `to_wire.py` fills the answers.
"""

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

from search.errors import ConfigError

METHOD_SEARCH = "vaultseek/search"
METHOD_EXPLAIN = "vaultseek/explain"
METHOD_RELATED = "vaultseek/related"
METHOD_STATUS = "vaultseek/status"
COMMAND_UPDATE = "vaultseek.updateIndex"
COMMAND_REBUILD = "vaultseek.rebuildIndex"
COMMAND_CLEAR = "vaultseek.clearIndex"
COMMAND_COLLECT = "vaultseek.collectGarbage"

Token = int | str
"""What a client makes up to name a stream of `$/progress`."""

MAX_UINTEGER = 2**31 - 1
"""The largest line or column there can be (LSP, `uinteger`)."""


@frozen
class Within:
    """A validator: the value is absent or lies in a closed range; NaN lies in none."""

    low: float
    high: float

    def __call__(self, _owner: object, attribute: Any, value: Any) -> None:  # noqa: ANN401 attrs' signature
        """Raise ConfigError with the attribute's own name."""
        if value is not None and not self.low <= value <= self.high:
            raise ConfigError(attribute.name, value, self.allowed)

    @property
    def allowed(self) -> str:
        """The range in words."""
        return "..".join(f"{end:g}" if end % 1 else f"{end:.0f}" for end in (self.low, self.high))


@frozen
class UpTo:
    """A validator: a list of no more than `n_items`."""

    n_items: int

    def __call__(self, _owner: object, attribute: Any, value: tuple[object, ...]) -> None:  # noqa: ANN401 as above
        """Raise ConfigError with the attribute's own name."""
        if len(value) > self.n_items:
            raise ConfigError(attribute.name, f"{len(value)} items", f"at most {self.n_items} items")


@frozen(kw_only=True)
class SearchOptions:
    """How to search; whatever is absent or null has its default."""

    max_results: int | None = field(default=None, validator=Within(1, 100))  # 30
    candidate_limit: int | None = field(default=None, validator=Within(10, 1000))  # 500
    rrf_k: int | None = field(default=None, validator=Within(1, 100))  # 60
    enable_semantic: bool | None = None  # true; false is mode keyword
    semantic_weight: float | None = field(default=None, validator=Within(0, 1))  # 0.6
    semantic_scope: Literal["vault", "candidates"] | None = None  # vault
    salient_terms: tuple[str, ...] = field(default=(), validator=UpTo(100))  # ranked beside the query's own
    preset: str | None = None  # the setting's, balanced
    mode: Literal["hybrid", "keyword", "vector"] | None = None  # hybrid
    level: Literal["note", "file"] | None = None  # note; file looks at names and paths alone
    depth: int | None = field(default=None, validator=Within(0, 5))  # links that are followed; the design's
    link_types: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only links of these types are followed
    include_linked: bool = False  # whether results come with the notes that they are linked to
    doc_type: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only notes of one of these kinds
    folder: str | None = None  # only notes in it or below it
    tags: tuple[str, ...] = field(default=(), validator=UpTo(100))  # only notes that carry them all
    limit_to: tuple[str, ...] = field(default=(), validator=UpTo(100_000))  # only these notes, by id or URI


@frozen(kw_only=True)
class SearchParams:
    """A question. `vault` is a folder's URI, needed where several vaults are open."""

    query: str
    options: SearchOptions = SearchOptions()
    vault: str | None = None
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


@frozen(kw_only=True)
class ExplainParams:
    """A question about one note, named by its id or its URI."""

    query: str
    note: str
    options: SearchOptions = SearchOptions()
    vault: str | None = None
    work_done_token: Token | None = None


@frozen
class WirePosition:
    """A place in a note: line from 0, character in the agreed position encoding."""

    line: int = field(validator=Within(0, MAX_UINTEGER))
    character: int = field(validator=Within(0, MAX_UINTEGER))


@frozen
class WireRange:
    """Half-open."""

    start: WirePosition
    end: WirePosition


@frozen(kw_only=True)
class WireDocument:
    """A note, named by its URI."""

    uri: str


@frozen(kw_only=True)
class RelatedParams:
    """A question for what has to do with a note, with what stands below a heading, or with the lines of a range.

    Where both are given the range counts; an empty one is none.
    """

    text_document: WireDocument
    heading: str | None = None
    range: WireRange | None = None
    limit: int = field(default=10, validator=Within(1, 100))
    vault: str | None = None
    work_done_token: Token | None = None


@frozen(kw_only=True)
class StatusParams:
    """`vault` None asks for all."""

    vault: str | None = None


@frozen(kw_only=True)
class WireSnippet:
    """An excerpt of one line: where it stands, and what to highlight, in the note and in `text` itself."""

    text: str
    range: WireRange
    highlights: tuple[WireRange, ...]  # places in the note
    marks: tuple[tuple[int, int], ...]  # the same as columns of `text`


@frozen(kw_only=True)
class WireSection:
    """A heading below which something matched."""

    heading_path: tuple[str, ...]
    line: int


@frozen(kw_only=True)
class WireMatch:
    """A piece of the query that was found in one field."""

    field: str
    query: str
    weight: float
    count: int
    kind: str  # word, stem, prefix, near, inner, meant
    suggested: bool | None = None  # true where a chat model named the word and nobody typed it
    form: str | None = None  # the note's word where it is another one: of kind stem or near


@frozen(kw_only=True)
class WireFolderBoost:
    """Several notes of one folder are among the results."""

    folder: str
    document_count: int
    total_count: int
    boost_factor: float


@frozen(kw_only=True)
class WireGraphConnections:
    """Ties to other results."""

    backlinks: int
    co_citations: int
    shared_tags: int
    score: float
    boost_multiplier: float


@frozen(kw_only=True)
class WireStep:
    """One step of a trail; `kind` says which of the others are there.

    found: source, raw · fused: source, rank, weight, amount · scaled: by, factor, why · replaced: by, value, why.
    """

    kind: Literal["found", "fused", "scaled", "replaced"]
    source: str | None = None
    raw: float | None = None
    rank: int | None = None
    weight: float | None = None
    amount: float | None = None
    by: str | None = None
    factor: float | None = None
    value: float | None = None
    why: str | None = None


@frozen(kw_only=True)
class WireLink:
    """The result lies so many links from another one."""

    origin: str
    hops: int
    types: tuple[str, ...]


@frozen(kw_only=True)
class WirePassage:
    """A part of the note and its raw cosine; lines are half-open, from 0."""

    lines: tuple[int, int]
    cosine: float


@frozen(kw_only=True)
class WireExplanation:
    """Why a note stands where it does (designs/3, Data Model), and the trail from which its score can be recomputed."""

    lexical_matches: tuple[WireMatch, ...]
    exact_name: str | None
    semantic_score: float | None  # raw cosine, -1..1
    semantic_lines: tuple[int, int] | None  # the passage that has it: half-open, from 0
    folder_boost: WireFolderBoost | None
    graph_connections: WireGraphConnections | None
    link: WireLink | None
    passages: tuple[WirePassage, ...] | None  # the best ones, where the score is made of several
    base_score: float
    final_score: float
    trail: tuple[WireStep, ...]


@frozen(kw_only=True)
class WireLinked:
    """A note that a result links to, or that links to it (`is_backlink`)."""

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
    score: float
    engine: str
    sentence: str
    snippets: tuple[WireSnippet, ...]
    sections: tuple[WireSection, ...]
    explanation: WireExplanation
    score_breakdown: Mapping[str, float]  # source -> what it gave before its weight
    relevance_reason: str  # the score as a sum
    staleness: Literal["fresh", "aging", "stale"] | None = None  # where the design tells
    linked_pages: tuple[WireLinked, ...] | None = None  # where they were asked for


@frozen(kw_only=True)
class WireRelated(WireResult):
    """One related note: a result whose `reason` is its sentence; `is_linked` where one links to the other."""

    reason: str
    is_linked: bool


@frozen(kw_only=True)
class WireNotice:
    """What was left out, mended or degraded. `code` is for programs, `message` for people."""

    kind: str
    code: str
    message: str
    subject: str | None = None


@frozen(kw_only=True)
class WireExpandedQuery:
    """What was looked for; what a chat model adds is left out where there is none of it."""

    original: str
    terms: tuple[str, ...]  # as typed, folded
    suggested: tuple[str, ...] | None = None  # words besides, which weigh less
    variants: tuple[str, ...] | None = None  # other wordings, which the words come from as well
    concepts: tuple[str, ...] | None = None  # words of the vault, its meaning was searched together with them
    passage: str | None = None  # what might answer the question; its meaning was searched together with it


@frozen(kw_only=True)
class SearchAnswer:
    """The whole answer; a partial one sent before it has the same shape and is replaced by it."""

    results: tuple[WireResult, ...]
    notices: tuple[WireNotice, ...]
    total: int
    mode: str
    search_type: str  # the mode, or fulltext_fallback where meaning was asked and said nothing
    complete: bool
    generation: int
    expanded_query: WireExpandedQuery
    timings: Mapping[str, float]  # step -> milliseconds
    vault: str | None = None  # the URI of the vault that was searched


@frozen(kw_only=True)
class RelatedAnswer:
    """Notes that have to do with what was asked about, the best first."""

    results: tuple[WireRelated, ...]
    notices: tuple[WireNotice, ...]
    total: int
    complete: bool
    generation: int
    vault: str | None = None


@frozen(kw_only=True)
class ExplainAnswer:
    """Why the note stands where it does, or at which step it fell out."""

    note: str
    uri: str
    rank: int | None
    total: int
    step: str
    sentence: str
    found: WireResult | None
    last_shown: WireResult | None
    notices: tuple[WireNotice, ...]
    vault: str


@frozen(kw_only=True)
class WireSkipped:
    """A file that was not read, and why."""

    note: str
    reason: str


@frozen(kw_only=True)
class WireSemantic:
    """How search by meaning stands: which model, how many notes have vectors and how many lack them, what they take."""

    model: str
    notes: int
    vectors: int
    missing: int
    cache_bytes: int
    folder: str
    filling: bool  # whether the missing ones are being made
    seconds_left: float | None = None
    problem: str | None = None  # why it does not work


@frozen(kw_only=True)
class WireSpeed:
    """How long the last searches of a vault took, whole answers, in milliseconds."""

    count: int
    p50: float
    p95: float


@frozen(kw_only=True)
class WireVault:
    """One folder. States: idle (nothing asked yet), reading, ready, refused (not searched without consent), failed."""

    uri: str
    name: str
    state: Literal["idle", "reading", "ready", "refused", "failed"]
    reason: str | None = None
    notes: int = 0
    pending: int = 0
    generation: int = 0
    open_notes: int = 0
    skipped: tuple[WireSkipped, ...] = ()
    notices: tuple[WireNotice, ...] = ()
    semantic: WireSemantic | None = None  # absent where words alone are searched
    searches: WireSpeed | None = None  # absent before the first one


@frozen(kw_only=True)
class StatusAnswer:
    """The server's state. `message` is one sentence for a person."""

    version: str
    position_encoding: str
    message: str
    vaults: tuple[WireVault, ...]


@frozen(kw_only=True)
class CommandParams:
    """The one argument of a command, which may be absent: `vault` is a folder's URI, None where one is open."""

    vault: str | None = None


@frozen(kw_only=True)
class CommandAnswer:
    """What a command did. `notes` were embedded, or dropped; `message` is one sentence for a person."""

    command: str
    notes: int
    message: str
