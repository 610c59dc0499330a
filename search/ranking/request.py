"""A resolved query: all that ranking needs to know, so that it never reads settings or presets."""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from search.answer.ranking import Ranking
from search.ids import NoteId, SectionId
from search.notice import Notice
from search.query import NOTHING_UNDERSTOOD, Level, Mode, ParsedQuery, Query, Understood
from search.ranking.pipeline import Pipeline
from search.sources.gist import SOURCE as GIST
from search.sources.semantic import SOURCE as SEMANTIC
from search.sources.semantic import Semantic

_SLACK = 0.25


def counted_from(floor: float, gate: float) -> float:
    """The cosine from which a model's count in a ranking: below its floor by a quarter of the way from floor to gate.

    A cosine below the floor finds no note. But of notes that were found by anything, it still tells the nearer ones
    apart, and the more so as two cosines are added.

    >>> round(counted_from(0.2, 0.6), 9)
    0.1
    """
    return floor - _SLACK * (gate - floor)


@frozen(kw_only=True)
class Request:
    """A query with everything that determines its answer, except the vault itself."""

    query: Query  # as it was sent
    parsed: ParsedQuery  # its text as ranked terms and a filter
    pipeline: (
        Pipeline  # the preset's, with the query's link depth and link types, and names only for a search for files
    )
    mode: Mode = Mode.KEYWORD
    semantic: Semantic = field(factory=Semantic)  # the pipeline's, with the query's own weight and scope
    now: float = 0.0  # seconds since the epoch
    allowed: frozenset[NoteId] | None = None  # the notes that the query's filter and scope allow; None: all
    as_typed: Mapping[NoteId, float] = field(
        factory=dict
    )  # notes with the query's signs, see `filters.signs`; above 0..1
    understood: Understood = NOTHING_UNDERSTOOD  # dates, names, acronyms and intents in the query
    is_complete: bool = True  # whether all notes had been read when it was resolved
    notices: tuple[Notice, ...] = ()

    @property
    def is_of_files(self) -> bool:
        """Whether only names and paths are searched."""
        return self.query.level is Level.FILE

    @property
    def question(self) -> str:
        """The query's words without its filter, as a model reads them."""
        return " ".join(term.text for term in self.parsed.terms)

    @property
    def phrases(self) -> Sequence[str]:
        """The texts in double quotes."""
        return [term.text for term in self.parsed.terms if term.is_phrase]


@frozen(eq=False, kw_only=True)
class SemanticScores:
    """The cosines of one request, computed before ranking. All are of vectors of the notes' current texts."""

    notes: Ranking[NoteId]  # the nearest notes, and those found otherwise whose cosine counts; raw cosines, -1..1
    with_vectors: frozenset[NoteId]  # those of the compared notes that have vectors
    gists: Ranking[NoteId] = field(factory=Ranking[NoteId])  # the same by names and openings
    with_gists: frozenset[NoteId] = frozenset()  # those of the compared notes whose names and openings have vectors
    passages: Ranking[SectionId] | None = None  # all near passages of `notes`, if the pipeline uses them
    weight: float  # of meaning, 0..1: of whole texts, names and openings; the other sources share the rest
    floor: float  # the raw cosine below which no note is found
    gate: float  # the raw cosine of a sure match

    @property
    def anchors(self) -> Mapping[str, tuple[float, float]]:
        """The cosine that is worth nothing and that of a sure match by source, for `normalize/anchored`."""
        return dict.fromkeys((SEMANTIC, GIST), (counted_from(self.floor, self.gate), self.gate))
