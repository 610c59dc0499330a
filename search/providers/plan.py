"""What an indexing run would do, for a person to look at before it does it. Computes nothing but counts."""

from collections.abc import Callable, Iterable, Sequence

from attrs import frozen


@frozen(kw_only=True)
class Plan:
    """The work ahead."""

    n_notes: int
    n_chunks: int
    n_tokens: int  # about
    model: str
    where_to: str = ""  # the address that chunks would be sent to; empty for this machine

    def __str__(self) -> str:
        """In a sentence.

        >>> str(Plan(n_notes=412, n_chunks=1234, n_tokens=209_871, model="nomic", where_to="http://nas:11434/v1"))
        '1,234 chunks of 412 notes, about 210,000 tokens, would be sent to http://nas:11434/v1 for the model nomic'
        """
        if not self.n_chunks:
            return "There is nothing to embed; nothing would be sent"
        chunks, notes = _counted(self.n_chunks, "chunk"), _counted(self.n_notes, "note")
        size = f"{chunks} of {notes}, about {_rounded(self.n_tokens)} tokens, would be"
        if self.where_to:
            return f"{size} sent to {self.where_to} for the model {self.model}"
        return f"{size} embedded on this machine with the model {self.model}; nothing would be sent"


def plan(notes: Iterable[Sequence[str]], *, count_tokens: Callable[[str], int], model: str, where_to: str = "") -> Plan:
    """The plan for `notes`, each given as the chunks of it that have no vector yet; notes without any do not count."""
    n_notes = n_chunks = n_tokens = 0
    for chunks in notes:
        n_notes += bool(chunks)
        n_chunks += len(chunks)
        n_tokens += sum(map(count_tokens, chunks))
    return Plan(n_notes=n_notes, n_chunks=n_chunks, n_tokens=n_tokens, model=model, where_to=where_to)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _rounded(number: int) -> str:
    """To two digits: an estimate that shows more pretends to be none.

    >>> _rounded(209_871), _rounded(87)
    ('210,000', '87')
    """
    digits = max(0, len(str(number)) - 2)
    return f"{round(number, -digits):,}"
