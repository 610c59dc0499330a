"""Words that a query may mean besides what was typed, as terms that rank below the typed ones.

A note counts for a meaning only if it holds all its words: "reciprocal rank fusion" does not find whatever is ranked.
All words of a meaning together weigh at most a share of what the typed words weigh that they stand for:

    idf' = idf * share * min(1, sum of idf of the typed words / sum of idf of the meaning's words)
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
    """share: what a meaning weighs at most against what was typed, 0..1; 0.5: typed words always come first."""

    share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class TermExpansion:
    """A meaning over all slots: its terms weighed, and what to say of it, as one term with all its places."""

    weighed: tuple[WeighedTerm, ...]
    posted: PostedTerm


def weigh_expansions(
    meant: Iterable[QueryExpansion],
    typed: Sequence[WeighedTerm],
    vocabulary: Vocabulary,
    postings: Postings,
    *,
    model: Bm25f,
    settings: Acronyms,
) -> tuple[TermExpansion, ...]:
    """The meanings that some note holds with all its words; words that the query holds already weigh nothing more."""
    known: dict[str, list[WeighedTerm]] = {}
    for item in typed:
        known.setdefault(item.term.text, []).append(item)
    found = []
    for one in meant:
        stands_for = [item for term in query_terms([RankedTerm(one.typed)]) for item in known.get(term.text, ())]
        terms = [evolve(term, times=1) for term in query_terms([RankedTerm(one.text)]) if term.is_recalling]
        whole = [_whole_words(item) for item in post(terms, vocabulary, postings)]
        weighed = [weigh(item, postings, model) for item in whole]
        holding = np.logical_and.reduce([item.frequencies > 0 for item in weighed]) if weighed else None
        new = [item for item in weighed if item.term.text not in known]
        if holding is None or not new or not holding.any():
            continue
        share = settings.share * min(1.0, _total(stands_for) / (_total(new) or 1.0))
        scaled = tuple(
            evolve(
                item,
                idf=item.idf * share,
                frequencies=np.where(holding, item.frequencies, 0.0),
                is_in_name=item.is_in_name & holding,
            )
            for item in new
        )
        found.append(TermExpansion(scaled, _told(one.why, whole, holding)))
    return tuple(found)


def _whole_words(posted: PostedTerm) -> PostedTerm:
    """Without what only begins with the term or holds it: a guess is not stretched further."""
    return evolve(posted, found=tuple((kind, there) for kind, there in posted.found if kind is MatchKind.WORD))


def _total(weighed: Iterable[WeighedTerm]) -> float:
    return sum(item.idf for item in weighed)


def _told(why: str, posted: Iterable[PostedTerm], holding: Bools) -> PostedTerm:
    """One term that is named by the reason, in the places of all words; counts are the words'."""
    places = []
    for item in posted:
        for _, there in item.found:
            places.append((MatchKind.MEANT, there.at(holding[there.slots])))
    return PostedTerm(Term(why), tuple(places))
