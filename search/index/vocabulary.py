"""All distinct tokens of a vault, numbered, and the substring scan over them.

The trick: a substring is looked for in the distinct tokens, joined into one string, instead of in every note: 10,000
notes share some 30,000 of them, a third of a megabyte. Notes are then told apart by numbers alone.

Grows only; a token that no note holds any more costs a few bytes until the vault is opened again. One thread may
encode while others look up: tokens are published last.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.analysis.tokens import SEPARATORS, by_alphabet, pieces, plain_word, tokens
from search.index.number_sets import is_first
from search.index.token_hashes import LIMIT, TokenHashTable

Ids = npt.NDArray[np.uint32]

_MEMO_LIMIT = 300_000  # pieces remembered while reading; a large vault's would cost more memory than analysing again

_SEVERAL = 1 << 31  # numbers from here on stand for pieces of several tokens
_END = (1 << 32) - 1  # and this one for the piece that ends a text
_BREAK = "\x01"
_GAP = f" {_BREAK} "

NO_IDS: Ids = np.empty(0, np.uint32)


@frozen(eq=False)
class Matching:
    """The tokens that agree with a term, by how they do: equal, beginning with it, or holding it further inside."""

    word: Ids
    prefix: Ids
    inner: Ids

    @property
    def anywhere(self) -> Ids:
        """All of them."""
        return np.concatenate((self.word, self.prefix, self.inner))


class _Pieces(dict[str, int]):
    """Piece of text -> the number of its only token, or `_SEVERAL` + the place of its tokens in `several`."""

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self.several: list[tuple[int, ...]] = []
        self._number = number

    def __missing__(self, piece: str) -> int:
        self[piece] = number = self.analyse(piece)
        return number

    def analyse(self, piece: str) -> int:
        """The number of a piece, without remembering it."""
        if word := plain_word(piece):
            return self._number(word)
        if piece == _BREAK:
            return _END
        numbers = tuple(self._number(token) for token in tokens(piece))
        if len(numbers) == 1:
            return numbers[0]
        self.several.append(numbers)
        return _SEVERAL + len(self.several) - 1


class Vocabulary:
    """Tokens numbered from 0 in order of first appearance."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._tokens: list[str] = []
        self._pieces = _Pieces(self._number)
        self._table = TokenHashTable(self._pieces.analyse, separators=SEPARATORS.replace(_BREAK, ""))
        self._joined = np.frombuffer(b"\n", np.uint8)  # all tokens as UTF-8, in which no character is part of another
        self._starts: npt.NDArray[np.int64] = np.empty(0, np.int64)  # where each token stands there

    def __len__(self) -> int:
        return len(self._tokens)

    def token(self, number: int) -> str:
        """The token of a number that `encode` or `matching` gave."""
        return self._tokens[number]

    def encode(self, text: str) -> Ids:
        """The numbers of all tokens in `text`, each as often as it occurs, in no order to rely on."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Ids]:
        """What `encode` gives for each of `texts`; many at once are faster, also short ones."""
        if len(self._pieces) + len(self._table) > _MEMO_LIMIT:
            self.forget_pieces()
        plain: list[str] = []
        others: dict[int, list[str]] = {}
        for at, text in enumerate(texts):
            ascii_part, other = by_alphabet(text)
            if len(ascii_part) + 2 * len(_GAP) > LIMIT:
                ascii_part, other = "", text
            plain.append(ascii_part.replace(_BREAK, " ") if _BREAK in ascii_part else ascii_part)
            if other:
                others[at] = pieces(other)
        encoded = self._encode_plain(plain)
        for at, found in others.items():
            numbers = np.fromiter(map(self._pieces.__getitem__, found), np.uint32, len(found))
            encoded[at] = np.concatenate((encoded[at], self._spread(numbers)))
        return encoded

    def _encode_plain(self, texts: Sequence[str]) -> list[Ids]:
        """Of ASCII texts without `_BREAK`, none longer than a look-up."""
        encoded: list[Ids] = []
        for group in _groups(texts):
            numbers = self._spread(self._table.numbers(_GAP.join(group)))
            start = 0
            for end in [*np.flatnonzero(numbers == _END).tolist(), len(numbers)]:
                encoded.append(numbers[start:end])
                start = end + 1
        return encoded

    def _spread(self, numbers: Ids) -> Ids:
        """With the tokens of each piece that has several in its place."""
        at = np.flatnonzero(numbers >= _SEVERAL)
        at = at[numbers[at] != _END]
        if not len(at):
            return numbers
        lists = [self._pieces.several[number - _SEVERAL] for number in numbers[at].tolist()]
        sizes = np.ones(len(numbers), np.int64)
        sizes[at] = [len(several) for several in lists]
        spread: Ids = np.repeat(numbers, sizes)
        spread[np.repeat(sizes != 1, sizes)] = list(chain.from_iterable(lists))
        return spread

    def forget_pieces(self) -> None:
        """Free what only speeds up `encode`; called when a vault has been read."""
        self._table.clear()
        self._pieces.clear()
        self._pieces.several.clear()

    def matching(self, term: str, *, is_whole_word_enough: bool = False, has_inner: bool = True) -> Matching:
        """The tokens that hold the folded `term`; with `is_whole_word_enough` only the one equal to it. Empty: none.

        Without `has_inner` those that hold it further inside are left out, which for a lone letter saves most of the
        time.
        """
        at = self._ids.get(term)
        word = NO_IDS if at is None else np.array([at], np.uint32)
        if is_whole_word_enough or not term or "\n" in term:
            return Matching(word, NO_IDS, NO_IDS)
        self._join()
        starting, holding = self._scan(term, has_inner=has_inner)
        return Matching(word, starting if at is None else starting[starting != at], holding)

    def _number(self, token: str) -> int:
        number = self._ids.setdefault(token, len(self._tokens))
        if number == len(self._tokens):
            self._tokens.append(token)
        return number

    def _join(self) -> None:
        n_joined = len(self._starts)
        if n_joined == len(self._tokens):
            return
        new = [token.encode("utf-8", "surrogatepass") for token in self._tokens[n_joined:]]
        lengths = np.fromiter(map(len, new), np.int64, len(new)) + 1
        starts = np.concatenate((self._starts, len(self._joined) + np.cumsum(lengths) - lengths))
        added = np.frombuffer(b"\n".join((*new, b"")), np.uint8)
        self._joined, self._starts = np.concatenate((self._joined, added)), starts

    def _scan(self, term: str, *, has_inner: bool) -> tuple[Ids, Ids]:
        """The tokens that begin with `term`, and those that only hold it further inside, each in order and once."""
        text, starts = self._joined, self._starts
        wanted = term.encode("utf-8", "surrogatepass")
        if has_inner:
            places = _places(text, wanted)
        else:
            places = starts[starts <= len(text) - len(wanted)]
            for at, code in enumerate(wanted):
                places = places[text[places + at] == code]
        numbers = np.searchsorted(starts, places, side="right") - 1
        is_start = starts[numbers] == places
        return numbers[is_start].astype(np.uint32), numbers[is_first(numbers) & ~is_start].astype(np.uint32)


def _places(text: npt.NDArray[np.uint8], wanted: bytes) -> npt.NDArray[np.int64]:
    """Where `wanted` stands in `text`, in order: two of its characters at once, of what is left the others."""
    n_places = len(text) - len(wanted) + 1
    if n_places <= 0:
        return np.empty(0, np.int64)
    is_here = text[:n_places] == wanted[0]
    if len(wanted) > 1:
        is_here &= text[1 : n_places + 1] == wanted[1]
    places = np.flatnonzero(is_here)
    for at, code in enumerate(wanted[2:], start=2):
        places = places[text[places + at] == code]
    return places


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in groups that are looked up together."""
    group: list[str] = []
    size = 0
    for text in texts:
        size += len(text) + len(_GAP)
        if size > LIMIT:
            yield group
            group, size = [], len(text) + len(_GAP)
        group.append(text)
    if group:
        yield group
