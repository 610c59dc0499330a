"""Chooses the passages of a context from a ranking: the best ones that fit a budget of tokens.

A passage's worth is its score among the passages of its note, discounted by the note's rank. The worthiest passages are
taken first, at most three of a note until half of the budget is used. They are shown in the order of the ranking, and
those of one note in the order of its text.

Never above the budget, with headers and closing line; never a text twice; every passage a verbatim span of its note.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, frozen

from search.analysis.token_estimate import estimate_tokens
from search.answer.context import ContextPassage, QuestionContext, closing, header, render, visible
from search.answer.evidence import Passage
from search.answer.result import SearchResult
from search.budget import UNLIMITED, Budget
from search.execution.note_passages import NoteText, Span, passages_in
from search.execution.presentation import searched_words
from search.ids import NoteId
from search.index.indexer import Indexer
from search.ranking.rank import Ranked

MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS = 100, 1_000_000, 4_000
N_NOTES = 30
A_NOTE = 3  # passages of a note, until half of the budget is used
_LARGEST = 400  # tokens of a passage: a long section is cut
_SHARE = 6  # of the budget, for a passage
_LEAST = 32
_WIDEST = "[100] "

Near = Mapping[NoteId, Sequence[Passage]]
NO_PASSAGES: Near = {}


@frozen
class _Candidate:
    """A passage that may be shown, with its worth and the tokens that it costs with its header."""

    passage: ContextPassage
    worth: float
    cost: int


def choose_passages(
    ranked: Ranked,
    answer: SearchResult,
    near: Near,
    *,
    anchors: tuple[float, float],
    max_tokens: int,
    n_without_vectors: int = 0,
    indexer: Indexer,
    budget: Budget = UNLIMITED,
) -> QuestionContext:
    """The context for a ranking. `near` has the chunks with their cosines of the notes that have vectors."""
    candidates: list[_Candidate] = []
    terms = searched_words(ranked)
    size = max(_LEAST, min(_LARGEST, max_tokens // _SHARE))
    for rank, found in enumerate(answer.hits, 1):
        budget.check()
        note = indexer.vault.notes.get(found.hit.id)
        text = indexer.vault.text(found.hit.id)
        if note is None or not text.strip():
            continue
        noted = NoteText(note, text)
        spans = passages_in(noted, terms, near.get(note.id, ()), anchors=anchors, size=size)
        candidates += _candidates(noted, spans, rank)
    empty = QuestionContext(
        text="",
        max_tokens=max_tokens,
        total=answer.total,
        n_without_vectors=n_without_vectors,
        notices=answer.notices,
        mode=answer.mode,
        is_complete=answer.is_complete,
        generation=answer.generation,
        terms=answer.terms,
    )
    return _filled(empty, candidates)


def _candidates(text: NoteText, spans: Sequence[Span], rank: int) -> Iterable[_Candidate]:
    best = max((span.score for span in spans), default=0.0) or 1.0
    for span in spans:
        passage = ContextPassage(
            note=text.note.id,
            title=text.note.title,
            start=span.start,
            end=span.end,
            lines=span.lines,
            headings=span.headings,
            text=text.text[span.start : span.end],
            rank=rank,
        )
        worth = (span.score or 1.0) / best / math.log2(1.0 + rank)
        yield _Candidate(passage, worth, _cost(passage))


def _cost(passage: ContextPassage) -> int:
    """The tokens of a passage with its header, whatever its number is, and the blank line after it."""
    return estimate_tokens(f"{header(100, passage)}\n{visible(passage.text)}\n\n")


def _filled(empty: QuestionContext, candidates: Sequence[_Candidate]) -> QuestionContext:
    """The context with the worthiest passages that fit."""
    n = len(candidates)
    widest = evolve(empty, passages=tuple(one.passage for one in candidates), n_notes=N_NOTES, n_cut=n, n_repeated=n)
    room = empty.max_tokens - estimate_tokens(closing(widest) + "\n")
    order = sorted(candidates, key=lambda one: (-one.worth, one.passage.rank, one.passage.start))
    chosen: list[_Candidate] = []
    texts: set[str] = set()
    n_of: dict[NoteId, int] = {}
    used = n_repeated = 0
    for is_capped in (True, False):
        left: list[_Candidate] = []
        for one in order:
            key = " ".join(one.passage.text.split())
            n_taken = n_of.get(one.passage.note, 0)
            if key in texts:
                n_repeated += 1
            elif (is_capped and n_taken >= A_NOTE and 2 * used < room) or used + one.cost > room:
                left.append(one)
            else:
                chosen.append(one)
                texts.add(key)
                n_of[one.passage.note] = n_taken + 1
                used += one.cost
        order = left
    passages = tuple(sorted((one.passage for one in chosen), key=lambda passage: (passage.rank, passage.start)))
    context = evolve(empty, passages=passages, n_notes=len(n_of), n_cut=len(order), n_repeated=n_repeated)
    text = render(passages, closing(context))
    return evolve(context, text=text, n_tokens=estimate_tokens(text))
