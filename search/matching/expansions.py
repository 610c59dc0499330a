"""Query expansion: further words that a query may stand for, as terms that rank below the typed ones.

A note matches an expansion only if it contains all of its words: "reciprocal rank fusion" does not find every note that
mentions a rank. All words of an expansion together weigh at most a share of the typed words that they expand:

    idf' = idf * share * min(1, sum of idf of the typed words / sum of idf of the expansion's words)
"""

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import ge, le

from search.answer.evidence import MatchKind
from search.index.postings import Bools, Postings
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, WeighedTerm, weigh
from search.matching.terms import PostedTerm, Term, post, query_terms
from search.query import QueryExpansion, RankedTerm


@frozen(kw_only=True)
class Acronyms:
    """share: the most that an expansion weighs against the typed words, 0..1; 0.5: typed words always come first."""

    share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class TermExpansion:
    """An expansion over all slots: its weighed terms, and `posted`, one term with all its places for explanations."""

    weighed: tuple[WeighedTerm, ...]
    posted: PostedTerm


def weigh_expansions(
    expansions: Iterable[QueryExpansion],
    typed: Sequence[WeighedTerm],
    vocabulary: Vocabulary,
    postings: Postings,
    *,
    model: Bm25f,
    settings: Acronyms,
) -> tuple[TermExpansion, ...]:
    """The expansions whose words all occur in some note; words that the query already has gain no weight."""
    known: dict[str, list[WeighedTerm]] = {}
    for item in typed:
        known.setdefault(item.term.text, []).append(item)
    found = []
    for expansion in expansions:
        expanded = [item for term in query_terms([RankedTerm(expansion.typed)]) for item in known.get(term.text, ())]
        terms = [evolve(term, times=1) for term in query_terms([RankedTerm(expansion.text)]) if term.is_recalling]
        whole = [item.only_words() for item in post(terms, vocabulary, postings)]
        weighed = [weigh(item, postings, model) for item in whole]
        has_all = np.logical_and.reduce([item.frequencies > 0 for item in weighed]) if weighed else None
        new = [item for item in weighed if item.term.text not in known]
        if has_all is None or not new or not has_all.any():
            continue
        share = settings.share * min(1.0, _total(expanded) / (_total(new) or 1.0))
        scaled = tuple(
            evolve(
                item.shared(share),
                frequencies=np.where(has_all, item.frequencies, 0.0),
                is_in_name=item.is_in_name & has_all,
            )
            for item in new
        )
        found.append(TermExpansion(scaled, _as_one_term(expansion.why, whole, has_all)))
    return tuple(found)


def _total(weighed: Iterable[WeighedTerm]) -> float:
    return sum(item.idf for item in weighed)


def _as_one_term(why: str, posted: Iterable[PostedTerm], has_all: Bools) -> PostedTerm:
    """One term with the reason as its text and the occurrences of all words, in notes that have all of them."""
    found = [occurrences for item in posted for _, occurrences in item.found]
    return PostedTerm(Term(why), tuple((MatchKind.EXPANSION, one.at(has_all[one.slots])) for one in found))
