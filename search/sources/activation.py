"""Co-activation: the best hits activate the notes that they are linked to (designs/2).

    raw(n) = own(n) + decay * sum over seeds s tied to n of  own(s) / ties(s)
    own(s) = 1 / rank(s) for the best hits, the seeds, with the best rank that any source gives; 0 for all other notes

ties(s) is the number of notes that s is linked with in either direction, so a hub spreads no more in total than a note
with one link. Seeds are ranked as well, linked or not. So this source may weigh more than the others without putting
every linked note above the hits themselves. Plain neighbours at the same weight lower nDCG@10 from .82 to .55 on the
anchors of obsidian-tasks; ranking only linked seeds lowers it from .80 to .67 on the renamed pages of cpp-docs. With
the formula above it stays .82 and .80, and gains .02 to .06 where a sentence tells what a link means (obsidian-tasks,
foam).
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen
from attrs.validators import deep_iterable, ge, instance_of, le

from search.answer.evidence import NO_EVIDENCE, LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.graph.links import LinkIndex
from search.graph.walk import Tie, ties
from search.ids import NoteId

SOURCE = "activation"


@frozen(kw_only=True)
class Activation:
    """How strongly hits activate the notes that they are linked to.

    weight: relative to the other sources except the semantic one, 0..10; 1.5 (designs/2).
    decay: the share of a seed's score that its links pass on, 0..1; 0.5 (0.2 gains half as much).
    n_seeds: the number of seeds, 1..100; 10 (60 rank alike and cost more).
    link_types: only links of these types count; empty: all links.
    """

    weight: float = field(default=1.5, validator=[ge(0.0), le(10.0)])
    decay: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    n_seeds: int = field(default=10, validator=[instance_of(int), ge(1), le(100)])
    link_types: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))


def search_activation(
    found: Iterable[Ranking[NoteId]], *, settings: Activation, links: LinkIndex, n: int
) -> Ranking[NoteId]:
    """The `n` most activated notes, with scores above 0. No hits, or none with links: an empty ranking."""
    ranks: dict[NoteId, int] = {}
    for ranking in found:
        for note, rank in ranking.ranks.items():
            ranks[note] = min(rank, ranks.get(note, rank))
    best = sorted(ranks, key=lambda note: (ranks[note], note))
    seeds = [note for note in best if ranks[note] <= settings.n_seeds]
    own = {seed: 1.0 / ranks[seed] for seed in seeds}
    passed: dict[NoteId, float] = {}
    by: dict[NoteId, tuple[NoteId, Tie]] = {}  # note -> the best seed that activates it
    link_types = frozenset(type_.casefold() for type_ in settings.link_types)
    for seed in seeds:
        tied = list(ties(seed, links, link_types=link_types))
        for tie in tied:
            passed[tie.note] = passed.get(tie.note, 0.0) + settings.decay * own[seed] / len(tied)
            by.setdefault(tie.note, (seed, tie))
    if not passed:
        return Ranking()
    raw = {note: own.get(note, 0.0) + passed.get(note, 0.0) for note in own.keys() | passed.keys()}
    return Ranking.of(_hits(raw, by)).top(n)


def _hits(raw: Mapping[NoteId, float], by: Mapping[NoteId, tuple[NoteId, Tie]]) -> Iterable[Hit[NoteId]]:
    for note, score in raw.items():
        link = LinkEvidence(str(by[note][0]), 1, tuple(sorted(by[note][1].types))) if note in by else None
        if score > 0:
            yield Hit.found(note, Found(SOURCE, score), evidence=evolve(NO_EVIDENCE, link=link))
