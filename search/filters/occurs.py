"""Whether a word or phrase of a query's filter occurs in a piece of text.

A required word also matches inside longer words, as in Obsidian: if that lets too many notes through, the ranking still
orders them. An excluded word matches only whole words and parts of compounds (`only` in `only-child`, `user` in
`getUserById`, but not in "commonly"): an exclusion that is too wide would hide notes unseen. The parts are the
ranker's tokens. In scripts without spaces, names and property values, any occurrence counts.
"""

import re
from functools import lru_cache

from attrs import define, field, frozen

from search.analysis.fold import fold
from search.analysis.tokens import is_dense, tokens

_SPACE = re.compile(r"\s")
_SEPARATORS = frozenset(["", *" \n\t.,;:!?()[]{}\"'/"])


@define
class Piece:
    """A text to search in, folded on first use."""

    raw: str
    _folded: str | None = field(default=None, init=False)

    @property
    def folded(self) -> str:
        """The folded text; it has as many lines as the raw one."""
        if self._folded is None:
            self._folded = fold(self.raw)
        return self._folded


@frozen
class Needle:
    """A word or phrase to search for, prepared once for many pieces."""

    raw: str
    folded: str
    parts: frozenset[str]  # tokens that a line needs to contain it as whole words; empty: any occurrence counts

    def occurs_in(self, piece: Piece, *, is_case_sensitive: bool) -> bool:
        """Whether it occurs anywhere in `piece`, also inside a longer word."""
        return self.raw in piece.raw if is_case_sensitive else self.folded in piece.folded

    def is_word_in(self, piece: Piece, *, is_case_sensitive: bool) -> bool:
        """Whether it occurs in `piece` as a word or as a part of a compound."""
        if not self.occurs_in(piece, is_case_sensitive=is_case_sensitive) or not self.parts:
            return self.occurs_in(piece, is_case_sensitive=is_case_sensitive)
        if (
            not is_case_sensitive
            and self.folded.isascii()
            and self.folded.isalnum()
            and self._is_separate_in(piece.folded)
        ):
            return True
        chunks = (
            chunk
            for raw, folded in zip(piece.raw.split("\n"), piece.folded.split("\n"), strict=True)
            if self.folded in folded
            for chunk in (raw.split() if _SPACE.search(self.folded) is None else [raw])
        )
        return any(
            self.parts <= _tokens(chunk)
            for chunk in chunks
            if (self.raw in chunk if is_case_sensitive else self.folded in fold(chunk))
        )

    def _is_separate_in(self, folded: str) -> bool:
        """Whether it has whitespace or plain punctuation on both sides. Fast; False decides nothing."""
        at = folded.find(self.folded)
        while at >= 0:
            before, after = folded[at - 1 : at], folded[at + len(self.folded) : at + len(self.folded) + 1]
            if before in _SEPARATORS and after in _SEPARATORS:
                return True
            at = folded.find(self.folded, at + 1)
        return False


@lru_cache(maxsize=256)
def needle_for(text: str) -> Needle:
    """The needle for `text` as typed; an empty one occurs everywhere."""
    return Needle(text, fold(text), frozenset() if is_dense(text) else frozenset(tokens(text)))


@lru_cache(maxsize=4096)
def _tokens(chunk: str) -> frozenset[str]:
    """The tokens of one piece between blanks, cached: the same pieces occur again and again."""
    return frozenset(tokens(chunk))
