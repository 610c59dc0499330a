"""How much of a note's text is searched, so that its different tokens stay within the limits."""

import re
from itertools import compress

import numpy as np
import numpy.typing as npt

from search.budget import UNLIMITED, Budget
from search.vault.limits import MAX_TOKENS, MAX_UNBROKEN, while_time
from search.vault.pieces import pieces

_LONG_WORD = 64  # characters; longer ones are text without spaces
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_FIRST_DENSE = ord("\u0e01")  # Thai; scripts without spaces have later letters, and so have Korean and a few others
_Numbers = npt.NDArray[np.int64]
_NO_NUMBERS: _Numbers = np.empty(0, np.int64)


def searched_length(text: str, budget: Budget = UNLIMITED) -> int:
    """The number of characters, from the beginning of `text` on, that have at most about `MAX_TOKENS` different tokens.

    These are words between spaces, parts of words with digits or signs, and, in scripts without spaces, pairs of
    characters. Of text without spaces, at most about `MAX_UNBROKEN` characters are used. The text is cut at a space or
    line break if there is one. Raises `TooSlow` after the deadline of `budget`.
    """
    words, pairs = _NO_NUMBERS, _NO_NUMBERS  # those found, as sorted numbers: strings would take ten times the memory
    at = n_parts = n_unbroken = 0
    for piece in while_time(pieces(text), budget):
        written = piece.split()
        n_unbroken += sum(len(word) for word in written if len(word) > _LONG_WORD)
        found = list(set(written))
        hashes = np.fromiter(map(hash, found), np.int64, len(found))
        is_new = _are_new(hashes, words)
        n_parts += sum(map(_n_tokens, compress(found, is_new)))
        words = _merged(words, hashes[is_new])
        if not piece.isascii():
            dense = _dense_pairs(piece)
            pairs = _merged(pairs, dense[_are_new(dense, pairs)])
        if n_parts + len(pairs) > MAX_TOKENS or n_unbroken > MAX_UNBROKEN:
            return at
        at += len(piece)
    return at


def _are_new(numbers: _Numbers, known: _Numbers) -> npt.NDArray[np.bool_]:
    at = np.minimum(np.searchsorted(known, numbers), max(len(known) - 1, 0))
    return known[at] != numbers if len(known) else np.ones(len(numbers), np.bool_)


def _merged(known: _Numbers, new: _Numbers) -> _Numbers:
    return np.sort(np.concatenate((known, np.sort(new))), kind="stable")  # merges two sorted parts in one pass


def _n_tokens(word: str) -> int:
    """About how many tokens a word has, which are its parts and the whole, without pairs of characters."""
    n_parts = 1 if word[1:].islower() and word.isalpha() else len(_PARTS.findall(word))
    return n_parts + (n_parts != 1)


def _dense_pairs(text: str) -> _Numbers:
    """The different pairs of characters next to each other in scripts that are written without spaces."""
    codes = _codes(text)
    both = (codes[:-1] >= _FIRST_DENSE) & (codes[1:] >= _FIRST_DENSE)
    return np.unique(codes[:-1][both] << 32 | codes[1:][both])


def _codes(text: str) -> _Numbers:
    try:
        return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)
    except UnicodeEncodeError:  # lone surrogates, each of which `surrogatepass` takes a microsecond for
        return np.fromiter(map(ord, text), np.int64, len(text))
