"""Ranked notes as they are shown, each with its matches, excerpts and a sentence; and why a note is not among them.

Only what is shown is described. Texts are read without the index's lock.
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Self

from attrs import evolve, frozen

from search.analysis.fold import fold
from search.analysis.tokens import run_tokens, runs, tokens
from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.explain import sentence
from search.answer.ranking import Hit
from search.answer.result import FoundNote, LinkedNote, Snippet
from search.answer.strength import LEAST_SIMILAR, StrengthDerivation, strength_of
from search.answer.trail import Found
from search.budget import UNLIMITED, Budget
from search.execution.linking_lines import linking_lines
from search.execution.strengths import Strengths
from search.filters.order import ranked_leaves
from search.filters.regexes import Regexes
from search.filters.signs import words_with_signs
from search.graph.walk import neighbours
from search.ids import NoteId, is_by_name, is_note
from search.index.corpus import Corpus
from search.index.indexer import Indexer
from search.index.names import normalized
from search.matching.terms import Term, query_terms
from search.navigation.absence import absence
from search.navigation.file_parts import placed
from search.navigation.library import Library
from search.navigation.symbols import Symbol
from search.query import Node, ParsedQuery, Phrase, RankedTerm
from search.ranking.rank import Ranked, matches_in
from search.ranking.term_trails import with_terms
from search.settings import Settings
from search.snippets.excerpts import beginning, excerpts, lines_of, opening, sections_of
from search.snippets.filter_spots import filter_spots, has_places, terms_shown_anywhere
from search.snippets.spots import HighlightTerm, Spot, highlight_terms, total_weight
from search.snippets.words_in_lines import WordsInLines, words_in
from search.vault.note import Note

_MAX_LINKED = 10
_SIGNS = 0.5  # of the weight of the tokens of a word with signs, for the word as typed
BY_NAME = "names"  # the source of the first, partial answer
N_FIRST = 10  # hits that are described before the others: as many as fit on a screen

OnFirst = Callable[[tuple[FoundNote, ...]], None]


def describe(
    ranked: Ranked,
    hits: Iterable[Hit[NoteId]],
    *,
    indexer: Indexer,
    settings: Settings,
    budget: Budget = UNLIMITED,
    on_first: OnFirst | None = None,
) -> tuple[FoundNote, ...]:
    """The hits as they are shown, in their order; a note that was deleted since it was ranked is left out.

    Reading and searching the texts takes most of the time. `on_first` receives all hits once the first `N_FIRST` are
    described, the others without what depends on their text: excerpts, sections and strength.
    """
    request = ranked.request
    with indexer.lock:
        shown = [(hit, note) for hit in hits if (note := indexer.corpus.notes.get(hit.id)) is not None]
        text = ranked.retrieval.request.parsed.text
        named = indexer.corpus.notes_named_in_any_form(text) if ranked.retrieval.posted else {}
        linked = {hit.id: _linked(hit.id, indexer.corpus) for hit, _ in shown} if request.query.include_linked else {}
    library = Library(indexer)
    if request.query.include_terms:
        detailed = with_terms((hit for hit, _ in shown), ranked)
        shown = [(hit, note) for hit, (_, note) in zip(detailed, shown, strict=True)]
    matches = matches_in(ranked, [hit.id for hit, _ in shown])
    shows, strengths = _Excerpts.of(ranked, budget), Strengths.of(ranked)
    stop_words = frozenset(posted.term.text for posted in ranked.posted if posted.term.is_stop_word)
    found: list[FoundNote] = []
    for place, (hit, note) in enumerate(shown):
        budget.check()
        if on_first is not None and place == N_FIRST:
            on_first((*found, *(_in_brief(hit, note, matches, strengths, stop_words) for hit, note in shown[place:])))
        whole = evolve(hit, evidence=evolve(hit.evidence, matches=matches.get(hit.id, ())))
        text = indexer.vault.text(hit.id)
        if not text and hit.id not in indexer.vault.notes:
            continue
        lines = lines_of(text)
        words = words_in(lines, shows.searched)
        if not words and (is_by_name(note.id) or not (text.strip() or is_note(note.id))):
            snippets = linking_lines(note, library, n_snippets=settings.n_snippets)
        else:
            snippets = shows.snippets(note, whole.evidence, lines=lines, words=words, n_snippets=settings.n_snippets)
            snippets = placed(snippets, note, indexer.vault)
        own = [snippet for snippet in snippets if not snippet.is_of_linking_note]
        places = [Snippet("", passage.lines[0]) for passage in hit.evidence.passages] or own
        is_by_filter = ranked.retrieval.is_open and not whole.evidence.matches  # then there is nothing to compare
        exact_name = named.get(hit.id, "")
        derivation = None if is_by_filter else strengths.of_note(hit.id, whole.evidence, words, exact_name=exact_name)
        staleness = request.pipeline.staleness
        found.append(
            FoundNote(
                hit=whole,
                title=note.title,
                sentence=_sentence(whole, derivation, stop_words),
                strength=None if derivation is None else derivation.value,
                derivation=derivation,
                snippets=snippets,
                sections=sections_of(note, places),
                staleness="" if staleness is None else staleness.level(note.modified, request.now),
                linked=linked.get(hit.id, ()),
            )
        )
    return tuple(found)


def _in_brief(
    hit: Hit[NoteId],
    note: Note,
    matches: Mapping[NoteId, tuple[FieldMatch, ...]],
    strengths: Strengths,
    stop_words: Container[str],
) -> FoundNote:
    """A hit without what depends on the note's text."""
    whole = evolve(hit, evidence=evolve(hit.evidence, matches=matches.get(hit.id, ())))
    derivation = strengths.of_note(hit.id, whole.evidence, words_in((), ()), exact_name="")
    return FoundNote(hit=whole, title=note.title, sentence=_sentence(whole, derivation, stop_words))


