"""Sections to notes: combine the scores of a note's passages into one score (designs/0).

    score(note) = best                                        if one passage was found
                = .8 * best + .2 * mean of the three best     if several were found

The best passage dominates the score; the others separate notes with several good passages from notes with only one.
"""

from collections.abc import Sequence

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.evidence import Passage
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found
from search.ids import NoteId, SectionId


@frozen(kw_only=True)
class Sections:
    """How the scores of passages are combined.

    best_share: weight of the best passage, 0..1; 0.8 (designs/0); the mean of the best passages has the rest.
    mean_of: how many of the best passages the mean includes, 1..20; 3 (designs/0).
    n_shown: how many passages are listed in the evidence, 1..20; 3 (designs/0).
    """

    best_share: float = field(default=0.8, validator=[ge(0.0), le(1.0)])
    mean_of: int = field(default=3, validator=[instance_of(int), ge(1), le(20)])
    n_shown: int = field(default=3, validator=[instance_of(int), ge(1), le(20)])


def gather_sections(found: Ranking[SectionId], *, settings: Sections) -> Ranking[NoteId]:
    """One hit for each note, with the evidence of its best passage and a score no higher than that passage's.

    An empty ranking stays empty.
    """
    by_note: dict[NoteId, list[Hit[SectionId]]] = {}
    for hit in found:
        by_note.setdefault(hit.id[0], []).append(hit)
    return Ranking.of(_gathered(note, hits, settings) for note, hits in by_note.items())


def _gathered(note: NoteId, hits: Sequence[Hit[SectionId]], settings: Sections) -> Hit[NoteId]:
    best = hits[0]
    source = next((step.source for step in best.trail if isinstance(step, Found)), "sections")
    score = section_score([hit.score for hit in hits], settings=settings)
    passages = tuple(
        Passage(lines, hit.score) for hit in hits[: settings.n_shown] if (lines := hit.evidence.semantic_lines)
    )
    arithmetic = _arithmetic([hit.score for hit in hits[: settings.mean_of]], settings) if len(hits) > 1 else None
    return Hit.found(note, Found(source, score, arithmetic), evidence=evolve(best.evidence, passages=passages))


def _arithmetic(cosines: Sequence[float], settings: Sections) -> Arithmetic:
    names = [f"cosine{at}" for at in range(1, len(cosines) + 1)]
    formula = f"best_share * cosine1 + (1 - best_share) * ({' + '.join(names)}) / {len(names)}"
    return Arithmetic(formula, {"best_share": settings.best_share, **dict(zip(names, cosines, strict=True))})


def section_score(scores: Sequence[float], *, settings: Sections) -> float:
    """The score of a note whose passages have these scores, best first; there must be at least one.

    >>> section_score([0.9], settings=Sections())
    0.9
    >>> round(section_score([0.9, 0.6, 0.3, 0.1], settings=Sections()), 4)
    0.84
    """
    if len(scores) == 1:
        return scores[0]
    best = scores[: settings.mean_of]
    return settings.best_share * scores[0] + (1.0 - settings.best_share) * (sum(best) / len(best))
