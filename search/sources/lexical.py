"""The lexical source: Whoosh matches and scores the candidates, over postings that are already in memory.

The trick: the slow part of a Whoosh index is writing it, and this reader writes nothing. It offers one posting list for
each term of the query, with the weighted term frequency of all fields as its weight. Scoring it gives true BM25F with
the document frequencies of the whole vault (Whoosh's own BM25F adds up the fields after saturation). A disjunction adds
up whole posting lists as arrays; Whoosh's own steps through them note by note, which takes several times as long.

The only module that imports Whoosh.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from attrs.validators import deep_iterable, ge, instance_of, le
from whoosh import fields, reading, scoring, searching
from whoosh.matching.mcore import ListMatcher, Matcher
from whoosh.query.compound import Or
from whoosh.query.terms import Term

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.ids import NoteId
from search.index.postings import Floats, Postings
from search.matching.bm25f import Bm25f, WeighedTerm

if TYPE_CHECKING:
    import numpy.typing as npt

SOURCE = "lexical"
_FIELD = "note"
_SCHEMA = fields.Schema(note=fields.KEYWORD())


@frozen(kw_only=True)
class Lexical:
    """The ranking by words; see `Bm25f` for its constants.

    stop_words: further words of the query that are ignored, unless the query has no others. In lower case,
        without accents.
    nearness: what a note that has the words close together in the query's order gains, as a share of its score, 0..1;
        less for a query of more than three words; 0; `balanced`: 0.1 (tests/ranking/PARAMETERS.md).
    in_name: what a note gains whose name is what the query asks for, as a share of its score, 0..4; 0; `balanced`: 0.8.
    in_heading: the same for a heading of the note, 0..4; 0; `balanced`: 0.3.
    weight: weight of words, relative to the other sources except the semantic one, 0..10; 1. With 0 words find no
        notes, but still count as evidence.
    """

    stop_words: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))
    nearness: float = field(default=0.0, validator=[ge(0.0), le(1.0)])
    in_name: float = field(default=0.0, validator=[ge(0.0), le(4.0)])
    in_heading: float = field(default=0.0, validator=[ge(0.0), le(4.0)])
    weight: float = field(default=1.0, validator=[ge(0.0), le(10.0)])
    model: Bm25f = field(factory=Bm25f)

    @property
    def has_rewards(self) -> bool:
        """Whether it counts where a note has the words."""
        return bool(self.nearness or self.in_name or self.in_heading)


def search_lexical(
    terms: Sequence[WeighedTerm], candidates: "npt.NDArray[np.int64]", postings: Postings, *, k1: float
) -> Ranking[NoteId]:
    """Rank the candidates (slots) by BM25F; candidates without any of the terms are left out.

    Scores are BM25F, above 0. Ties by note id. No terms or no candidates: an empty ranking.
    """
    reader = _CandidateReader(terms, candidates)
    wanted = _AnyOf(reader.queries())
    with searching.Searcher(reader, weighting=_Saturated(reader, k1)) as searcher:
        results = searcher.search(wanted, limit=None)
        notes = postings.notes
        return Ranking.of(
            Hit.found(notes[candidates[number]], Found(SOURCE, score)) for score, number in results.top_n if score > 0
        )


class _AnyOf(Or):
    """A disjunction of terms that matches all its notes at once."""

    def matcher(self, searcher: searching.Searcher, context: object = None) -> Matcher:
        reader = searcher.reader()
        assert isinstance(reader, _CandidateReader)  # noqa: S101 - the only one that is searched here
        scores = np.zeros(reader.doc_count_all())
        for term in (one for one in self.subqueries if isinstance(one, Term)):
            numbers, frequencies = reader.frequencies(term.text)
            scorer: _TermScorer = searcher.weighting.scorer(searcher, term.fieldname, term.text)
            scores[numbers] += scorer.scores(frequencies) * term.boost
        there = np.flatnonzero(scores)
        return ListMatcher(there.tolist(), weights=scores[there].tolist())


class _CandidateReader(reading.IndexReader):
    """Document numbers are positions among the candidates; the name of a term is its position in the query.

    Names are digits, so that any text can be a term. Vectors, stored fields and field lengths (these are part of the
    weights) are never read here, so their methods return trivial values.
    """

    def __init__(self, terms: Sequence[WeighedTerm], candidates: "npt.NDArray[np.int64]") -> None:
        self.schema = _SCHEMA
        self._n_candidates = len(candidates)
        self._lists: dict[str, tuple[WeighedTerm, npt.NDArray[np.int64], Floats]] = {}
        for at, weighed in enumerate(terms):
            frequencies = weighed.frequencies[candidates]
            there = np.flatnonzero(frequencies)
            if len(there):
                self._lists[str(at)] = (weighed, there, frequencies[there])

    def queries(self) -> list[Term]:
        """One query for each term that occurs in any candidate, boosted by how often the user's query has it."""
        return [Term(_FIELD, name, boost=weighed.term.times) for name, (weighed, _, _) in self._lists.items()]

    def frequencies(self, name: str | bytes) -> "tuple[npt.NDArray[np.int64], Floats]":
        """The term's posting list: document numbers, each with the weighted term frequency there."""
        _, numbers, frequencies = self._lists[_name(name)]
        return numbers, frequencies

    def idf(self, name: str | bytes) -> float:
        """The term's inverse document frequency over the vault."""
        return self._lists[_name(name)][0].idf

    def __contains__(self, term: tuple[str, str | bytes]) -> bool:
        return _name(term[1]) in self._lists

    def postings(self, fieldname: str, text: str | bytes, **kwargs: Any) -> Matcher:  # noqa: ANN401 - as Whoosh has it
        numbers, weights = self.frequencies(text)
        return ListMatcher(
            numbers.tolist(), weights=weights.tolist(), scorer=kwargs.get("scorer"), term=(fieldname, text)
        )

    def indexed_field_names(self) -> tuple[str, ...]:
        return (_FIELD,)

    def all_terms(self) -> Iterator[tuple[str, bytes]]:
        return ((_FIELD, name.encode()) for name in self._lists)

    def doc_frequency(self, fieldname: str, text: str | bytes) -> int:
        return len(self._lists[_name(text)][1]) if (fieldname, text) in self else 0

    def frequency(self, fieldname: str, text: str | bytes) -> int:
        return self.doc_frequency(fieldname, text)

    def term_info(self, fieldname: str, text: str | bytes) -> reading.TermInfo:
        return reading.TermInfo(df=self.doc_frequency(fieldname, text))

    def doc_count_all(self) -> int:
        return self._n_candidates

    def doc_count(self) -> int:
        return self._n_candidates

    def is_deleted(self, docnum: int) -> bool:
        return not 0 <= docnum < self._n_candidates

    def has_deletions(self) -> bool:
        return False

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        return {"note": docnum}

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        return 1

    def field_length(self, fieldname: str) -> int:
        return self._n_candidates

    def min_field_length(self, fieldname: str) -> int:
        return 1

    def max_field_length(self, fieldname: str) -> int:
        return 1

    def has_vector(self, docnum: int, fieldname: str) -> bool:
        return False

    def vector(self, docnum: int, fieldname: str, format_: object = None) -> Matcher:
        raise KeyError(f"no vectors are kept of {fieldname!r} {docnum} {format_}")


def _name(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode()


class _Saturated(scoring.WeightingModel):
    """idf * wtf * (k1 + 1) / (wtf + k1)."""

    def __init__(self, reader: _CandidateReader, k1: float) -> None:
        self._reader = reader
        self._k1 = k1

    def scorer(self, searcher: searching.Searcher, fieldname: str, text: str | bytes, qf: float = 1) -> "_TermScorer":
        return _TermScorer(self._reader.idf(text) * qf, self._k1)


class _TermScorer(scoring.BaseScorer):
    def __init__(self, idf: float, k1: float) -> None:
        self._idf = idf
        self._k1 = k1

    def score(self, matcher: Matcher) -> float:
        return float(self.scores(np.array([matcher.weight()]))[0])

    def scores(self, frequencies: Floats) -> Floats:
        """The score of each of these weighted term frequencies."""
        return self._idf * frequencies * (self._k1 + 1.0) / (frequencies + self._k1)
