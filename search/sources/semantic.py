"""Notes that are similar to the query in meaning, whatever words they use: the nearest chunk of each note, by cosine.

Only cosines of at least the model's noise floor are hits. A lower cosine says nothing, as any two texts are a little
similar.
"""

from collections.abc import Callable, Collection, Iterable

from attrs import field, frozen
from attrs.validators import ge, instance_of, le, optional

from search.answer.evidence import NO_EVIDENCE, Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.budget import UNLIMITED, Budget
from search.ids import NoteId, SectionId
from search.query import Scope
from search.vectors.cosine import Floats
from search.vectors.index import DIGITS, Comparison, VectorView

SOURCE = "semantic"

LinesOf = Callable[[NoteId, int], tuple[int, int] | None]
"""The lines of a note's chunk, half-open and from 0; None if the note no longer has that chunk."""


@frozen(kw_only=True)
class Semantic:
    """weight: share of the semantic score; the other sources have the rest, 0..1; None: the model's own default.

    scope: whether meaning also finds notes that share no word with the query (vault) or only ranks the notes that words
        found (candidates). Default: vault (designs/3: candidates).
    n_notes: how many notes the vectors may add to the lexical hits, 10..1000; 100: more never changed the first 30
        results.
    """

    weight: float | None = field(default=None, validator=optional([ge(0.0), le(1.0)]))
    scope: Scope = field(default=Scope.VAULT, validator=instance_of(Scope))
    n_notes: int = field(default=100, validator=[instance_of(int), ge(10), le(1000)])


def search_semantic(
    compared: Comparison,
    n: int,
    among: Collection[NoteId] | None = None,
    *,
    floor: float,
    lines_of: LinesOf,
    least: float | None = None,
) -> Ranking[NoteId]:
    """The `n` notes whose best chunk is nearest to the query and not below `least`, which is `floor` by default.

    Scores are raw cosines, -1..1; ties by note id. A cosine below `floor` counts, but is no evidence. `among` are
    the notes to choose from, None for all. No vectors, or none near enough: an empty ranking.
    """
    matches = compared.near_notes(n, least=floor if least is None else least, among=among)
    return Ranking.of(
        Hit.found(
            match.note,
            Found(SOURCE, match.cosine),
            evidence=Evidence(cosine=match.cosine, semantic_lines=lines_of(match.note, match.chunk))
            if match.cosine >= floor
            else NO_EVIDENCE,
        )
        for match in matches
    )


def search_passages(
    query: Floats,
    view: VectorView,
    notes: Iterable[NoteId],
    *,
    floor: float,
    lines_of: LinesOf,
    budget: Budget = UNLIMITED,
) -> Ranking[SectionId]:
    """All chunks of these notes with a raw cosine of at least `floor`; notes without vectors have none."""
    rows = view.rows_of(notes)
    found = zip(*view.search(query, len(rows), allowed=rows, budget=budget), strict=True)
    near = ((view.chunk_at(int(row)), round(float(cosine), DIGITS)) for row, cosine in found)
    return Ranking.of(
        Hit.found(
            section,
            Found(SOURCE, cosine),
            evidence=Evidence(cosine=cosine, semantic_lines=lines_of(*section)),
        )
        for section, cosine in near
        if cosine >= floor
    )
