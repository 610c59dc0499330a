"""Words that a chat model suggests for the query: a source of their own, separate from the typed words.

    suggested(note) = sum over suggested terms of  times * idf * wtf * (k1 + 1) / (wtf + k1)        BM25F, 0 or more

The scores of the typed words stay as they are; fusion adds a small share of this source. So bad suggestions can move a
note with typed words by that share at most.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.analysis.stop_words import is_stop_word
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.ids import NoteId
from search.index.postings import Bools, Postings
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import WeighedTerm, score
from search.matching.terms import PostedTerm, Term, post, query_terms
from search.query import RankedTerm

SOURCE = "suggested"


@frozen(kw_only=True)
class Suggested:
    """Words that a chat model suggests; without a configured chat model there are none.

    weight: weight of suggested words, relative to the typed words, 0..1; 0.25: the best hit by suggested words alone
        counts as much as one that contains a quarter of the typed words. Measured on ADI, Cranfield and CACM (lexical
        nDCG@10): six random words of the vault cost at most .002, its six most frequent words .003; six words of a
        relevant title gain .06 or more.
    n_terms: how many suggested words count, 0..64; 16, enough for two rephrasings and eight terms.
    n_notes: how many notes they may raise or add, 1..1000; 100.
    """

    weight: float = field(default=0.25, validator=[ge(0.0), le(1.0)])
    n_terms: int = field(default=16, validator=[instance_of(int), ge(0), le(64)])
    n_notes: int = field(default=100, validator=[instance_of(int), ge(1), le(1000)])


def post_suggested(
    texts: Iterable[str], typed: Iterable[Term], vocabulary: Vocabulary, postings: Postings, *, n_terms: int
) -> tuple[PostedTerm, ...]:
    """The words of `texts` that were not typed, matching whole words only; each counts as often as the texts repeat it.

    Stop words, single letters and words that occur nowhere are left out.
    """
    typed_texts = {term.text for term in typed}
    new = [
        evolve(term, is_suggested=True, is_prefix=False)
        for term in query_terms([RankedTerm(text) for text in texts])
        if term.text not in typed_texts
        and not is_stop_word(term.text)
        and not (len(term.text) == 1 and term.text.isascii())
    ]
    whole = (posted.only_words() for posted in post(new, vocabulary, postings))
    return tuple(posted for posted in whole if posted.found)[:n_terms]


def search_suggested(
    terms: Sequence[WeighedTerm], postings: Postings, n: int, *, k1: float, allowed: Bools | None = None
) -> Ranking[NoteId]:
    """The `n` notes with the best BM25F scores for the suggested terms.

    `allowed` (over slots) are the notes that the query's filter allows, None for all. Ties by note id. Without terms:
    an empty ranking.
    """
    scores = score(terms, postings, k1)
    may_be_found = postings.is_alive if allowed is None else postings.is_alive & allowed
    slots = np.flatnonzero((scores > 0) & may_be_found)
    found = Ranking.of(Hit.found(postings.notes[slot], Found(SOURCE, float(scores[slot]))) for slot in slots.tolist())
    return found.top(n) if len(found) > n else found
