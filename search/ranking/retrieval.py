"""Retrieval: the notes that contain a request's words, ranked by BM25F, before any model is called.

Retrieval is the most expensive part of a ranking. Its result is a value, which later rankings of the same request
(with cosines, suggested words or a reranker's scores) use again as long as no note has changed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
from attrs import evolve, field, frozen

from search.analysis.fold import fold
from search.analysis.stop_words import stop_words_of
from search.analysis.tokens import runs, tokens
from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.budget import UNLIMITED, Budget
from search.filters.order import has_alternatives, names_files, ranked_leaves
from search.ids import NoteId, first_of_each
from search.index.corpus import Corpus
from search.index.names import is_name
from search.index.postings import Bools, Postings
from search.matching.bm25f import WeighedTerm, weigh, weigh_forms
from search.matching.corrections import correct
from search.matching.expansions import TermExpansion, weigh_expansions
from search.matching.terms import PostedTerm, Term, post, query_terms
from search.query import ParsedQuery, RankedTerm, Scope, Understood
from search.ranking.pipeline import Pipeline
from search.ranking.request import Request
from search.ranking.whole_words import only_word, whole_word_tiers
from search.ranking.word_places import reward_places, words_in_order
from search.sources.grep import Candidates, Tiers, scan
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.lexical import search_lexical
from search.sources.suggested import post_suggested, search_suggested

_DATE_WORD_SHARE = 0.25  # of its idf: "yesterday" is rare, but the note meant by "garden yesterday" does not contain it
_TELLING_SIGNS = frozenset("$@%=~")  # a name can have them, so one without them is not what was typed
NEWEST = "newest"  # the source for queries without words: all notes that the filter allows, by age

Lap = Callable[[str], None]
"""Called with the name of each step when it ends."""


@frozen(eq=False, kw_only=True)
class Suggestions:
    """The words that a chat model suggested, and the notes that contain them."""

    texts: tuple[str, ...] = ()
    posted: tuple[PostedTerm, ...] = ()
    weighed: tuple[WeighedTerm, ...] = ()
    ranking: Ranking[NoteId] = field(factory=Ranking)


@frozen(eq=False, kw_only=True)
class Retrieval:
    """The terms that were looked up in a corpus, and the notes that were found."""

    request: Request  # without terms if the query is only a date; pins and dated notes limited to allowed notes
    is_open: bool  # whether a note that passes the filter is found without any word of the query
    allowed_slots: Bools | None  # the notes that may be found, by slot; None: all
    named: Mapping[NoteId, str]  # note whose title, alias or file name is the query -> that name
    names_within: Mapping[NoteId, tuple[str, float]]  # note with a name inside the query -> that name, its share of idf
    posted: tuple[PostedTerm, ...]
    typed: tuple[WeighedTerm, ...]
    expansions: tuple[TermExpansion, ...]
    candidates: Candidates
    lexical: Ranking[NoteId]  # the candidates by BM25F; by age if the query has no words
    suggestions: Suggestions = field(factory=Suggestions)
    postings: Postings  # of the searched state; slots refer to these
    generation: int  # of the corpus
    name_matches: Mapping[NoteId, float]  # how far a name of a note is what the query asks for, above 0..1
    whole_word: str = ""  # the only word of the query; empty if it has several
    tiers: Tiers | None = None  # how well each note has that word, by slot; see `stages.whole`

    @property
    def weighed(self) -> tuple[WeighedTerm, ...]:
        """Typed and expanded terms."""
        return (*self.typed, *(term for one in self.expansions for term in one.weighed))

    @property
    def pool(self) -> list[NoteId]:
        """The notes that go into the fusion: the best by words, those named by the query, and the suggested ones."""
        pool, found = self.request.pipeline.pool, self.lexical
        n_best = pool.size(self.request.query.limit)
        always = frozenset[NoteId]() if pool.is_strict else self.named.keys()
        ranked = list(found.ranks)
        if self.tiers is not None:
            tiers, slots = self.tiers, self.postings.slots
            ranked.sort(key=lambda note: -int(tiers[slots[note]]))
        kept = first_of_each(ranked, n_best, n_best).union(always)
        best = [note for note in ranked if note in kept]
        return best + [hit.id for hit in self.suggestions.ranking if hit.id not in found.ranks]

    @property
    def compared(self) -> list[NoteId]:
        """The notes whose vectors are compared with the query: the pool, or all candidates.

        All candidates if semantic search is limited to them and the pool is strict: then each source chooses its own
        best among them.
        """
        if self.request.semantic.scope is not Scope.CANDIDATES or not self.request.pipeline.pool.is_strict:
            return self.pool
        return list(dict.fromkeys((*self.lexical.ranks, *self.suggestions.ranking.ranks)))


def retrieve(
    request: Request,
    corpus: Corpus,
    *,
    suggestions: Sequence[str] = (),
    before: Retrieval | None = None,
    budget: Budget = UNLIMITED,
    lap: Lap = lambda _: None,
) -> Retrieval:
    """Look up a request's words, and those of `suggestions`: texts that a chat model wrote for the query.

    `before` is an earlier retrieval for the same request; it is used again unless a note has changed since.
    """
    texts = tuple(suggestions)
    if before is None or before.generation != corpus.generation:
        before = retrieve_lexical(request, corpus, budget=budget, lap=lap)
    if texts == before.suggestions.texts:
        return before
    return evolve(before, suggestions=_suggest(texts if before.weighed else (), before, corpus))


def retrieve_lexical(request: Request, corpus: Corpus, *, budget: Budget, lap: Lap) -> Retrieval:
    """Look up a request's own words."""
    postings, pipeline = corpus.postings, request.pipeline
    understood = _allowed_only(request.understood, corpus, request.allowed)
    parsed, allowed = request.parsed, request.allowed
    if understood.is_only_date:  # then no word is looked up
        parsed, allowed = evolve(parsed, terms=()), frozenset(one.note for one in understood.dated)
    asked = (*parsed.terms, *map(RankedTerm, request.query.salient_terms))
    words = {fold(run) for piece in asked for run in runs(piece.text)}
    stop_words = stop_words_of(corpus.stems.languages(postings), words)
    wanted = query_terms(asked, stop_words)
    wanted = tuple(term for term in wanted if term.text not in pipeline.lexical.stop_words) or wanted
    posted = _look_up(wanted, corpus, pipeline)
    typed = _lower_date_words(_weigh(posted, postings, pipeline), understood.date_words)
    expansions = _expand(understood, typed, corpus, pipeline)
    weighed = (*typed, *(term for one in expansions for term in one.weighed))
    word = only_word(parsed.terms) or (_phrase(parsed) if words and words <= stop_words else "")
    named = corpus.notes_named(parsed.text) if parsed.terms else {}
    if word and request.as_typed and _TELLING_SIGNS.intersection(parsed.text):
        named = {note: name for note, name in named.items() if note in request.as_typed}
    if not weighed and allowed is None:
        allowed = frozenset(named)
    is_open = allowed is not None and _needs_no_word(parsed)
    allowed_slots = None if allowed is None else _slots_of(corpus, allowed)
    exactly_named = _slots_of(corpus, (note for note, name in named.items() if is_name(parsed.text, name)))
    tiers: Tiers | None = None
    if word:
        as_typed = _slots_of(corpus, request.as_typed)
        model = pipeline.lexical.model
        tiers = whole_word_tiers(parsed.terms, posted, corpus, model, is_named=exactly_named, as_typed=as_typed)
    candidates = scan(
        weighed,
        postings,
        limit=request.query.candidate_limit or pipeline.grep.candidate_limit,
        k1=pipeline.lexical.model.k1,
        settings=pipeline.grep,
        allowed=allowed_slots,
        always=_slots_of(corpus, named),
        tiers=tiers,
        is_open=is_open,
    )
    lap("grep")
    budget.check()
    name_matches: Mapping[NoteId, float] = {}
    if weighed:
        lexical = search_lexical(weighed, candidates.slots, postings, k1=pipeline.lexical.model.k1)
        if pipeline.lexical.has_rewards:
            in_order = words_in_order(parsed.terms, posted, typed, corpus.vocabulary)
            lexical, name_matches = reward_places(
                lexical,
                in_order,
                corpus,
                stop_words=stop_words,
                as_typed={} if word else request.as_typed,
                settings=pipeline.lexical,
            )
        if is_open:
            lexical = _with_alternatives(lexical, candidates, postings)
    else:
        lists_files = bool(request.query.types) or names_files(parsed.filter)
        lexical = _newest(corpus, candidates, understood, lists_files=lists_files)
    lap("lexical")
    budget.check()
    return Retrieval(
        request=evolve(request, parsed=parsed, understood=understood, allowed=allowed),
        is_open=is_open,
        allowed_slots=allowed_slots,
        named=named,
        names_within=_names_within(parsed, typed, corpus),
        posted=posted,
        typed=typed,
        expansions=expansions,
        candidates=candidates,
        lexical=lexical,
        postings=postings,
        generation=corpus.generation,
        whole_word=word,
        tiers=tiers,
        name_matches=name_matches,
    )


