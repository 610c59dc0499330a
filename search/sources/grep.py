"""Which notes hold what was asked for at all, and the best of them when they are too many to rank.

Never cuts in the order of the vault: what is kept has the best idf-weighted coverage of the query's terms, counted once
more where they stand in the title, an alias or the path; equal coverage is told apart by BM25F.
"""

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import ge, le

from search.index.postings import Bools, Floats, Postings
from search.matching.bm25f import WeighedTerm, saturate


@frozen(kw_only=True)
class Grep:
    """Which notes are ranked; tests/ranking/PARAMETERS.md has the sweep.

    candidate_limit: how many at most, 10..1000; 500 (designs/3): ranks as well as all notes do.
    name_bonus: what a term in the title, an alias or the path covers besides, in shares of its idf, 0..10; 1.
    inner_coverage: what a term covers that stands only inside longer words, 0..1; 0.5.
    """

    candidate_limit: int = field(default=500, validator=[ge(10), le(1000)])
    name_bonus: float = field(default=1.0, validator=[ge(0.0), le(10.0)])
    inner_coverage: float = field(default=0.5, validator=[ge(0.0), le(1.0)])


_DEFAULT = Grep()


@frozen(eq=False)
class Candidates:
    """`slots` to be ranked, best coverage first, out of `n_found` notes that matched."""

    slots: npt.NDArray[np.int64]
    n_found: int
    is_found: Bools  # over all slots


def scan(
    terms: tuple[WeighedTerm, ...],
    postings: Postings,
    *,
    limit: int,
    k1: float,
    settings: Grep = _DEFAULT,
    allowed: Bools | None = None,
    always: Bools | None = None,
) -> Candidates:
    """The notes that hold at least one recalling term, cut to the `limit` with the best coverage.

    `limit` stands above `settings.candidate_limit`, for a query may ask for its own.
    `allowed` (over slots) is what the query's filter lets through; `always` are slots that must not be cut.
    Without terms every allowed note is found. Ties keep the order of slots, which is stable for one vault state.
    """
    n_slots = len(postings.notes)
    is_found = np.zeros(n_slots, np.bool_) if terms else postings.is_alive.copy()
    coverage: Floats = np.zeros(n_slots)
    relevance: Floats = np.zeros(n_slots)
    for weighed in terms:
        idf = weighed.idf * weighed.term.times
        holds = weighed.frequencies > 0
        relevance += idf * saturate(weighed.frequencies, k1)
        if weighed.term.is_recalling:
            is_found |= holds
            coverage += idf * np.where(weighed.is_inner, settings.inner_coverage, holds)
            coverage += idf * settings.name_bonus * weighed.is_in_name
    if always is not None:
        is_found |= always
        coverage[always] = np.inf
    if allowed is not None:
        is_found &= allowed
    found = np.flatnonzero(is_found)
    order = np.lexsort((-relevance[found], -coverage[found]))[:limit]
    return Candidates(found[order], len(found), is_found)
