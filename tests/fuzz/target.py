"""What a fuzzer needs to know of one kind of input: a law that all inputs obey, inputs to try, and where to begin.

An input is always bytes, so that a file is one too: the same law holds for the inputs that Hypothesis builds from
pieces of the syntax, for those that a coverage-guided fuzzer mutates, and for the files of the corpus.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import frozen
from hypothesis import strategies as st

CORPUS = Path(__file__).with_name("corpus")
MAX_INPUT = 20_000  # bytes; what grows with the length of a text has tests of its own (`tests/hostile`)
MAX_S = 2.0  # CPU seconds for one input, most take milliseconds
_N_TRIES = 3  # other threads of the process may have used the CPU


@frozen
class Target:
    """One kind of input. `check` raises if an input breaks the law, `pieces` are the words of its syntax.

    Seeds that take time to make are a function, so that tests can be collected without them.
    """

    name: str
    check: Callable[[bytes], None]
    inputs: st.SearchStrategy[bytes]
    pieces: Sequence[str] = ()
    seeds: Callable[[], Sequence[bytes]] = tuple
    n_examples: int = 100  # in an ordinary test run

    def corpus(self) -> Iterator[bytes]:
        """The seeds and the committed inputs: examples of the syntax, and all that once broke the law."""
        yield from self.seeds()
        yield from corpus(self.name)

    def hold(self, data: bytes) -> None:
        """Check the law, and that this takes a bounded time."""
        took = [self._seconds(data)]
        while took[-1] > MAX_S and len(took) < _N_TRIES:
            took.append(self._seconds(data))
        assert min(took) <= MAX_S, took

    def _seconds(self, data: bytes) -> float:
        """CPU seconds, without the garbage collector, whose time depends on the objects of earlier inputs."""
        gc.disable()
        try:
            begun = time.process_time()
            self.check(data)
            return time.process_time() - begun
        finally:
            gc.enable()


def corpus(name: str) -> tuple[bytes, ...]:
    """The committed inputs of a kind."""
    return tuple(path.read_bytes() for path in sorted((CORPUS / name).glob("*")))


def text_of(data: bytes) -> str:
    """The text in an input; invalid bytes become lone surrogates, which texts of editors can contain too."""
    return data.decode("utf-8", "surrogateescape")


def data_of(text: str) -> bytes:
    """The input with a text."""
    return text.encode("utf-8", "surrogatepass")


def built_of(pieces: Sequence[str], *, most: int = 30) -> st.SearchStrategy[bytes]:
    """Texts of pieces, some of them repeated, and some characters in between."""
    piece = st.sampled_from(pieces)
    repeated = st.builds(lambda text, n: text * n, piece, st.sampled_from((2, 3, 10, 300)))
    parts = st.lists(st.one_of(piece, piece, repeated, st.text(max_size=4)), max_size=most)
    return parts.map(lambda found: data_of("".join(found))[:MAX_INPUT])


def mutated(seeds: Sequence[bytes], pieces: Sequence[bytes] = (b"\0", b"\xff", b"\n")) -> st.SearchStrategy[bytes]:
    """Seeds in which ranges are deleted, repeated, moved, replaced, or overwritten by others of the same length."""
    place = st.floats(0, 1, exclude_max=True)
    edit = st.tuples(
        place, st.sampled_from((0, 1, 1, 2, 8, 40)), place, st.one_of(st.sampled_from(pieces), st.binary(max_size=4))
    )
    kinds = st.sampled_from((_replace, _repeat, _move, _overwrite, _cut))
    return st.builds(_mutated, st.sampled_from(seeds), st.lists(st.tuples(kinds, edit), min_size=1, max_size=6))


Edit = tuple[float, int, float, bytes]


def _mutated(data: bytes, edits: list[tuple[Callable[[bytes, int, int, int, bytes], bytes], Edit]]) -> bytes:
    for kind, (first, length, second, piece) in edits:
        data = kind(data, int(first * len(data)), length, int(second * len(data)), piece)[: 50 * MAX_INPUT]
    return data


def _replace(data: bytes, at: int, length: int, _to: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at + length :]


def _repeat(data: bytes, at: int, length: int, to: int, _piece: bytes) -> bytes:
    return data[:to] + data[at : at + length] + data[to:]


def _move(data: bytes, at: int, length: int, to: int, _piece: bytes) -> bytes:
    left = data[:at] + data[at + length :]
    return left[:to] + data[at : at + length] + left[to:]


def _overwrite(data: bytes, at: int, length: int, to: int, _piece: bytes) -> bytes:
    copied = data[at : at + length]
    return data[:to] + copied + data[to + len(copied) :]


def _cut(data: bytes, at: int, _length: int, _to: int, _piece: bytes) -> bytes:
    return data[:at]
