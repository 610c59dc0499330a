"""Exact titles first: a query that equals a note's title, alias or file name means that note.

All such hits are multiplied by one factor, the smallest that lifts the lowest of them above every other hit with a
margin. So they keep their order, with one exception: among notes of the same name, the one that a link of this name
leads to comes first, since a query `todo` means the note that `[[todo]]` means. The trail gets the step even if nothing
moves (factor 1), as it is the reason for the hit's rank.

A stub says no more than where to look. So it is not lifted if there is a page that explains: another hit whose name is
what the query asks for. It comes right after the best of these pages.
"""

from collections.abc import Sequence
from math import isfinite

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.explain import quote
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Replaced, Scaled
from search.ids import NoteId
from search.stages import Context
from search.vault.note import Note

_ROOT = NoteId("")  # a link's source in the vault's root folder


@frozen(kw_only=True)
class Title:
    """When an exact title comes first.

    margin: factor of the lowest exact title over the best other hit, 1..2; 1.05, so that rounding cannot undo it.
    explains: the name match (see `matching.caption_match`) from which a page is about the query, 0..1; 0.65: at least
        half of its words, so "Daily journal note" for "daily journal".
    """

    margin: float = field(default=1.05, validator=[ge(1.0), le(2.0)])
    explains: float = field(default=0.65, validator=[ge(0.0), le(1.0)])


def put_exact_titles_first(ranking: Ranking[NoteId], settings: Title, context: Context) -> Ranking[NoteId]:
    """Multiply the hits with an `evidence.exact_name` by 1 or more, so that they come before all others.

    Meant for scores of 0 or more, as every fusion gives. No factor can lift a score of 0, so such a hit gets the score
    that the lowest exact title needs.
    """
    pages = _explaining(ranking, settings, context)
    stubs = {hit.id for hit in ranking if pages and hit.evidence.exact_name and context.is_stub(hit.id)}
    lifted = _lift(
        ranking, [hit for hit in ranking if hit.evidence.exact_name and hit.id not in stubs], settings, context
    )
    if not stubs:
        return lifted
    best = max((hit for hit in lifted if hit.id in pages), key=lambda hit: hit.score)
    return lifted.map(lambda hit: _behind(best, hit, settings, context) if hit.id in stubs else hit)


def _explaining(ranking: Ranking[NoteId], settings: Title, context: Context) -> frozenset[NoteId]:
    """The hits whose name is what the query asks for, without stubs."""
    found = (note for note, match in context.name_matches.items() if match >= settings.explains)
    return frozenset(note for note in found if note in ranking.ranks and not context.is_stub(note))


def _behind(best: Hit[NoteId], stub: Hit[NoteId], settings: Title, context: Context) -> Hit[NoteId]:
    """The stub with a score below that of the best page that explains."""
    if settings.margin * stub.score <= best.score:
        return stub
    page = context.notes.get(best.id)
    why = f"it has hardly any text; {quote(page.title if page else best.id)} explains"
    how = Arithmetic("page / (margin * stub)", {"page": best.score, "margin": settings.margin, "stub": stub.score})
    return stub.then(Scaled("title", best.score / (settings.margin * stub.score), why, how))


def _lift(
    ranking: Ranking[NoteId], exact_names: Sequence[Hit[NoteId]], settings: Title, context: Context
) -> Ranking[NoteId]:
    named = [hit for hit in exact_names if hit.score >= 0]
    if not named:
        return ranking
    exact = [hit for hit in named if hit.score > 0]
    first = {hit.id for hit in named}
    best_other = max((hit.score for hit in ranking if hit.id not in first), default=0.0)
    numbers = {"margin": settings.margin, "other": best_other}
    if exact:
        numbers |= {"lowest": exact[-1].score, "best": exact[0].score}
    factor = max(1.0, settings.margin * best_other / exact[-1].score) if exact else 1.0
    lifted = Arithmetic("max(1, margin * other / lowest)", numbers)
    linked = Arithmetic(f"{lifted.formula} * margin * best / score", numbers)
    if exact and not isfinite(factor * exact[0].score):
        return ranking
    factors = dict.fromkeys((hit.id for hit in named), factor)
    for hit in exact:
        if context.links.resolve(_ROOT, hit.evidence.exact_name) == hit.id and hit.id != exact[0].id:
            factors[hit.id] = factor * settings.margin * exact[0].score / hit.score

    def lift(hit: Hit[NoteId]) -> Hit[NoteId]:
        if hit.id not in factors:
            return hit
        why = _why(hit, context.notes.get(hit.id))
        if hit.score == 0:
            needed = Arithmetic("margin * other" if best_other else "1", numbers)
            return hit.then(Replaced("title", settings.margin * best_other or 1.0, why, needed))
        arithmetic = lifted if factors[hit.id] == factor else linked
        return hit.then(Scaled("title", factors[hit.id], why, arithmetic))

    return ranking.map(lift)


def _why(hit: Hit[NoteId], note: Note | None) -> str:
    """Which name matched; a title that is also the file name counts as the title."""
    name = hit.evidence.exact_name
    if note is not None and name == note.title:
        return "exact title"
    if note is not None and name in note.aliases:
        return "exact alias"
    return "exact file name"
