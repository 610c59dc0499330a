"""Chooses the passages of a context from a ranking: the best ones that fit a budget of tokens.

worth = share * rank^-0.3, and twice that for the best passage of a note

`share` is a passage's score divided by the best score in its note. The worthiest passages are taken first, at most
three of a note until half of the budget is used. They are shown in the order of the ranking, and those of one note in
the order of its text. What remains of the budget is used for the lines that introduce a list.

Never above the budget, with headers and closing line; never a text twice; every passage a verbatim span of its note.
"""

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen

from search.analysis.token_estimate import estimate_tokens
from search.answer.context import ContextPassage, QuestionContext, closing, header, render, visible
from search.answer.evidence import Passage
from search.answer.result import SearchResult
from search.budget import UNLIMITED, Budget
from search.execution.note_passages import NoteText, PassageSpan, passages_in
from search.execution.presentation import searched_words
from search.ids import NoteId
from search.index.indexer import Indexer
from search.ranking.rank import Ranked

N_NOTES = 30
A_NOTE = 3  # passages of a note, until half of the budget is used
_LEAST, _SHARE, _LARGEST = 32, 10, 240  # tokens of a passage: the least and a tenth of the budget, within the largest
_FALL = -0.3  # with -0.5 fewer questions have their note, see tests/ranking/CONTEXT.md
_BEST_OF_NOTE = 2.0
_SMALLEST = 10  # tokens; no passage with its header takes less

Near = Mapping[NoteId, Sequence[Passage]]
NO_PASSAGES: Near = {}


@frozen(eq=False)
class _Choice:
    """A passage that may be shown."""

    note: NoteText
    span: PassageSpan
    rank: int  # of its note, from 1
    worth: float

    @property
    def passage(self) -> ContextPassage:
        """The passage as it is shown."""
        note, span = self.note.note, self.span
        return ContextPassage(
            note=note.id,
            title=note.title,
            start=span.start,
            end=span.end,
            lines=span.lines,
            headings=span.headings,
            text=self.note.text[span.start : span.end],
            rank=self.rank,
        )

    @property
    def cost(self) -> int:
        """The tokens of the passage with its header, whatever its number is, and the blank line after it."""
        passage = self.passage
        return estimate_tokens(f"{header(10_000, passage)}\n{visible(passage.text)}\n\n")


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
    terms = searched_words(ranked)
    size = min(_LARGEST, _LEAST + max_tokens // _SHARE)
    candidates: list[_Choice] = []
    for rank, found in enumerate(answer.hits, 1):
        budget.check()
        note = indexer.vault.notes.get(found.hit.id)
        text = indexer.vault.text(found.hit.id)
        if note is not None and text.strip():
            whole = NoteText(note, text)
            line = found.snippets[0].line if found.snippets else 0
            spans = passages_in(whole, terms, near.get(note.id, ()), anchors=anchors, line=line, size=size)
            candidates += _weighed(whole, spans, rank)
    empty = QuestionContext(
        text="",
        max_tokens=max_tokens,
        total=answer.total,
        n_without_vectors=n_without_vectors,
        notices=answer.notices,
        mode=answer.mode,
        is_complete=answer.is_complete,
        generation=answer.generation,
    )
    return _filled(empty, candidates)


def _weighed(note: NoteText, spans: Sequence[PassageSpan], rank: int) -> Iterator[_Choice]:
    """A note's passages with their worth."""
    best = max(spans, key=lambda span: span.score, default=None)
    for span in spans:
        share = span.score / best.score if best is not None and best.score else 1.0
        yield _Choice(note, span, rank, share * rank**_FALL * (_BEST_OF_NOTE if span is best else 1.0))


def _filled(empty: QuestionContext, candidates: Sequence[_Choice]) -> QuestionContext:
    """The context with the worthiest passages that fit."""
    n = len(candidates)
    widest = evolve(empty, n_notes=n, n_cut=n, n_repeated=n, total=max(n, empty.total))
    room = empty.max_tokens - estimate_tokens(f"{closing(widest, n)}\n")
    chosen, n_left, n_repeated, used = _taken(candidates, room)
    found = evolve(empty, n_cut=n_left, n_repeated=n_repeated)
    while True:
        separate = sorted(chosen, key=_place)
        for passages in (_joined(_introduced(separate, room - used)), separate):
            context = _rendered(found, passages, len(chosen))
            if context.n_tokens <= empty.max_tokens:
                return context
        # Hardly ever: the closing line or a joined line is estimated a little higher than its parts.
        chosen.pop()
        found = evolve(found, n_cut=found.n_cut + 1)


def _rendered(found: QuestionContext, passages: Sequence[_Choice], n_passages: int) -> QuestionContext:
    """The context with these passages, which were `n_passages` before neighbours were joined."""
    shown = tuple(choice.passage for choice in passages)
    context = evolve(found, passages=shown, n_notes=len({passage.note for passage in shown}))
    text = render(shown, closing(context, n_passages))
    return evolve(context, text=text, n_tokens=estimate_tokens(text))


def _place(candidate: _Choice) -> tuple[int, int]:
    return candidate.rank, candidate.span.start


def _taken(candidates: Sequence[_Choice], room: int) -> tuple[list[_Choice], int, int, int]:
    """The worthiest candidates that fit; how many were left out, how many repeat a text, and the tokens used."""
    waiting = sorted(candidates, key=lambda one: (-one.worth, *_place(one)))
    chosen: list[_Choice] = []
    texts: set[str] = set()
    n_of: dict[int, int] = {}
    used = n_repeated = 0
    for is_limited in (True, False):
        left: list[_Choice] = []
        for one in waiting:
            n_taken = n_of.get(one.rank, 0)
            if (is_limited and n_taken >= A_NOTE and 2 * used < room) or used + _SMALLEST > room:
                left.append(one)
                continue
            text = " ".join(one.passage.text.split())
            cost = one.cost
            if text in texts:
                n_repeated += 1
            elif used + cost > room:
                left.append(one)
            else:
                chosen.append(one)
                texts.add(text)
                n_of[one.rank] = n_taken + 1
                used += cost
        waiting = left
    return chosen, len(waiting), n_repeated, used


def _introduced(candidates: Sequence[_Choice], room: int) -> Iterator[_Choice]:
    """The candidates in their order; lists with the line that introduces them, as long as there is room."""
    before: _Choice | None = None
    for one in candidates:
        longer = evolve(one, span=one.note.with_lead_in(one.span))
        is_free = before is None or before.rank != one.rank or before.span.end <= longer.span.start
        more = longer.cost - one.cost if is_free and longer.span != one.span else room + 1
        if more <= room:
            room -= max(0, more)
            one = longer  # noqa: PLW2901 - the passage that is shown
        yield one
        before = one


def _joined(candidates: Iterator[_Choice]) -> list[_Choice]:
    """Neighbouring passages of a note as one, under one header."""
    joined: list[_Choice] = []
    for one in candidates:
        last = joined[-1] if joined and joined[-1].rank == one.rank else None
        span = None if last is None else one.note.joined(last.span, one.span)
        if last is not None and span is not None:
            joined[-1] = evolve(last, span=span)
        else:
            joined.append(one)
    return joined
