"""A note cut into the passages that a model can read, and what embedding them takes."""

from collections.abc import Iterable

from attrs import frozen

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


def cut(note: Note, text: str, embedder: Embedder) -> tuple[Chunk, ...]:
    """The passages of a note, `text` its whole file: without machine-made blocks, and those in foreign scripts."""
    lines = drop_machine_blocks(to_lf(text))[0].split("\n")
    body = "\n".join(lines[note.body_line :])
    found = chunks(note, body, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    return tuple(chunk for chunk in found if embedder.foreign_share(chunk.text) <= FOREIGN_LIMIT)


def needed(found: Iterable[Chunk], embedder: Embedder) -> Need:
    """What embedding these passages would take."""
    sizes = [embedder.count_tokens(chunk.text) for chunk in found]
    return Need(len(sizes), sum(sizes))
