"""Chooses the passages of a context from a ranking: the best ones that fit a budget of tokens.

worth = share * rank^-0.3, and twice that for the best passage of a note

`share` is a passage's score divided by the best score in its note, `rank` the rank of the note, from 1. The passages
with the highest worth are taken first, at most three of a note until half of the budget is used. They are shown in the
order of the ranking, and those of one note in the order of its text. What remains of the budget goes to the lines that
introduce lists.

The whole text, headers and closing line included, never exceeds the budget. No text is shown twice, and every passage
is a verbatim span of its note.
"""

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen

from search.analysis.token_estimate import estimate_tokens
from search.answer.context import ContextPassage, QuestionContext, closing_line, header, lines_visible, render
from search.answer.evidence import Passage
from search.answer.result import SearchResult
from search.budget import UNLIMITED, Budget
from search.execution.note_passages import NoteText, PassageSpan, passages_in
from search.execution.presentation import searched_words
from search.ids import NoteId
from search.index.indexer import Indexer
from search.navigation.file_parts import parts_of
from search.ranking.rank import Ranked

N_NOTES = 30  # the best notes of the ranking, whose passages may be shown
MAX_PER_NOTE = 3  # passages of a note, until half of the budget is used
_BASE_SIZE, _BUDGET_SHARE, _MAX_SIZE = 32, 10, 240  # tokens of a passage: 32 and a tenth of the budget, at most 240
_RANK_EXPONENT = -0.3  # with -0.5 fewer questions have their note, see tests/ranking/CONTEXT.md
_BEST_OF_NOTE = 2.0  # factor; without it fewer questions have their note
_MIN_COST = 10  # tokens; no passage with its header takes less

NearChunks = Mapping[NoteId, Sequence[Passage]]
NO_CHUNKS: NearChunks = {}


@frozen(eq=False)
class _Choice:
    """A passage that may be shown."""

    note: NoteText
    span: PassageSpan
    rank: int  # of its note, from 1
    worth: float  # 0..2; only its order matters

    @property
    def passage(self) -> ContextPassage:
        """The passage as it is shown."""
        note, span = self.note.note, self.span
        part = self.note.part_at(span.lines[0])
        return ContextPassage(
            note=note.id,
            title=note.title,
            start=span.start,
            end=span.end,
            lines=span.lines,
            headings=span.headings,
            text=self.note.text[span.start : span.end],
            rank=self.rank,
            fragment="" if part is None else part.fragment,
            page=note.page_at(span.lines[0])[0],
        )

    @property
    def cost(self) -> int:
        """The estimated tokens of the passage, its header and the blank line after it."""
        passage = self.passage  # its number is not known yet, so one with more digits than any is counted
        return estimate_tokens(f"{header(10_000, passage)}\n{lines_visible(passage.text)}\n\n")


def choose_passages(
    ranked: Ranked,
    answer: SearchResult,
    near: NearChunks,
    *,
    anchors: tuple[float, float],
    max_tokens: int,
    n_without_vectors: int = 0,
    indexer: Indexer,
    budget: Budget = UNLIMITED,
) -> QuestionContext:
    """The context for a ranking, at most `max_tokens` long; with no passages if the answer has no notes.

    `answer` is what is shown of `ranked`. `near` has the chunks of notes with vectors, each with its raw cosine, and
    `anchors` the raw cosine that is worth nothing and that of a sure match.

    Raises:
        Cancelled: the budget was cancelled.
    """
    terms = searched_words(ranked)
    max_size = min(_MAX_SIZE, _BASE_SIZE + max_tokens // _BUDGET_SHARE)
    candidates: list[_Choice] = []
    for rank, found in enumerate(answer.hits, 1):
        budget.check()
        note = indexer.vault.notes.get(found.hit.id)
        text = indexer.vault.text(found.hit.id)
        if note is not None and text.strip():
            whole = NoteText(note, text, parts_of(note, indexer.vault))
            line = found.snippets[0].line if found.snippets else 0
            spans = passages_in(whole, terms, near.get(note.id, ()), anchors=anchors, line=line, max_tokens=max_size)
            candidates += _with_worth(whole, spans, rank)
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


def _with_worth(note: NoteText, spans: Sequence[PassageSpan], rank: int) -> Iterator[_Choice]:
    """A note's passages with their worth."""
    best = max(spans, key=lambda span: span.score, default=None)
    for span in spans:
        share = span.score / best.score if best is not None and best.score else 1.0
        yield _Choice(note, span, rank, share * rank**_RANK_EXPONENT * (_BEST_OF_NOTE if span is best else 1.0))


def _filled(empty: QuestionContext, candidates: Sequence[_Choice]) -> QuestionContext:
    """The context with the passages of the highest worth that fit."""
    n = len(candidates)
    # No closing line is longer than one in which every count is that of all candidates.
    longest = evolve(empty, n_notes=n, n_cut=n, n_repeated=n, total=max(n, empty.total))
    room = empty.max_tokens - estimate_tokens(f"{closing_line(longest, n)}\n")
    chosen, n_cut, n_repeated, used = _taken(candidates, room)
    found = evolve(empty, n_cut=n_cut, n_repeated=n_repeated)
    while True:
        separate = sorted(chosen, key=_place)
        for passages in (_joined(_with_lead_ins(separate, room - used)), separate):
            context = _rendered(found, passages, len(chosen))
            if context.n_tokens <= empty.max_tokens:
                return context
        # Rarely needed: the closing line or a joined line can be estimated a little higher than its parts.
        chosen.pop()
        found = evolve(found, n_cut=found.n_cut + 1)


def _rendered(found: QuestionContext, passages: Sequence[_Choice], n_passages: int) -> QuestionContext:
    """The context with these passages, which were `n_passages` before neighbours were joined."""
    shown = tuple(choice.passage for choice in passages)
    context = evolve(found, passages=shown, n_notes=len({passage.note for passage in shown}))
    text = render(shown, closing_line(context, n_passages))
    return evolve(context, text=text, n_tokens=estimate_tokens(text))


def _place(candidate: _Choice) -> tuple[int, int]:
    return candidate.rank, candidate.span.start


def _taken(candidates: Sequence[_Choice], room: int) -> tuple[list[_Choice], int, int, int]:
    """The candidates that fit, the highest worth first; how many did not fit, how many repeat a text, tokens used.

    Candidates of equal worth are taken in the order of the ranking and of the text.
    """
    waiting = sorted(candidates, key=lambda one: (-one.worth, *_place(one)))
    chosen: list[_Choice] = []
    texts: set[str] = set()
    n_of: dict[int, int] = {}
    used = n_repeated = 0
    for is_limited in (True, False):  # the second round fills what the limit for each note left free
        left: list[_Choice] = []
        for one in waiting:
            n_taken = n_of.get(one.rank, 0)
            if (is_limited and n_taken >= MAX_PER_NOTE and 2 * used < room) or used + _MIN_COST > room:
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


def _with_lead_ins(candidates: Sequence[_Choice], room: int) -> Iterator[_Choice]:
    """The candidates in their order; lists with the line that introduces them, while `room` tokens are left."""
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
    """The candidates, with passages of a note that touch each other as one, under one header."""
    joined: list[_Choice] = []
    for one in candidates:
        last = joined[-1] if joined and joined[-1].rank == one.rank else None
        span = None if last is None else one.note.joined(last.span, one.span)
        if last is not None and span is not None:
            joined[-1] = evolve(last, span=span)
        else:
            joined.append(one)
    return joined
