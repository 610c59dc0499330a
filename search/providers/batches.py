"""Embeds many texts in batches, even if some texts cannot be embedded. Knows no network.

    a batch fails for its size, or may contain a bad text   it is halved, down to single texts
    a single text is too long                               it is halved, and its vector is the mean of the vectors of
                                                            its parts, weighted by their lengths, at unit length
    a single text fails in another way                      a probe tells a bad text from a dead endpoint: if the probe
                                                            gets a vector, the text goes without one and the run goes on
    every other text would fail as well                     the run ends, and keeps the vectors that it has

Invariant: each text ends up with either a vector or a reason.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve, frozen

from search.budget import Budget
from search.providers.embedding_answer import F32, Row, to_unit_length
from search.providers.failure import Failure, FailureKind

Ask = Callable[[Sequence[str]], Sequence[Row] | Failure]

PROBE = "The quick brown fox jumps over the lazy dog."
_MAX_HALVINGS = 8  # of one text, which gives 256 pieces
_MIN_PIECE = 16  # characters; a shorter text is not refused for its length
_SPACE = re.compile(r"\s")
_OF_THE_TEXT = {FailureKind.SIZE, FailureKind.REFUSED}
_ENDS_RUN = {
    FailureKind.FINAL,
    FailureKind.UNREACHABLE,
    FailureKind.BUSY,
    FailureKind.SPENT,
    FailureKind.RESTING,
}


@frozen
class Missing:
    """A text without a vector. `reason` completes the sentence 'TEXT has no vector: REASON'."""

    position: int  # in the list of texts
    reason: str
    is_retriable: bool  # whether another run may succeed


class BatchRun:
    """One run over a list of texts, and its results so far."""

    def __init__(self, texts: Sequence[str], ask: Ask, *, batch_size: int) -> None:
        self.vectors: dict[int, F32] = {}
        self.missing: list[Missing] = []
        self.failure: Failure | None = None  # what ended the run early
        self.batch_size = batch_size  # lowered when the endpoint refuses it; later runs start with the lowered size
        self._texts = texts
        self._ask = ask
        self._wanted_size = batch_size

    def run(self, budget: Budget) -> None:
        """Embed all texts, one batch at a time. Checks the budget before each batch.

        Raises:
            Cancelled: the budget was cancelled.
        """
        positions = []
        for position, text in enumerate(self._texts):
            if text.strip():
                positions.append(position)
            else:
                self.missing.append(Missing(position, "it is empty", is_retriable=False))
        while positions and self.failure is None:
            batch, positions = positions[: self.batch_size], positions[self.batch_size :]
            budget.check()
            if budget.is_spent:
                self.failure = Failure(FailureKind.SPENT, "was not asked for all texts in time")
            else:
                self._embed(batch)
        if self.failure is not None:
            settled = self.vectors.keys() | {missing.position for missing in self.missing}
            reason, is_retriable = self.failure.reason, self.failure.kind is not FailureKind.FINAL
            unsettled = (position for position in range(len(self._texts)) if position not in settled)
            self.missing += [Missing(position, f"the endpoint {reason}", is_retriable) for position in unsettled]
        self.missing.sort(key=lambda missing: missing.position)

    def _embed(self, batch: Sequence[int]) -> None:
        """Give each text of a batch a vector or a reason, or set `failure`."""
        answer = self._ask([self._texts[position] for position in batch])
        if not isinstance(answer, Failure):
            for position, row in zip(batch, answer, strict=True):
                self._settle(position, row)
        elif answer.kind in _ENDS_RUN:
            self.failure = answer
        elif len(batch) == 1:
            self._embed_difficult(batch[0], answer)
        else:
            half = (len(batch) + 1) // 2
            if answer.kind in {FailureKind.SIZE, FailureKind.SLOW}:
                self.batch_size = min(self.batch_size, half)
            for part in (batch[:half], batch[half:]):
                if self.failure is None:
                    self._embed(part)

    def _embed_difficult(self, position: int, why: Failure) -> None:
        """Give a text that failed by itself a vector or a reason, or set `failure`."""
        text = self._texts[position]
        if why.kind is FailureKind.SIZE:
            self.batch_size = self._wanted_size  # the text was too long, so the batch size is fine
            row = self._embed_halves(text, why, 1)
        else:
            row = why
        if not isinstance(row, Failure):
            self._settle(position, row)
        elif row.kind in _ENDS_RUN:
            self.failure = row
        elif isinstance(self._ask([PROBE]), Failure):
            # The endpoint refuses the probe as well, so the text is not the cause.
            self.failure = evolve(row, kind=FailureKind.FINAL) if row.kind in _OF_THE_TEXT else row
        else:
            is_retriable = row.kind in {FailureKind.BROKEN, FailureKind.SLOW}
            self.missing.append(Missing(position, f"the endpoint {row.reason}", is_retriable))

    def _embed_halves(self, text: str, why: Failure, depth: int) -> Row | Failure:
        if depth > _MAX_HALVINGS or len(text) < 2 * _MIN_PIECE:
            return why
        parts = [part for part in split_in_half(text) if part.strip()]
        rows: list[F32] = []
        for part in parts:
            answer = self._ask([part])
            row = answer[0] if not isinstance(answer, Failure) else answer
            if isinstance(row, Failure) and row.kind is FailureKind.SIZE:
                row = self._embed_halves(part, row, depth + 1)
            if isinstance(row, Failure | str):
                return row
            rows.append(row)
        return mean_of(rows, [len(part) for part in parts])

    def _settle(self, position: int, row: Row) -> None:
        if isinstance(row, str):
            self.missing.append(Missing(position, row, is_retriable=False))
        else:
            self.vectors[position] = row


def mean_of(rows: Sequence[F32], lengths: Sequence[int]) -> Row:
    """The mean of vectors, weighted by text lengths, at unit length; a reason if the vectors cancel each other."""
    return to_unit_length(np.average(np.stack(rows), axis=0, weights=lengths).astype(np.float32))


def split_in_half(text: str) -> tuple[str, str]:
    """`text` in two parts: split after the white space closest to the middle, or in the middle if there is none near.

    "Near" means in the middle third. The split avoids the inside of a character that consists of several code points,
    unless it has more than 16. The two parts together are always the whole text.

    >>> split_in_half("oak and elm and ash")
    ('oak and ', 'elm and ash')
    """
    middle = len(text) // 2
    spaces = (found.end() for found in _SPACE.finditer(text, len(text) // 3, len(text) - len(text) // 3))
    at = min(spaces, key=lambda end: abs(end - middle), default=middle)
    limit = at + 16
    while 0 < at < min(len(text), limit) and _is_inside_character(text, at):
        at += 1
    return text[:at], text[at:]


def _is_inside_character(text: str, at: int) -> bool:
    here = text[at]
    is_joined = "\u200d" in (here, text[at - 1])
    is_modifier = "\ufe00" <= here <= "\ufe0f" or "\U0001f3fb" <= here <= "\U0001f3ff"
    is_low_surrogate = "\udc00" <= here <= "\udfff"
    return is_joined or is_modifier or is_low_surrogate or unicodedata.combining(here) != 0