def _sentence(hit: Hit[NoteId], derivation: StrengthDerivation | None, stop_words: Container[str]) -> str:
    is_similar = derivation is None or derivation.cosine is None or derivation.by_meaning >= LEAST_SIMILAR
    return sentence(evolve(hit, evidence=_telling(hit.evidence, stop_words)), is_similar=is_similar)


def searched_words(ranked: Ranked) -> tuple[HighlightTerm, ...]:
    """All words and phrases of a ranking's query, with the forms of them that the notes have."""
    return _wanted(ranked, ranked.retrieval.request.parsed.terms)


def _telling(evidence: Evidence, stop_words: Container[str]) -> Evidence:
    """The evidence without matches of stop words; a query of nothing else has none."""
    if not any(match.query in stop_words for match in evidence.matches):
        return evidence
    return evolve(evidence, matches=tuple(match for match in evidence.matches if match.query not in stop_words))


@frozen
class _Excerpts:
    """The words of a query that excerpts show, and the part of its filter that says where in a note they belong."""

    searched: tuple[HighlightTerm, ...]  # all of its words and phrases
    words: tuple[HighlightTerm, ...]  # those that are highlighted: words of a phrase are so only as a phrase
    anywhere: tuple[HighlightTerm, ...]  # those that the filter does not tie to a place in the note
    filter: Node | None  # None if no part of the filter says where in a note it matches
    regexes: Regexes

    @classmethod
    def of(cls, ranked: Ranked, budget: Budget) -> Self:
        """The excerpts of a ranking, prepared once for all shown notes."""
        parsed = ranked.retrieval.request.parsed
        hidden = _only_in_phrases(parsed)
        searched = _wanted(ranked, parsed.terms)
        words = _wanted(ranked, parsed.terms, hidden) if hidden else searched
        if not has_places(parsed.filter):
            return cls(searched, words, words, None, Regexes(budget.clock))
        free = terms_shown_anywhere(parsed.terms, parsed.filter)
        typed_free = {term.text for term in query_terms(free)} if free else set()
        phrases = [term.text for term in free if term.is_phrase]
        found = [(term, weight) for term, weight, typed in _highlighted(ranked) if typed in typed_free]
        anywhere = (*highlight_terms(found, phrases, only_in_phrases=hidden), *_with_signs(free, found))
        return cls(searched, words, anywhere, parsed.filter, Regexes(budget.clock))

    def snippets(
        self, note: Note, evidence: Evidence, *, lines: Sequence[str], words: WordsInLines, n_snippets: int
    ) -> tuple[Snippet, ...]:
        """The note's excerpts; without a match, the beginning of the passage nearest in meaning, else of the note.

        `words` are those of `self.searched` in the note's `lines`.
        """
        spots: list[Spot] = []
        if self.filter is not None:
            weights = {at: sum(weight for _, weight in found) for at, found in words.items()}
            weight = total_weight(self.words)
            spots = filter_spots(self.filter, note, lines, weight=weight, regexes=self.regexes, line_weights=weights)
        wanted = self.anywhere if spots else self.words
        known = words if wanted is self.searched else None
        found = excerpts(note, lines, wanted, words=known, spots=spots, n_snippets=n_snippets)
        passage = evidence.semantic_lines
        return found or (opening(lines, *passage) if passage else ()) or beginning(note, lines)


