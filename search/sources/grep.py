"""Find the candidates: all notes that contain a term of the query, and the best of them if they are too many to rank.

The cut never depends on the order of the vault: it keeps the notes with the best coverage of the query's terms. Terms
count by idf, and extra in the title, an alias or the path; equal coverage is ordered by BM25F.
"""

from math import ceil

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import ge, le

from search.index.postings import Bools, Floats, Postings
from search.matching.bm25f import WeighedTerm, score


@frozen(kw_only=True)
class Grep:
    """Which notes are ranked; tests/ranking/PARAMETERS.md has the parameter sweep.

    candidate_limit: the maximum number of notes to rank, 10..1000; 500 (designs/3): ranks as well as no limit.
    name_bonus: extra coverage of a term in the title, an alias or the path, as a share of its idf, 0..10; 1.
    inner_coverage: coverage of a term that occurs only inside longer words, as a share of its idf, 0..1; 0.5.
    """

    candidate_limit: int = field(default=500, validator=[ge(10), le(1000)])
    name_bonus: float = field(default=1.0, validator=[ge(0.0), le(10.0)])
    inner_coverage: float = field(default=0.5, validator=[ge(0.0), le(1.0)])


_DEFAULT = Grep()
_DOCUMENT_SHARE = 0.1  # of the limit; documents are long, so ranking as many of them as of notes would take much longer

Tiers = npt.NDArray[np.uint8]
"""By slot, how well a note has the query's only word, the higher the better."""


@frozen(eq=False)
class Candidates:
    """The `slots` to rank, best coverage first, out of `n_found` notes that matched."""

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
    tiers: Tiers | None = None,
    is_open: bool = False,
) -> Candidates:
    """The notes that contain at least one recalling term (see `Term`), cut to the `limit` with the best coverage.

    `limit` replaces `settings.candidate_limit`, as a query may set its own. `allowed` (over slots) are the notes that
    the query's filter allows, None for all; `always` are slots that must be kept, and notes of a higher tier are kept
    before all others. Files take no note's place: up to `limit` files found by name are kept as well, and as many
    documents that are not notes as the notes leave of the limit, but at least a tenth of it. Without terms, or if
    `is_open`, every allowed note is found. Ties keep the order of slots, which is stable for one state of the vault.
    """
    n_slots = len(postings.notes)
    is_found = postings.is_alive.copy() if is_open or not terms else np.zeros(n_slots, np.bool_)
    coverage: Floats = np.zeros(n_slots)
    for weighed in (weighed for weighed in terms if weighed.term.is_recalling):
        idf = weighed.idf * weighed.term.times
        has_term = weighed.frequencies > 0
        is_found |= has_term
        coverage += idf * np.where(weighed.is_inner, settings.inner_coverage, has_term)
        coverage += idf * settings.name_bonus * weighed.is_in_name
    if always is not None:
        is_found |= always
        coverage[always] = np.inf
    if allowed is not None:
        is_found &= allowed
    found = np.flatnonzero(is_found)
    relevance = score(terms, postings, k1)
    keys = [-relevance[found], -coverage[found]]
    if tiers is not None:
        must = np.zeros(n_slots, np.bool_) if always is None else always
        keys.append(np.where(must, -np.inf, -tiers.astype(np.float64))[found])
    ranked = found[np.lexsort(keys)]
    is_kept = np.zeros(len(ranked), np.bool_)
    is_note, is_by_name = ~postings.is_other[ranked], postings.is_by_name[ranked]
    n_documents = max(limit - int(np.count_nonzero(is_note)), ceil(limit * _DOCUMENT_SHARE))
    for is_kind, n_kept in ((is_note, limit), (~is_note & ~is_by_name, n_documents), (is_by_name, limit)):
        is_kept[np.flatnonzero(is_kind)[:n_kept]] = True
    return Candidates(ranked[is_kept], len(found), is_found)
