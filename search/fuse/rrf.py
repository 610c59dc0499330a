"""Weighted reciprocal rank fusion: ranks are comparable where scores are not (Cormack et al., SIGIR 2009).

    score = sum over sources of w / (k + rank)

Never looks at a score, so no source can dominate by the scale of its scores.
"""

from collections.abc import Mapping

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.ranking import K, Ranking
from search.answer.trail import Arithmetic
from search.fuse import fuse_by


@frozen(kw_only=True)
class Rrf:
    """k: smoothing: the higher, the less a difference in rank counts, 1..100; 60 (the paper, designs/3).

    convergence: bonus for notes that more than one source found, as a share of the score, 0..1; 0 (designs/2: 0.1).
    """

    k: int = field(default=60, validator=[instance_of(int), ge(1), le(100)])
    convergence: float = field(default=0.0, validator=[ge(0.0), le(1.0)])


def fuse_rrf(rankings: Mapping[str, Ranking[K]], weights: Mapping[str, float], *, k: int = 60) -> Ranking[K]:
    """Fuse rankings by source; scores in 0..1/(k + 1), ranks from 1.

    Every source with hits must have a weight of 0 or more. The weight of an empty source goes to the others. No sources
    or only empty ones: an empty ranking. The order of the sources does not matter.
    """
    arithmetic = Arithmetic("weight / (k + rank)", {"k": k})
    return fuse_by(lambda _, rank, share: share / (k + rank), lambda *_: arithmetic, rankings, weights)
