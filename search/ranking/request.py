"""A query on its way to an answer: resolved once at the door, so that nothing below asks settings or presets again."""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from search.answer.ranking import Ranking
from search.ids import NoteId, SectionId
from search.notice import Notice
from search.query import NOTHING_UNDERSTOOD, Level, Mode, ParsedQuery, Query, Understood
from search.ranking.pipeline import Pipeline
from search.sources.semantic import SOURCE as SEMANTIC
from search.sources.semantic import Semantic


@frozen(kw_only=True)
class Request:
    """A query with everything that determines its answer, except the vault itself."""

    query: Query  # as it was sent
    parsed: ParsedQuery  # its text as ranked terms and a filter
    pipeline: Pipeline  # of its preset, with its link depth and link types, reduced to names for a search of files
    mode: Mode = Mode.KEYWORD
    semantic: Semantic = field(factory=Semantic)  # the pipeline's, with the query's own weight and scope
    now: float = 0.0  # seconds since the epoch
    allowed: frozenset[NoteId] | None = None  # the notes that its filter and scope allow; None: all
    understood: Understood = NOTHING_UNDERSTOOD  # what it means beyond its words
    is_complete: bool = True  # whether all notes were read when it was resolved
    notices: tuple[Notice, ...] = ()

    @property
    def is_of_files(self) -> bool:
        """Whether it looks at names and paths only."""
        return self.query.level is Level.FILE

    @property
    def question(self) -> str:
        """Its words without its filter, as a model reads them."""
        return " ".join(term.text for term in self.parsed.terms)

    @property
    def phrases(self) -> Sequence[str]:
        """The texts that it has in double quotes."""
        return [term.text for term in self.parsed.terms if term.is_phrase]


@frozen(eq=False, kw_only=True)
class SemanticScores:
    """What a model says about the notes of one request, computed before they are ranked.

    All cosines are of vectors that were checked against the note's text as it is now.
    """

    notes: Ranking[NoteId]  # the nearest notes, and of those that words found all that are near; raw cosines, -1..1
    with_vectors: frozenset[NoteId]  # of the notes asked about, those that have vectors; the others have missing scores
    passages: Ranking[SectionId] | None = None  # all near passages of `notes`, where the pipeline makes use of them
    weight: float  # of the semantic score, 0..1; the other sources share the rest
    floor: float  # the raw cosine that is worth nothing
    gate: float  # the raw cosine from which a note is sure enough to vouch for others

    @property
    def anchors(self) -> Mapping[str, tuple[float, float]]:
        """Floor and gate by source, as `normalize/anchored` takes them: they do not depend on the other hits."""
        return {SEMANTIC: (self.floor, self.gate)}
