"""Word order: notes that have the query's words close together, in its order, gain a share of their lexical score."""

from collections.abc import Mapping, Sequence

import numpy as np

from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense, run_tokens, runs
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found
from search.ids import NoteId
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import WeighedTerm
from search.matching.nearness import QueryWord, Sequence16, nearness
from search.matching.terms import PostedTerm
from search.query import RankedTerm
from search.sources.lexical import SOURCE as LEXICAL

_N_BEST = 50  # hits whose nearness counts: far more than the few places by which it may raise one
_FEW_WORDS = 3  # of longer queries some words are next to each other in many a text
_STRENGTH_OF_STOP_WORDS = 3.0  # they say nothing by themselves, so "to be or not to be" is a phrase first


def words_in_order(
    terms: Sequence[RankedTerm], posted: Sequence[PostedTerm], typed: Sequence[WeighedTerm], vocabulary: Vocabulary
) -> list[QueryWord]:
    """The words of the query that can find notes, in its order and as often as it has them, each in all its forms.

    Of a script without spaces, pairs of neighbouring characters stand for words.
    """
    idf: dict[str, float] = {}
    for item in typed:
        idf[item.term.text] = idf.get(item.term.text, 0.0) + item.idf

    def word(item: PostedTerm) -> QueryWord:
        text = item.term.text
        forms = (form.numbers for form in item.forms)
        numbers = np.concatenate((vocabulary.matching(text, is_exact=True).word, *forms))
        return QueryWord(text, numbers, idf.get(text, 0.0))

    known = {item.term.text: item for item in posted if item.term.is_recalling}
    order = (token for term in terms for run in runs(term.text) for token in _in_order(run))
    return [word(known[text]) for text in order if text in known]


def _in_order(run: str) -> tuple[str, ...]:
    return run_tokens(run) if is_dense(run) else run_tokens(run)[:1]


def reward_nearness(
    lexical: Ranking[NoteId],
    words: Sequence[QueryWord],
    sequences: Mapping[NoteId, Sequence16],
    *,
    strength: float,
) -> Ranking[NoteId]:
    """Multiply the best hits by 1 + strength * nearness, which is 0..1.

    For n words, more than three, the strength is multiplied by (3 / n) ** 2: in a sentence nearness says little.
    If the query has nothing but stop words, the strength is 3, all hits count, and nearness is squared, as any two of
    these words stand near each other somewhere in a long text.
    """
    if len(words) < 2:
        return lexical
    best = lexical.hits[:_N_BEST]
    is_phrase = all(is_stop_word(word.text) for word in words)
    strength *= min(1.0, _FEW_WORDS / len(words)) ** 2
    if is_phrase:
        strength, best = _STRENGTH_OF_STOP_WORDS, lexical.hits
    values = nearness(words, [sequences[hit.id] for hit in best]) ** (2 if is_phrase else 1)
    near = {hit.id: value for hit, value in zip(best, values.tolist(), strict=True) if value > 0}

    def rewarded(hit: Hit[NoteId]) -> Hit[NoteId]:
        if hit.id not in near:
            return hit
        numbers = {"bm25": hit.score, "strength": strength, "nearness": near[hit.id]}
        how = Arithmetic("bm25 * (1 + strength * nearness)", numbers)
        return Hit.found(
            hit.id, Found(LEXICAL, hit.score * (1.0 + strength * near[hit.id]), how), evidence=hit.evidence
        )

    others = lexical.hits[len(best) :]  # all of them still come after the best ones, whose scores only grow
    return Ranking((*Ranking.of(map(rewarded, best)), *others))