def _only_in_phrases(parsed: ParsedQuery) -> frozenset[str]:
    """The words that the query has only in phrases that are required as a whole."""
    required = {
        leaf.text for leaf in ranked_leaves(parsed.filter) if isinstance(leaf, Phrase) and "\n" not in leaf.text
    }
    others = [term for term in parsed.terms if not term.is_phrase or term.text not in required]
    if len(others) == len(parsed.terms):
        return frozenset()
    return frozenset(term.text for term in query_terms(parsed.terms)) - {term.text for term in query_terms(others)}


def _wanted(ranked: Ranked, terms: Iterable[RankedTerm], hidden: Collection[str] = ()) -> tuple[HighlightTerm, ...]:
    phrases = [term.text for term in terms if term.is_phrase]
    found = [(term, weight) for term, weight, _ in _highlighted(ranked)]
    return (*highlight_terms(found, phrases, only_in_phrases=hidden), *_with_signs(terms, found))


def _with_signs(terms: Iterable[RankedTerm], found: Iterable[tuple[Term, float]]) -> Iterator[HighlightTerm]:
    """The words that tokens do not hold as typed; as such each counts half as much again as its tokens."""
    weights = {term.text: weight for term, weight in found}
    for word in words_with_signs(terms):
        weight = sum(weights.get(token, 0.0) for token in dict.fromkeys(tokens(word)))
        yield HighlightTerm(fold(word), _SIGNS * weight, is_free=True)


def _highlighted(ranked: Ranked) -> Iterator[tuple[Term, float, str]]:
    """The words to highlight, each with its weight and what was typed for it; other forms of a word weigh half."""
    weights: dict[Term, float] = {}
    for item in ranked.weighed:
        weights[item.term] = weights.get(item.term, 0.0) + item.idf
    by_text = {term.text: weight for term, weight in weights.items()}
    for term in [term for term in weights if term.is_compound]:  # as a whole it outweighs all its parts
        weights[term] += sum(by_text.get(part, 0.0) for part in _parts_of(term.text, ranked.retrieval.request.parsed))
    yield from ((term, weight, term.text) for term, weight in weights.items())
    for posted in ranked.posted:
        for spelling in posted.spellings:
            yield evolve(posted.term, text=spelling, is_prefix=False), weights.get(posted.term, 0.0), posted.term.text
        term, weight = posted.term, 0.5 * weights.get(posted.term, 0.0)
        for form in posted.forms:
            yield evolve(term, text=form.word, is_prefix=len(form.numbers) > 1), weight, term.text


def _parts_of(word: str, parsed: ParsedQuery) -> tuple[str, ...]:
    """The other tokens of the query's run whose whole form is `word`."""
    found = (run_tokens(run) for term in parsed.terms for run in runs(term.text))
    return next((held[1:] for held in found if held[:1] == (word,)), ())


def _linked(note: NoteId, corpus: Corpus) -> tuple[LinkedNote, ...]:
    """The first notes that the note links to, then those that link to it."""
    near = islice(neighbours(note, corpus.links, is_typed=True), _MAX_LINKED)
    return tuple(
        LinkedNote(
            note=other.note,
            title=corpus.notes[other.note].title,
            types=tuple(sorted(other.types)),
            is_backlink=other.is_backlink,
        )
        for other in near
        if other.note in corpus.notes
    )


