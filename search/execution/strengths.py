"""Collects what the strength of each shown note is made of: the query's words, their best matches, and the cosine.

Everything was found by the ranking already, or by the search for excerpts; no text is read or folded here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

import numpy as np
from attrs import evolve, frozen

from search.analysis.tokens import is_dense, run_tokens, runs
from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.strength import (
    FIELDS,
    KINDS,
    N_LINES,
    STOP_WORD_SHARE,
    Meaning,
    StrengthDerivation,
    WordStrength,
    strength_of,
)
from search.ids import NoteId
from search.index.postings import Postings
from search.matching.bm25f import inverse_document_frequency
from search.matching.terms import PostedTerm, query_terms
from search.query import RankedTerm
from search.ranking.rank import Ranked
from search.snippets.excerpts import WordsInLines

_NO_MATCH = WordStrength("", 0.0, 0.0)


@frozen
class _Way:
    """Another way to match a word: by all of `parts` together, which are worth at most `kind`."""

    parts: tuple[str, ...]
    kind: MatchKind


@frozen(eq=False)
class Strengths:
    """What all strengths of one answer have in common."""

    _words: tuple[WordStrength, ...]  # the query's words, without matches
    _ways: Mapping[str, Sequence[_Way]]  # of a word, by its text
    _bits: Mapping[str, int]  # text in a note -> the words that it stands for, as a bit mask over `_words`
    _date_words: frozenset[str]
    _cosines: Mapping[NoteId, float]
    _anchors: tuple[float, float]  # floor and ceiling

    @classmethod
    def of(cls, ranked: Ranked) -> Self:
        """Prepared once for all notes that are shown."""
        retrieval, scores = ranked.retrieval, ranked.scores
        request = retrieval.request
        ranked_terms = (*request.parsed.terms, *map(RankedTerm, request.query.salient_terms))
        ways = _ways(ranked_terms, retrieval.posted)
        parts = {part for known in ways.values() for way in known for part in way.parts}
        free = {token for piece in ranked_terms for run in runs(piece.text) for token in _whole(run)}
        for expansion in request.understood.expansions if retrieval.expansions else ():
            for term in query_terms([RankedTerm(expansion.typed)]):
                ways.setdefault(term.text, []).append(_Way((expansion.why,), MatchKind.WORD))
        words = tuple(
            _word(item, retrieval.postings)
            for item in retrieval.posted
            if not item.term.typed and (item.term.text in free or item.term.text not in parts)
        )
        return cls(
            words,
            ways,
            _bits(words, ways, retrieval.posted),
            request.understood.date_words,
            {} if scores is None else {hit.id: hit.score for hit in scores.notes},
            (0.0, 1.0) if scores is None else (scores.floor, scores.gate),
        )

    def of_note(
        self, note: NoteId, evidence: Evidence, in_lines: WordsInLines, *, exact_name: str
    ) -> StrengthDerivation | None:
        """The strength of a note, with the words found in its lines; None if the query has no words to compare."""
        if not self._words:
            return None
        matches = _best_matches(evidence.matches)
        words = [self._matched(word, matches, is_dated=bool(evidence.dated)) for word in self._words]
        near = self._near(words, evidence.matches, in_lines)
        words = [evolve(word, is_near=bool(near >> at & 1)) for at, word in enumerate(words)]
        cosine = self._cosines.get(note)
        return strength_of(words, None if cosine is None else Meaning(cosine, *self._anchors), exact_name=exact_name)

    def _matched(self, word: WordStrength, matches: Mapping[str, WordStrength], *, is_dated: bool) -> WordStrength:
        """The word with its best match, directly or in another way."""
        found = [matches[word.word]] if word.word in matches else []
        for way in self._ways.get(word.word, ()):
            parts = [matches[part] for part in way.parts if part in matches]
            if parts:
                best = max(parts, key=lambda part: part.quality)
                quality = KINDS[way.kind] * sum(part.quality for part in parts) / len(way.parts)
                kind = best.match if way.kind is MatchKind.WORD else way.kind
                form = " ".join(part.form or part.word for part in parts)
                found.append(evolve(best, quality=quality, match=kind, form=form))
        if is_dated and word.word in self._date_words:
            quality = KINDS[MatchKind.EXPANSION]
            found.append(evolve(_NO_MATCH, quality=quality, match=MatchKind.EXPANSION, form="the note's date"))
        if not found:
            return word
        best = max(found, key=lambda match: match.quality)
        return evolve(word, quality=best.quality, match=best.match, field=best.field, form=best.form)

    def _near(self, words: Sequence[WordStrength], matches: Iterable[FieldMatch], in_lines: WordsInLines) -> int:
        """The words in the title and in the best passage, as a bit mask; the first of equally good passages."""
        in_title = 0
        for match in matches:
            if match.field is Field.TITLE:
                in_title |= self._bits.get(match.query, 0)
        in_line = {number: self._mask(item.text for item, _ in found) for number, found in in_lines.items()}
        best, most = in_title, self._value(in_title, words)
        for mask in dict.fromkeys(_passages(in_line)):
            if (value := self._value(in_title | mask, words)) > most:
                best, most = in_title | mask, value
        return best

    def _mask(self, texts: Iterable[str]) -> int:
        mask = 0
        for text in texts:
            mask |= self._bits.get(text, 0)
        return mask

    def _value(self, mask: int, words: Sequence[WordStrength]) -> float:
        return sum(word.weight * word.quality for at, word in enumerate(words) if mask >> at & 1)


def _passages(in_line: Mapping[int, int]) -> Iterator[int]:
    """The words of each passage that begins with a line that has some."""
    for first in in_line:
        mask = 0
        for number in range(first, first + N_LINES):
            mask |= in_line.get(number, 0)
        yield mask


def _whole(run: str) -> tuple[str, ...]:
    """The tokens of a run that stand for themselves: the whole form, or all bigrams of a script without spaces."""
    tokens = run_tokens(run)
    return tokens if is_dense(run) else tokens[:1]


def _ways(ranked_terms: Iterable[RankedTerm], posted: Iterable[PostedTerm]) -> dict[str, list[_Way]]:
    """Compounds match by their parts; misspelt words by what was typed as one word or as two."""
    ways: dict[str, list[_Way]] = {}
    for piece in ranked_terms:
        for run in runs(piece.text):
            whole, *parts = run_tokens(run)
            if parts and not is_dense(run):
                ways[whole] = [_Way(tuple(parts), MatchKind.STEM)]
    split: dict[str, list[str]] = {}
    for item in posted:
        typed = item.term.typed
        if typed and " " not in typed:
            split.setdefault(typed, []).append(item.term.text)
        for word in typed.split() if " " in typed else ():
            ways.setdefault(word, []).append(_Way((item.term.text,), MatchKind.NEAR))
    for typed, found in split.items():
        ways.setdefault(typed, []).append(_Way(tuple(found), MatchKind.NEAR))
    return ways


def _word(item: PostedTerm, postings: Postings) -> WordStrength:
    """A word of the query with its idf: df is the number of notes with the best kind of match that the vault has."""
    df = 0
    if item.found:
        is_there = np.zeros(len(postings.notes), np.bool_)
        is_there[item.found[0][1].slots] = True
        df = int(np.count_nonzero(is_there))
    idf = inverse_document_frequency(df, len(postings))
    return WordStrength(item.term.text, idf, idf * (STOP_WORD_SHARE if item.term.is_stop_word else 1.0))


def _bits(
    words: Sequence[WordStrength], ways: Mapping[str, Sequence[_Way]], posted: Iterable[PostedTerm]
) -> Mapping[str, int]:
    bits: dict[str, int] = {}
    for at, word in enumerate(words):
        for text in (word.word, *(part for way in ways.get(word.word, ()) for part in way.parts)):
            bits[text] = bits.get(text, 0) | 1 << at
    for item in posted:
        for form in item.forms:
            bits[form.word] = bits.get(form.word, 0) | bits.get(item.term.text, 0)
    return bits


def _best_matches(matches: Iterable[FieldMatch]) -> Mapping[str, WordStrength]:
    """The best match of each typed word; the first of equals."""
    best: dict[str, WordStrength] = {}
    for match in matches:
        if match.is_suggested:
            continue
        quality = KINDS[match.kind] * FIELDS[match.field]
        if match.query not in best or quality > best[match.query].quality:
            best[match.query] = WordStrength(
                match.query, 0.0, 0.0, quality, match.kind, match.field, "" if match.form == match.query else match.form
            )
    return best
