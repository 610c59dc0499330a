"""A note cut into the passages that a model can read, and what embedding them takes."""

from collections.abc import Iterable

from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.ports import Embedder
from search.vault.lines import to_lf
from search.vault.machine import drop_machine_blocks
from search.vault.note import Note
from search.vectors.chunk import Chunk, chunks

FOREIGN_LIMIT = 0.3
"""The share of letters in scripts that the model does not know from which a text is not embedded: its vector would
look like any other and mean nothing (with an English model Chinese search fell from nDCG@10 .99 to .57)."""


@frozen
class Need:
    """What it would take to embed a note."""

    n_chunks: int = 0
    n_tokens: int = 0


_BYTES_A_TOKEN = 3  # of a passage; most have a little more


class TimeIsUpError(Exception):
    """The budget was spent before a note was cut."""


def cut(note: Note, text: str, embedder: Embedder, *, budget: Budget = UNLIMITED) -> tuple[Chunk, ...]:
    """The passages of a note, `text` its whole file: without machine-made blocks, and those in foreign scripts.

    Takes a second a megabyte and more.

    Raises:
        TimeIsUpError: the budget was spent.
        Cancelled: it was cancelled.
    """

    def count_tokens(part: str) -> int:
        budget.check()
        if budget.is_spent:
            raise TimeIsUpError
        return embedder.count_tokens(part)

    lines = drop_machine_blocks(to_lf(text))[0].split("\n")
    body = "\n".join(lines[note.body_line :])
    found = chunks(note, body, count_tokens=count_tokens, max_tokens=embedder.max_tokens)
    return tuple(chunk for chunk in found if embedder.foreign_share(chunk.text) <= FOREIGN_LIMIT)


def guessed_chunks(note: Note, embedder: Embedder) -> int:
    """About how many passages a note has, without reading it; at least 1."""
    return max(1, note.size_bytes // (embedder.max_tokens * _BYTES_A_TOKEN))


def needed(found: Iterable[Chunk], embedder: Embedder) -> Need:
    """What embedding these passages would take."""
    sizes = [embedder.count_tokens(chunk.text) for chunk in found]
    return Need(len(sizes), sum(sizes))
