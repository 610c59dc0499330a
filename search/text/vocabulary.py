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

from search.text.tokens import BREAK, pieces, pieces_of_all, plain_word, tokens

Ids = npt.NDArray[np.uint32]

_MEMO_LIMIT = 300_000  # pieces remembered while reading; a large vault's would cost more memory than analysing again

_SEVERAL = 1 << 31  # numbers from here on stand for pieces of several tokens
_END = (1 << 32) - 1  # and this one for the end of a text

_CUT_TOGETHER = 1 << 16  # characters; several short texts cost one cut, and a cut's pieces fit into the processor's cache

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


class _Numbers(dict[str, int]):
    """Token -> its number; one that was not seen before gets the next."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens: list[str] = []

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self.tokens)
        self.tokens.append(token)
        return number


class _Memo(dict[str, int]):
    """Piece of text -> the number of its only token, or `_SEVERAL` + the place of its tokens in `several`."""

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self.several: list[tuple[int, ...]] = []
        self._number = number
        self[BREAK] = _END

    def __missing__(self, piece: str) -> int:
        if word := plain_word(piece):
            self[piece] = number = self._number(word)
            return number
        numbers = tuple(self._number(token) for token in tokens(piece))
        if len(numbers) == 1:
            self[piece] = numbers[0]
        else:
            self[piece] = _SEVERAL + len(self.several)
            self.several.append(numbers)
        return self[piece]

    def clear(self) -> None:
        """Forget all pieces."""
        super().clear()
        self.several.clear()
        self[BREAK] = _END


class Vocabulary:
    """Tokens numbered from 0 in order of first appearance."""

    def __init__(self) -> None:
        self._ids = _Numbers()
        self._tokens = self._ids.tokens
        self._memo = _Memo(self._ids.__getitem__)
        self._joined = "\n"
        self._starts: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._tokens)

    def token(self, number: int) -> str:
        """The token of a number that `encode` or `matching` gave."""
        return self._tokens[number]

    def encode(self, text: str) -> Ids:
        """The numbers of all tokens in `text`, each as often as it occurs, in no order to rely on."""
        return self._numbers(pieces(text))

    def encode_all(self, texts: Sequence[str]) -> list[Ids]:
        """What `encode` gives for each of `texts`, faster."""
        encoded = [NO_IDS] * len(texts)
        for group in _groups(texts):
            numbers = self._numbers(pieces_of_all(texts[at] for at in group))
            start = 0
            for at, end in zip(group, [*np.flatnonzero(numbers == _END).tolist(), len(numbers)], strict=True):
                encoded[at] = numbers[start:end]
                start = end + 1
        for at, text in enumerate(texts):
            if not text.isascii():
                encoded[at] = self.encode(text)
        return encoded

    def _numbers(self, found: list[str]) -> Ids:
        if len(self._memo) > _MEMO_LIMIT:
            self._memo.clear()
        numbers = np.fromiter(map(self._memo.__getitem__, found), np.uint32, len(found))
        is_several = (numbers >= _SEVERAL) & (numbers != _END)
        if not is_several.any():
            return numbers
        lists = [self._memo.several[number - _SEVERAL] for number in numbers[is_several].tolist()]
        sizes = np.ones(len(numbers), np.int64)
        sizes[is_several] = [len(several) for several in lists]
        spread: Ids = np.repeat(numbers, sizes)
        spread[np.repeat(is_several, sizes)] = list(chain.from_iterable(lists))
        return spread

    def forget_pieces(self) -> None:
        """Free what only speeds up `encode`; called when a vault has been read."""
        self._memo.clear()

    def matching(self, term: str, *, is_whole_word_enough: bool = False) -> Matching:
        """The tokens that hold the folded `term`; with `is_whole_word_enough` only the one equal to it. Empty: none."""
        at = self._ids.get(term)
        word = NO_IDS if at is None else np.array([at], np.uint32)
        if is_whole_word_enough or not term or "\n" in term:
            return Matching(word, NO_IDS, NO_IDS)
        self._join()
        starting, holding = self._scan(term)
        return Matching(word, np.setdiff1d(starting, word), np.setdiff1d(holding, np.concatenate((starting, word))))

    def _join(self) -> None:
        n_joined = len(self._starts)
        if n_joined == len(self._tokens):
            return
        new = self._tokens[n_joined:]
        first = len(self._joined)
        lengths = np.fromiter((len(token) + 1 for token in new), np.int64, len(new))
        starts = np.concatenate((self._starts, first + np.cumsum(lengths) - lengths))
        self._joined, self._starts = self._joined + "\n".join(new) + "\n", starts

    def _scan(self, term: str) -> tuple[Ids, Ids]:
        text, starts = self._joined, self._starts
        found: list[int] = []
        at = text.find(term)
        while at >= 0:
            found.append(at)
            at = text.find(term, text.find("\n", at))
        positions = np.array(found, np.int64)
        numbers = np.searchsorted(starts, positions, side="right") - 1
        is_start = starts[numbers] == positions if len(numbers) else np.empty(0, np.bool_)
        return numbers[is_start].astype(np.uint32), numbers[~is_start].astype(np.uint32)


def _groups(texts: Sequence[str]) -> Iterator[list[int]]:
    """Positions of the ASCII texts, in order, in groups that are cut together."""
    group: list[int] = []
    size = 0
    for at, text in enumerate(texts):
        if not text.isascii():
            continue
        group.append(at)
        size += len(text)
        if size > _CUT_TOGETHER:
            yield group
            group, size = [], 0
    if group:
        yield group
