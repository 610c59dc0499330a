"""Exact titles first: a query that equals a note's title, alias or file name means that note.

All such hits are multiplied by one factor, the smallest that lifts the lowest of them above every other hit with a
margin. So they keep their order, with one exception: among notes of the same name, the one that a link of this name
leads to comes first, since a query `todo` means the note that `[[todo]]` means. The trail gets the step even if nothing
moves (factor 1), as it is the reason for the hit's rank.
"""

from math import isfinite

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.ids import NoteId
from search.stages import Context
from search.vault.note import Note

_ROOT = NoteId("")  # a link's source in the vault's root folder


@frozen(kw_only=True)
class Title:
    """margin: factor of the lowest exact title over the best other hit, 1..2; 1.05, so that rounding cannot undo it."""

    margin: float = field(default=1.05, validator=[ge(1.0), le(2.0)])


def put_exact_titles_first(ranking: Ranking[NoteId], settings: Title, context: Context) -> Ranking[NoteId]:
    """Multiply the hits with an `evidence.exact_name` by 1 or more, so that they come before all others.

    Meant for scores above 0, as every fusion gives: no factor can lift a score of 0 or less, so such a hit stays where
    it is.
    """
    exact = [hit for hit in ranking if hit.evidence.exact_name and hit.score > 0]
    if not exact:
        return ranking
    best_other = max((hit.score for hit in ranking if not hit.evidence.exact_name), default=0.0)
    factor = max(1.0, settings.margin * best_other / exact[-1].score)
    numbers = {"margin": settings.margin, "other": best_other, "lowest": exact[-1].score, "best": exact[0].score}
    lifted = Arithmetic("max(1, margin * other / lowest)", numbers)
    linked = Arithmetic(f"{lifted.formula} * margin * best / score", numbers)
    if not isfinite(factor * exact[0].score):
        return ranking
    factors = dict.fromkeys((hit.id for hit in exact), factor)
    for hit in exact:
        if context.links.resolve(_ROOT, hit.evidence.exact_name) == hit.id and hit.id != exact[0].id:
            factors[hit.id] = factor * settings.margin * exact[0].score / hit.score

    def lift(hit: Hit[NoteId]) -> Hit[NoteId]:
        if hit.id not in factors:
            return hit
        arithmetic = lifted if factors[hit.id] == factor else linked
        return hit.then(Scaled("title", factors[hit.id], _why(hit, context.notes.get(hit.id)), arithmetic))

    return ranking.map(lift)


def _why(hit: Hit[NoteId], note: Note | None) -> str:
    """Which name matched; a title that is also the file name counts as the title."""
    name = hit.evidence.exact_name
    if note is not None and name == note.title:
        return "exact title"
    if note is not None and name in note.aliases:
        return "exact alias"
    return "exact file name"
