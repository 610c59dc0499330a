"""Collects what the strength of each shown note is made of: the query's words, their best matches, and the cosine.

Everything was found by the ranking already, or by the search for excerpts; no text is read or folded here.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple, Self

from attrs import frozen

from search.analysis.tokens import is_dense, run_tokens, runs
from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.strength import (
    FIELDS,
    KINDS,
    STOP_WORD_SHARE,
    AnchoredCosine,
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
from search.ranking.request import SemanticScores
from search.snippets.spots import LineWords
from search.snippets.words_in_lines import WordsInLines

_QUALITIES = {(kind, field): KINDS[kind] * FIELDS[field] for kind in KINDS for field in FIELDS}


class _Match(NamedTuple):
    """The best match of a word, see `WordStrength`."""

    quality: float
    match: MatchKind
    field: Field | None
    form: str


_quality = attrgetter("quality")


@frozen
class _Way:
    """Another way to match a word: by `parts`; with all of them, it is worth as much as `kind`."""

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
            {} if scores is None else _nearest(scores),
            (0.0, 1.0) if scores is None else (scores.floor, scores.gate),
        )

    def of_note(
        self, note: NoteId, evidence: Evidence, in_lines: WordsInLines, *, exact_name: str
    ) -> StrengthDerivation | None:
        """The strength of a note, with the words found in its lines; None if the query has no words to compare."""
        if not self._words:
            return None
        best = _best_matches(evidence.matches)
        matches = [self._match(word.word, best, is_dated=bool(evidence.dated)) for word in self._words]
        near = self._near(matches, evidence.matches, in_lines)
        words = [
            WordStrength(word.word, word.idf, word.weight, *match, bool(near >> at & 1)) if match else word
            for at, (word, match) in enumerate(zip(self._words, matches, strict=True))
        ]
        cosine = self._cosines.get(note)
        return strength_of(
            words, None if cosine is None else AnchoredCosine(cosine, *self._anchors), exact_name=exact_name
        )

    def _match(self, word: str, best: Mapping[str, _Match], *, is_dated: bool) -> _Match | None:
        """The best match of a word, directly or in another way."""
        found = [best[word]] if word in best else []
        for way in self._ways.get(word, ()):
            parts = {part: best[part] for part in way.parts if part in best}
            if parts:
                of_all = max(parts.values(), key=_quality)
                found.append(
                    _Match(
                        KINDS[way.kind] * sum(map(_quality, parts.values())) / len(way.parts),
                        of_all.match if way.kind is MatchKind.WORD else way.kind,
                        of_all.field,
                        " ".join(match.form or part for part, match in parts.items()),
                    )
                )
        if is_dated and word in self._date_words:
            found.append(_Match(KINDS[MatchKind.EXPANSION], MatchKind.EXPANSION, None, "the note's date"))
        return max(found, key=_quality, default=None)

    def _near(self, matches: Sequence[_Match | None], all_matches: Iterable[FieldMatch], in_lines: WordsInLines) -> int:
        """The matched words in the title and in the best passage, as a bit mask."""
        bits = self._bits
        amounts = [(1 << at, self._words[at].weight * match.quality) for at, match in enumerate(matches) if match]
        matched = sum(bit for bit, _ in amounts)
        in_title = 0
        for match in all_matches:
            if match.field is Field.TITLE:
                in_title |= bits.get(match.query, 0)
        if not matched & ~in_title:
            return in_title & matched

        @cache
        def value(mask: int) -> tuple[float, int]:
            return sum([amount for bit, amount in amounts if mask & bit]), mask

        def words_of(found: LineWords) -> int:
            mask = in_title
            for item, _ in found:
                mask |= bits.get(item.text, 0)
            return mask & matched

        at_most = {number: words_of(found) for number, found in in_lines.found.items()}
        get = at_most.get
        passages = {number: value(mask | get(number + 1, 0) | get(number + 2, 0)) for number, mask in at_most.items()}
        best = value(in_title & matched)
        for number in sorted(passages, key=passages.__getitem__, reverse=True):
            if passages[number] <= best:
                break
            best = max(best, value(words_of([item for at in range(3) for item in in_lines.in_line(number + at)])))
        return best[1]


def _nearest(scores: SemanticScores) -> Mapping[NoteId, float]:
    """The cosine of whatever is nearest in each note: a passage, its name or its opening."""
    nearest = {hit.id: hit.score for hit in scores.notes}
    for hit in scores.gists:
        nearest[hit.id] = max(hit.score, nearest.get(hit.id, -1.0))
    return nearest


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
        df = postings.document_frequency(item.found[0][1].held_by(len(postings.notes)))
    idf = inverse_document_frequency(df, postings.n_weighing)
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


def _best_matches(matches: Iterable[FieldMatch]) -> Mapping[str, _Match]:
    """The best match of each typed word; the first of equals."""
    best: dict[str, _Match] = {}
    for match in matches:
        quality, known = _QUALITIES[match.kind, match.field], best.get(match.query)
        if not match.is_suggested and (known is None or quality > known.quality):
            form = "" if match.form == match.query else match.form
            best[match.query] = _Match(quality, match.kind, match.field, form)
    return best
