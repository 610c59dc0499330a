"""Co-activation: the best hits activate the notes that they are linked to (designs/2).

    raw(n) = own(n) + decay * sum over seeds s linked with n of  own(s) / degree(s)
    own(s) = 1 / rank(s) for the best hits, the seeds, with the best rank that any source gives; 0 for all other notes

degree(s) is the number of notes that s is linked with in either direction. So a hub spreads no more in total than a
note with one link. Seeds are ranked as well, linked or not, so this source may weigh more than the others without
putting every linked note above the hits themselves.

Plain neighbours at the same weight lower nDCG@10 from .82 to .55 on the anchors of obsidian-tasks; ranking only linked
seeds lowers it from .80 to .67 on the renamed pages of cpp-docs. With the formula above it stays .82 and .80, and gains
.02 to .06 where a sentence tells what a link means (obsidian-tasks, foam).
"""

from collections.abc import Iterable, Sequence

from attrs import field, frozen
from attrs.validators import deep_iterable, ge, instance_of, le

from search.answer.evidence import NO_EVIDENCE, Evidence, LinkEvidence
from search.answer.ranking import Hit, Ranking, best_ranks
from search.answer.trail import Arithmetic, Found
from search.graph.links import LinkIndex
from search.graph.walk import neighbours
from search.ids import NoteId

SOURCE = "activation"
_DIGITS = 12  # of a score, so that equal sums of different parts are ties in spite of rounding errors


@frozen(kw_only=True)
class Activation:
    """How strongly hits activate the notes that they are linked to.

    weight: weight of activation, relative to the other sources except the semantic one, 0..10; 1.5 (designs/2).
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
    ranks = {note: rank for note, rank in best_ranks(found).items() if rank <= settings.n_seeds}
    own = {note: 1.0 / rank for note, rank in ranks.items()}
    raw = dict(own)
    received: dict[NoteId, list[tuple[int, int]]] = {}  # note -> rank and degree of each seed linked with it
    evidence: dict[NoteId, Evidence] = {}  # note -> the link from the best seed that activates it
    for seed, worth in own.items():
        near = list(neighbours(seed, links, link_types=settings.link_types))
        for other in near:
            raw[other.note] = raw.get(other.note, 0.0) + settings.decay * worth / len(near)
            received.setdefault(other.note, []).append((ranks[seed], len(near)))
            evidence.setdefault(other.note, Evidence(link=LinkEvidence(seed, 1, other.types)))
    if not evidence:
        return Ranking()
    scores = {note: round(score, _DIGITS) for note, score in raw.items()}
    hits = (
        Hit.found(
            note,
            Found(SOURCE, score, _arithmetic(ranks.get(note), received.get(note, ()), settings.decay)),
            evidence=evidence.get(note, NO_EVIDENCE),
        )
        for note, score in scores.items()
        if score > 0
    )
    return Ranking.of(hits).top(n)


def _arithmetic(rank: int | None, received: Sequence[tuple[int, int]], decay: float) -> Arithmetic:
    """The sum with the rank of the note itself, if it is a seed, and of each seed linked with it."""
    parts = [] if rank is None else ["1 / own_rank"]
    numbers: dict[str, float] = {"decay": decay} if rank is None else {"own_rank": rank, "decay": decay}
    for at, (seed_rank, degree) in enumerate(received, start=1):
        parts.append(f"decay / (rank{at} * degree{at})")
        numbers |= {f"rank{at}": seed_rank, f"degree{at}": degree}
    return Arithmetic(" + ".join(parts), numbers)