def by_name(query: str, symbols: Iterable[Symbol]) -> tuple[FoundNote, ...]:
    """Notes found by their names alone, each once, without excerpts, with the score of its best name."""
    found: dict[NoteId, FoundNote] = {}
    for symbol in symbols:
        if symbol.note not in found:
            exact = symbol.name if normalized(symbol.name) == normalized(query) else ""
            match = FieldMatch(Field.TITLE, " ".join(fold(query).split()), 1.0, kind=_kind_of(query, symbol.name))
            evidence = Evidence(matches=(match,), exact_name=exact)
            hit = Hit.found(symbol.note, Found(BY_NAME, symbol.score), evidence=evidence)
            named = strength_of((), exact_name=exact) if exact else None
            found[symbol.note] = FoundNote(
                hit=hit,
                title=symbol.title,
                sentence=sentence(hit),
                strength=None if named is None else named.value,
                derivation=named,
            )
    return tuple(found.values())


def _kind_of(query: str, name: str) -> MatchKind:
    if normalized(query) in normalized(name).split(" "):
        return MatchKind.WORD
    return MatchKind.PREFIX if f" {normalized(name)}".find(f" {normalized(query)}") >= 0 else MatchKind.INNER


def verdict(note: NoteId, ranked: Ranked, *, indexer: Indexer) -> tuple[str, str]:
    """The step of a search that decided about a note, and a sentence about it."""
    allowed = ranked.request.allowed
    with indexer.lock:
        exists = note in indexer.corpus.notes
        slot = indexer.corpus.postings.slots.get(note)
    if not exists:
        return absence(note, indexer.vault.skipped)
    if allowed is not None and note not in allowed:
        return "filter", "The query's filter excludes it."
    if (dropped := _dropped(note, ranked)) is not None:
        return dropped
    if note not in ranked.ranking.ranks and (slot is None or not ranked.retrieval.candidates.is_found[slot]):
        return _unfound(ranked)
    return _place(note, ranked)


def rank_of(note: NoteId, ranked: Ranked) -> int | None:
    """The note's rank; its rank by words if it did not reach the stages; None if a stage removed it."""
    if note in ranked.fused.ranks:
        return ranked.ranking.ranks.get(note)
    return ranked.ranking.ranks.get(note) or ranked.retrieval.lexical.ranks.get(note)


def _unfound(ranked: Ranked) -> tuple[str, str]:
    if ranked.request.understood.is_only_date:
        return "dates", "It is not of the time that the query names."
    if not ranked.retrieval.request.parsed.text.strip():
        return "grep", "The query is empty."
    ways = [way for way, is_tried in (("in meaning", ranked.has_semantic), ("by links", ranked.has_links)) if is_tried]
    more = f", and it is not among the nearest {' or '.join(ways)}" if ways else ""
    return "grep", f"It contains none of the query's words{more}."


def _dropped(note: NoteId, ranked: Ranked) -> tuple[str, str] | None:
    """The stage that removed the note, with the note's score and the lowest score that the stage kept."""
    before = ranked.fused
    for stage, after in ranked.after:
        if note in before.ranks and note not in after.ranks:
            rank = before.ranks[note]
            score = before.hits[rank - 1].score
            lowest = f"; the lowest score kept is {after.hits[-1].score:.4g}" if after.hits else ""
            return stage, f"It ranked {rank} of {len(before)} with {score:.4g}; {stage} removed it{lowest}."
        before = after
    return None


def _place(note: NoteId, ranked: Ranked) -> tuple[str, str]:
    """The step and the sentence for a note that was found."""
    n_found, n_ranked, limit = ranked.n_found, len(ranked.retrieval.lexical), ranked.request.query.limit
    if (place := ranked.ranking.ranks.get(note)) is not None:
        ranks = f"It ranks {place} of {n_found}"
        return ("ranked", f"{ranks}.") if place <= limit else ("limit", f"{ranks}; the limit is {limit}.")
    if (place := ranked.retrieval.lexical.ranks.get(note)) is not None:
        return "limit", f"Its words rank it {place} of {n_ranked}; no boost lifts it to the limit, {limit}."
    return "candidates", f"Of {n_found} notes that match, {n_ranked} with more or rarer words of the query were ranked."