def _phrase(parsed: ParsedQuery) -> str:
    """The folded text of a query that has nothing but stop words, which mean something only next to each other."""
    return fold(" ".join(term.text for term in parsed.terms))


def _suggest(texts: tuple[str, ...], found: Retrieval, corpus: Corpus) -> Suggestions:
    pipeline = found.request.pipeline
    settings, model = pipeline.suggested, pipeline.lexical.model
    typed = [item.term for item in found.posted]
    posted = post_suggested(texts, typed, corpus.vocabulary, found.postings, n_terms=settings.n_terms)
    weighed = tuple(weigh(term, found.postings, model) for term in posted)
    ranking = search_suggested(weighed, found.postings, settings.n_notes, k1=model.k1, allowed=found.allowed_slots)
    return Suggestions(texts=texts, posted=posted, weighed=weighed, ranking=ranking)


def _look_up(terms: Sequence[Term], corpus: Corpus, pipeline: Pipeline) -> tuple[PostedTerm, ...]:
    stems = corpus.stems if pipeline.stems.weight else None
    posted = post(terms, corpus.vocabulary, corpus.postings, stems=stems)
    if not pipeline.typos.weight:
        return posted
    return correct(posted, corpus.vocabulary, corpus.postings, corpus.spelling, stems=stems)


