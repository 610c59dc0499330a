"""Whether a word, a phrase or a pattern of a query's filter occurs in a piece of text.

Words that are asked for match inside longer words, as in Obsidian: too wide a filter is put right by the ranking.
Words that are excluded match whole words and the parts of compounds only (`only` in `only-child`, `user` in
`getUserById`, not in "commonly"): too wide an exclusion hides notes and nobody sees it. The parts are the ranker's
tokens. Scripts without spaces, names and property values know no whole words: there any occurrence counts.
"""

import re
from functools import lru_cache

from attrs import define, field, frozen

from search.analysis.fold import fold
from search.analysis.tokens import is_dense, tokens

_SPACE = re.compile(r"\s")
_FREE = frozenset(["", *" \n\t.,;:!?()[]{}\"'/"])


@define
class Piece:
    """A text to look in, folded when that is first needed."""

    raw: str
    _folded: str | None = field(default=None, init=False)

    @property
    def folded(self) -> str:
        """The text as `fold` has it, as many lines as the raw one."""
        if self._folded is None:
            self._folded = fold(self.raw)
        return self._folded


@frozen
class Needle:
    """A word or phrase to look for, prepared once for many pieces."""

    raw: str
    folded: str
    parts: frozenset[str]  # the tokens that a line must have to hold it as whole words; empty where any occurrence does

    @classmethod
    def of(cls, text: str) -> "Needle":
        """`text` as typed; an empty one occurs everywhere."""
        return cls(text, fold(text), frozenset() if is_dense(text) else frozenset(tokens(text)))

    def occurs_in(self, piece: Piece, *, is_case_sensitive: bool) -> bool:
        """Whether it stands anywhere in `piece`, also inside a longer word."""
        return self.raw in piece.raw if is_case_sensitive else self.folded in piece.folded

    def is_word_in(self, piece: Piece, *, is_case_sensitive: bool) -> bool:
        """Whether it stands in `piece` as a word or as a part of a compound."""
        if not self.occurs_in(piece, is_case_sensitive=is_case_sensitive) or not self.parts:
            return self.occurs_in(piece, is_case_sensitive=is_case_sensitive)
        if (
            not is_case_sensitive
            and self.folded.isascii()
            and self.folded.isalnum()
            and self._stands_free(piece.folded)
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

    def _stands_free(self, folded: str) -> bool:
        """The quick way to a yes: blanks or plain punctuation on both sides."""
        at = folded.find(self.folded)
        while at >= 0:
            before, after = folded[at - 1 : at], folded[at + len(self.folded) : at + len(self.folded) + 1]
            if before in _FREE and after in _FREE:
                return True
            at = folded.find(self.folded, at + 1)
        return False


@lru_cache(maxsize=4096)
def _tokens(chunk: str) -> frozenset[str]:
    """Text cut at blanks has the tokens of its pieces, and pieces come again."""
    return frozenset(tokens(chunk))
