"""Pins: put the notes first that the query names explicitly, by `[[link]]`, `#tag` or as a date.

Pins of a lower place come first; pins of the same place keep the order of their scores. They move into a narrow band
above the best other hit, so the scores of the others are not squeezed. Pinned notes that no source found are added.
"""

from attrs import evolve, field, frozen
from attrs.validators import ge, le

from search.answer.evidence import NO_EVIDENCE
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found, Replaced, Scaled, Step
from search.ids import NoteId
from search.query import PinnedNote
from search.stages import Context

SOURCE = "pin"


@frozen(kw_only=True)
class Pin:
    """margin: factor of the last pinned hit over the best other hit, 1..2; 1.05. The first is twice as far above."""

    margin: float = field(default=1.05, validator=[ge(1.001), le(2.0)])


def pin_named(ranking: Ranking[NoteId], settings: Pin, context: Context) -> Ranking[NoteId]:
    """Put the pinned notes first, leave the others unchanged; if a note is pinned twice, the first pin counts.

    Meant for scores of 0 or more. Without pins the ranking stays as it is.
    """
    by_note: dict[NoteId, PinnedNote] = {}
    for pin in context.understood.pins:
        by_note.setdefault(pin.note, pin)
    if not by_note:
        return ranking
    given_order = {note: at for at, note in enumerate(by_note)}
    scores = {hit.id: hit.score for hit in ranking}
    ordered = sorted(by_note.values(), key=lambda pin: (pin.place, -scores.get(pin.note, 0.0), given_order[pin.note]))
    best_other = max((hit.score for hit in ranking if hit.id not in by_note), default=0.0) or 1.0
    gap = (settings.margin - 1.0) / len(ordered)
    targets = {pin.note: best_other * (settings.margin + gap * (len(ordered) - at)) for at, pin in enumerate(ordered)}

    places = {pin.note: at for at, pin in enumerate(ordered)}

    def lift(hit: Hit[NoteId]) -> Hit[NoteId]:
        if hit.id not in by_note:
            return hit
        target, why = targets[hit.id], by_note[hit.id].why
        factor = target / hit.score if hit.score > 0 else 0.0
        arithmetic = _arithmetic(places[hit.id], len(ordered), best_other, settings)
        step: Step = Replaced("pin", target, why, arithmetic)
        if 0 < factor < 1e6:
            step = Scaled("pin", factor, why, evolve(arithmetic, formula=f"{arithmetic.formula} / score"))
        return hit.then(step, evidence=evolve(hit.evidence, named=why))

    def added(pin: PinnedNote) -> Hit[NoteId]:
        arithmetic = _arithmetic(places[pin.note], len(ordered), best_other, settings)
        steps = Found(SOURCE, 1.0), Replaced("pin", targets[pin.note], pin.why, arithmetic)
        return Hit.found(pin.note, *steps, evidence=evolve(NO_EVIDENCE, named=pin.why))

    missing = (pin for note, pin in by_note.items() if note not in scores)
    return Ranking.of((*map(lift, ranking), *map(added, missing)))


def _arithmetic(place: int, n: int, other: float, settings: Pin) -> Arithmetic:
    """The place in the band above the best other hit, as `pin_named` computes it."""
    numbers = {"other": other, "margin": settings.margin, "place": place, "n": n}
    return Arithmetic("other * (margin + (margin - 1) / n * (n - place))", numbers)