def _weigh(posted: Sequence[PostedTerm], postings: Postings, pipeline: Pipeline) -> tuple[WeighedTerm, ...]:
    """Weigh all terms, content words first: a stop word counts as part of a name only if the name has one of these."""
    n_words = sum(item.term.is_recalling and not item.term.is_compound for item in posted)
    is_named = np.zeros(len(postings.notes), np.bool_)
    weighed: list[WeighedTerm] = []
    for item in sorted(posted, key=lambda item: item.term.is_stop_word):
        weighed += weigh_forms(
            item,
            postings,
            pipeline.lexical.model,
            stems=pipeline.stems,
            n_words=n_words,
            near_weight=pipeline.typos.weight,
            is_named=is_named,
        )
        if not item.term.is_stop_word:
            is_named |= weighed[-1].is_in_name
    return tuple(weighed)


def _lower_date_words(typed: tuple[WeighedTerm, ...], date_words: Collection[str]) -> tuple[WeighedTerm, ...]:
    """Lower the weight of words of a date, unless there are no others."""
    if not date_words or all(item.term.is_stop_word or item.term.text in date_words for item in typed):
        return typed
    return tuple(
        item.shared(_DATE_WORD_SHARE) if item.term.text in date_words and not item.term.is_literal else item
        for item in typed
    )


