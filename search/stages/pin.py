"""Pins: what a query names outright, by `[[link]]`, `#tag` or as a date, stands first.

Pins of a lower place come first; those of one place keep the order of their scores. They are lifted into a narrow band
above the best other hit, so that what follows is not pressed together; what no source found is put in.
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen
from attrs.validators import ge, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Replaced, Scaled
from search.ids import NoteId
from search.query import PinnedNote

SOURCE = "pin"


@frozen(kw_only=True)
class Pin:
    """margin: the last pinned hit over the best other hit, 1..2; 1.05. The first one stands twice as far above."""

    margin: float = field(default=1.05, validator=[ge(1.001), le(2.0)])


def pin_named(ranking: Ranking[NoteId], *, settings: Pin, pins: Iterable[PinnedNote]) -> Ranking[NoteId]:
    """The pinned notes first, the others unchanged; of a note that is pinned twice the first pin counts.

    For scores of 0 and more. Without pins the ranking stays as it is.
    """
    by_note: dict[NoteId, PinnedNote] = {}
    for pin in pins:
        by_note.setdefault(pin.note, pin)
    if not by_note:
        return ranking
    given = {note: at for at, note in enumerate(by_note)}
    own = {hit.id: hit.score for hit in ranking}
    ordered = sorted(by_note.values(), key=lambda pin: (pin.place, -own.get(pin.note, 0.0), given[pin.note]))
    best_other = max((hit.score for hit in ranking if hit.id not in by_note), default=0.0) or 1.0
    step = (settings.margin - 1.0) / len(ordered)
    targets = {pin.note: best_other * (settings.margin + step * (len(ordered) - at)) for at, pin in enumerate(ordered)}
    put_in = (
        Hit.found(note, Found(SOURCE, 1.0), Replaced("pin", targets[note], pin.why))
        for note, pin in by_note.items()
        if note not in own
    )
    return Ranking.of(_told(hit, by_note) for hit in (*(_lifted(hit, targets, by_note) for hit in ranking), *put_in))


def _told(hit: Hit[NoteId], pins: Mapping[NoteId, PinnedNote]) -> Hit[NoteId]:
    return evolve(hit, evidence=evolve(hit.evidence, named=pins[hit.id].why)) if hit.id in pins else hit


def _lifted(hit: Hit[NoteId], targets: Mapping[NoteId, float], pins: Mapping[NoteId, PinnedNote]) -> Hit[NoteId]:
    if hit.id not in targets:
        return hit
    target, why = targets[hit.id], pins[hit.id].why
    factor = target / hit.score if hit.score > 0 else 0.0
    if 0 < factor < 1e6:
        return hit.then(Scaled("pin", factor, why))
    return hit.then(Replaced("pin", target, why))
