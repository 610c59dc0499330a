"""Word places: notes gain for where they have the query's words: close together in its order, in a name or a heading.

    score = bm25 * (1 + order * nearness) * (1 + in_name * name) * (1 + in_heading * heading) * (1 + signs * as_typed)

`nearness` is that of `matching.nearness`, `name` and `heading` those of `matching.caption_match`, `as_typed` the share
of the words with signs that the note has with them (`filters.signs`), all 0..1.

Files that are found by name only weigh so little that notes with the same words come first. For a name that matches the
query they gain more than notes do, so that such a file stands among the notes.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from search.analysis.tokens import is_dense, run_tokens, runs
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found
from search.ids import NoteId, first_of_each, is_by_name
from search.index.corpus import Corpus
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import WeighedTerm
from search.matching.caption_match import match_captions
from search.matching.nearness import QueryWord, nearness
from search.matching.terms import PostedTerm
from search.query import RankedTerm
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.lexical import Lexical

_N_BEST = 50  # hits that may gain: far more than the few places by which one rises
_N_FILES = 10  # files found by name that may gain as well, and as many documents that are not notes
_STRENGTH_OF_FILE_NAMES = 2.0  # then a name that is the whole query counts as a mention in a rather long text
_FEW_WORDS = 3  # of longer queries some words are next to each other in many a text
_STRENGTH_OF_STOP_WORDS = 3.0  # they say nothing by themselves, so "to be or not to be" is a phrase first
_STRENGTH_OF_SIGNS = 0.3  # who types "$" or "%" means it; more than a short note gains by a word that occurs twice
_GAINS = (
    ("order", "nearness"),
    ("in_name", "name"),
    ("in_heading", "heading"),
    ("signs", "as_typed"),
)  # what a strength and value are called


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


def reward_places(
    lexical: Ranking[NoteId],
    words: Sequence[QueryWord],
    corpus: Corpus,
    *,
    stop_words: Collection[str],
    as_typed: Mapping[NoteId, float],
    settings: Lexical,
) -> tuple[Ranking[NoteId], Mapping[NoteId, float]]:
    """Multiply the scores of the best hits by what they gain, and return their name matches above 0 as well.

    Hits that gain nothing stay as they are. For n words, more than three, the strengths of nearness and of signs are
    multiplied by (3 / n) ** 2: in a sentence they say little.

    If the query has nothing but stop words it is a phrase first: then only nearness counts, in all hits, with the
    strength 3, and squared, as any two of these words stand near each other somewhere in a long text.
    """
    is_phrase = all(word.text in stop_words for word in words)
    best = lexical.hits if is_phrase else _best(lexical)
    if not words or not best or (is_phrase and len(words) < 2):
        return lexical, {}
    near = nearness(words, [corpus.sequences[hit.id] for hit in best])
    if is_phrase:
        strengths = np.array((_STRENGTH_OF_STOP_WORDS, 0.0, 0.0, 0.0))[:, None]
        near, names, headings = near**2, np.zeros(len(best)), np.zeros(len(best))
    else:
        share = min(1.0, _FEW_WORDS / len(words)) ** 2
        order, signs = settings.nearness * share, _STRENGTH_OF_SIGNS * share if as_typed else 0.0
        in_heading = [_STRENGTH_OF_FILE_NAMES if is_by_name(hit.id) else settings.in_heading for hit in best]
        strengths = np.array((order, settings.in_name, 0.0, signs))[:, None].repeat(len(best), axis=1)
        strengths[2] = in_heading
        captions = [corpus.captions_of(hit.id) for hit in best]
        names, headings = match_captions(words, captions, corpus.vocabulary, stop_words)
    values = np.array((near, names, headings, [as_typed.get(hit.id, 0.0) for hit in best]))
    factors = np.prod(1.0 + strengths * values, axis=0)

    def rewarded(hit: Hit[NoteId], factor: float, own: Sequence[float], found: Sequence[float]) -> Hit[NoteId]:
        gains = [gain for gain in zip(_GAINS, own, found, strict=True) if gain[1] * gain[2] > 0]
        if not gains:
            return hit
        formula = " * ".join(("bm25", *(f"(1 + {strength} * {value})" for (strength, value), _, _ in gains)))
        numbers = {"bm25": hit.score}
        for names_of, *both in gains:
            numbers |= zip(names_of, both, strict=True)
        return Hit.found(
            hit.id, Found(LEXICAL, hit.score * factor, Arithmetic(formula, numbers)), evidence=hit.evidence
        )

    of_hits = np.broadcast_to(strengths, values.shape).T.tolist()
    gained = map(rewarded, best, factors.tolist(), of_hits, values.T.tolist())
    is_best = {hit.id for hit in best}
    others = (hit for hit in lexical.hits if hit.id not in is_best)
    matches = {hit.id: value for hit, value in zip(best, names.tolist(), strict=True) if value > 0}
    if best == lexical.hits[: len(best)]:  # then all others still come after the best ones, whose scores only grow
        return Ranking((*Ranking.of(gained), *others)), matches
    return Ranking.of((*gained, *others)), matches


def _best(lexical: Ranking[NoteId]) -> tuple[Hit[NoteId], ...]:
    """The hits that may gain."""
    kept = first_of_each(lexical.ranks, _N_BEST, _N_FILES)
    return lexical.where(lambda note: note in kept).hits
