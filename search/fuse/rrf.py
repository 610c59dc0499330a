"""Weighted reciprocal rank fusion: ranks are comparable where scores are not (Cormack et al., SIGIR 2009).

    score = sum over sources of w / (k + rank)

Never looks at a score, so a source's scale cannot drown another's.
"""

from collections.abc import Mapping

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.ranking import K, Ranking
from search.fuse import fuse_by


@frozen(kw_only=True)
class Rrf:
    """k: smoothing, 1..100; a higher one brings the ranks closer together; 60 (the paper, designs/3).

    convergence: what a note gains that more than one source found, as a share of its score, 0..1; 0 (designs/2: 0.1).
    """

    k: int = field(default=60, validator=[instance_of(int), ge(1), le(100)])
    convergence: float = field(default=0.0, validator=[ge(0.0), le(1.0)])


def fuse_rrf(rankings: Mapping[str, Ranking[K]], weights: Mapping[str, float], *, k: int = 60) -> Ranking[K]:
    """Fuse rankings by source; scores in 0..1/(k + 1), ranks from 1.

    Every source that has hits must have a weight of 0 or more. An empty source gives its weight to the others; no
    sources or only empty ones: an empty ranking. The order of the sources does not matter.
    """
    return fuse_by(lambda _, rank, share: share / (k + rank), rankings, weights)