def _names_within(
    parsed: ParsedQuery, typed: Iterable[WeighedTerm], corpus: Corpus
) -> Mapping[NoteId, tuple[str, float]]:
    """The notes with a name inside the query, each with that name and its words' share of the query's idf."""
    idf: dict[str, float] = {}
    for weighed in typed:
        if weighed.term.is_recalling:
            idf[weighed.term.text] = idf.get(weighed.term.text, 0.0) + weighed.idf
    total = sum(idf.values())
    found: dict[NoteId, tuple[str, float]] = {}
    for note, name in corpus.names.notes_mentioned_in(parsed.text) if total else ():
        share = sum(idf.get(token, 0.0) for token in dict.fromkeys(tokens(name))) / total
        if share > found.get(note, ("", 0.0))[1]:
            found[note] = (name, min(share, 1.0))
    return found


def _slots_of(corpus: Corpus, notes: Iterable[NoteId]) -> Bools:
    mask = np.zeros(len(corpus.postings.notes), np.bool_)
    slots = corpus.postings.slots
    mask[[slots[note] for note in notes if note in slots]] = True
    return mask


def _needs_no_word(parsed: ParsedQuery) -> bool:
    """Whether the filter alone decides what is found: it requires all words, or has alternatives to them.

    A note may pass it without a token that is a word of the query, as with `file:.md` and `tag:a OR energy`.
    """
    required = {leaf.text for leaf in ranked_leaves(parsed.filter)}
    return required.issuperset(term.text for term in parsed.terms) or has_alternatives(parsed.filter)


def _with_alternatives(lexical: Ranking[NoteId], candidates: Candidates, postings: Postings) -> Ranking[NoteId]:
    """The ranking followed by the candidates that pass the filter without any of the query's words."""
    notes = (postings.notes[slot] for slot in candidates.slots.tolist())
    others = (Hit.found(note, Found(LEXICAL, 0.0)) for note in notes if note not in lexical.ranks)
    return Ranking.of((*lexical, *others))


def _newest(corpus: Corpus, candidates: Candidates, understood: Understood, *, lists_files: bool) -> Ranking[NoteId]:
    """All notes that the filter allows, the newest first: by date if the query is only a date, else by file time.

    Files that are found by name only are included if `lists_files`; else they could hide the notes.
    """
    is_listed = candidates.is_found if lists_files else candidates.is_found & ~corpus.postings.is_by_name
    notes = [corpus.postings.notes[slot] for slot in np.flatnonzero(is_listed).tolist()]
    dated = {one.note: one for one in understood.dated} if understood.is_only_date else {}
    if dated:
        return Ranking.of(
            Hit.found(note, Found(NEWEST, dated[note].order), evidence=Evidence(dated=dated[note].why))
            for note in notes
            if note in dated
        )
    return Ranking.of(Hit.found(note, Found(NEWEST, corpus.notes[note].modified)) for note in notes)


def _allowed_only(understood: Understood, corpus: Corpus, allowed: frozenset[NoteId] | None) -> Understood:
    """Without the notes that the filter excludes or that were deleted."""
    if not (understood.pins or understood.dated):
        return understood
    may = corpus.notes.keys() if allowed is None else allowed & corpus.notes.keys()
    return evolve(
        understood,
        pins=tuple(pin for pin in understood.pins if pin.note in may),
        dated=tuple(one for one in understood.dated if one.note in may),
    )


def _expand(
    understood: Understood, typed: Sequence[WeighedTerm], corpus: Corpus, pipeline: Pipeline
) -> tuple[TermExpansion, ...]:
    if pipeline.acronyms is None or not understood.expansions:
        return ()
    return weigh_expansions(
        understood.expansions,
        typed,
        corpus.vocabulary,
        corpus.postings,
        model=pipeline.lexical.model,
        settings=pipeline.acronyms,
    )
