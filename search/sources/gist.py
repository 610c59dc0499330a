"""Notes that are about what the query asks, by their names and openings rather than by what they mention.

A note has two short vectors: of what it is called (title, aliases, headings) and of how it begins. The nearer one
counts. The cosine of a chunk says that a note mentions something, these say what it is about: two pieces of evidence,
which fusion adds. A maximum over all vectors of a note loses most of what they give (questions over obsidian-tasks:
nDCG@10 .708 against .772).
"""

from collections.abc import Collection

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.evidence import NO_EVIDENCE, Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.ids import NoteId
from search.vectors.index import Comparison

SOURCE = "gist"


@frozen(kw_only=True)
class Gist:
    """How much names and openings weigh.

    share: their share of the weight of meaning, 0..1; the whole text has the rest. 0.1: more helps questions (over
        obsidian-tasks .702 at .1, .704 at .2) and hurts sentences over abstracts (cacm .571 at 0, .567 at .1, .559 at
        .2, .556 at .3; nDCG@10).
    """

    share: float = field(default=0.1, validator=[ge(0.0), le(1.0)])


def search_gists(
    compared: Comparison,
    n: int,
    among: Collection[NoteId] | None = None,
    *,
    floor: float,
    least: float | None = None,
) -> Ranking[NoteId]:
    """The `n` notes whose name or opening is nearest to the query and not below `least`, which is `floor` by default.

    Scores are raw cosines, -1..1; ties by note id. A cosine below `floor` counts, but is no evidence. `among` are
    the notes to choose from, None for all. No vectors, or none near enough: an empty ranking.
    """
    matches = compared.near_notes(n, least=floor if least is None else least, among=among)
    return Ranking.of(
        Hit.found(
            match.note,
            Found(SOURCE, match.cosine),
            evidence=Evidence(gist=match.cosine) if match.cosine >= floor else NO_EVIDENCE,
        )
        for match in matches
    )
