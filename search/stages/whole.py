"""Whole words first: for a query of one word or identifier, notes that have it whole come before all others.

Each note has a tier: 3 if it has a word with signs as typed ("$HOME"), 2 if it has the word as a whole, 1 if only as
one of several joined words ("fox" in "snow-fox"), else 0: it has the word only inside a longer one, in another form or
misspelt, or it is only similar. The hits of a tier are multiplied by one factor, at most 1, the largest that puts them
below every hit of the tiers above:

    factor = min(1, lowest score of the tiers above / (margin * best score of the tier))

So hits of one tier keep their order and distances, and nothing changes where the order is right already.
"""

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.explain import quote
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Replaced, Scaled
from search.ids import NoteId
from search.stages import Context

_LEAST = 1e-6  # the lowest score of a hit of tier 1 to 3, as a share of the best score
_HAS = {3: "as typed", 2: "whole", 1: "whole or joined with others"}


@frozen(kw_only=True)
class Whole:
    """margin: factor of the lowest hit of a tier over the best one below, 1..2; 1.05: rounding cannot undo it."""

    margin: float = field(default=1.05, validator=[ge(1.0), le(2.0)])


def put_whole_words_first(ranking: Ranking[NoteId], settings: Whole, context: Context) -> Ranking[NoteId]:
    """Multiply the hits of each tier by 0..1, so that they come after those of the tiers above.

    Unless the query is a single word the ranking stays as it is. A hit of tier 1 to 3 with less than a
    millionth of the best score, as a search by meaning alone gives it 0, first gets a millionth.
    """
    word, tiers = context.whole_word, context.tiers
    best = ranking.hits[0].score if ranking.hits else 0.0
    if not word or best <= 0.0:
        return ranking
    above: list[Hit[NoteId]] = []
    for tier in (3, 2, 1, 0):
        hits = [hit for hit in ranking if tiers.get(hit.id, 0) == tier]
        raised = [_at_least(hit, best, word) for hit in hits] if tier else hits
        above += _below(raised, above, settings.margin, f"{quote(word)} {_HAS.get(tier + 1, '')}")
    return Ranking.of(above)


def _below(hits: list[Hit[NoteId]], above: list[Hit[NoteId]], margin: float, what: str) -> list[Hit[NoteId]]:
    """The hits with scores below those of the hits `above`."""
    floor = min((hit.score for hit in above), default=0.0)
    best = max((hit.score for hit in hits), default=0.0)
    if not above or margin * best <= floor:
        return hits
    has = "1 note has" if len(above) == 1 else f"{len(above)} notes have"
    why = f"{has} {what}"
    how = Arithmetic("lowest / (margin * best)", {"lowest": floor, "margin": margin, "best": best})
    return [hit.then(Scaled("whole", floor / (margin * best), why, how)) for hit in hits]


def _at_least(hit: Hit[NoteId], best: float, word: str) -> Hit[NoteId]:
    if hit.score >= _LEAST * best:
        return hit
    how = Arithmetic("least * best", {"least": _LEAST, "best": best})
    return hit.then(Replaced("whole", _LEAST * best, f"it has the word {quote(word)}", how))
