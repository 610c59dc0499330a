"""The vocabulary: all distinct tokens of a vault with their numbers (token ids), and a substring search over them.

The trick: a substring is searched in the distinct tokens, joined into one string, instead of in every note: 10,000
notes share some 30,000 tokens, a third of a megabyte. The notes then follow from the posting lists of the tokens.

The vocabulary only grows: a token that no note contains any more costs a few bytes until the vault is read again. One
thread may encode while others look up, since a token is published only when it is complete.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.analysis.tokens import SEPARATORS, ascii_with_gaps, graded_run, is_dense, plain_word, runs
from search.cache.byte_planes import from_planes, to_planes
from search.index.number_sets import distinct, is_first
from search.index.token_hashes import LIMIT, TokenHashTable
from search.index.token_text import TokenText

Ids = npt.NDArray[np.uint32]

_FEW_RUNS = 100
_MAX_CACHED = 300_000  # pieces; caching all those of a large vault would cost too much memory
_MAX_NEW = 1 << 16  # tokens that are strings while texts are encoded: 10 MB
_MAX_FOUND = 1 << 13  # tokens that are strings when a vault has been read: 1 MB
_MANY_WORDS = 2048  # that are not ASCII; each may have several tokens
_MAX_SCANS = 256  # terms whose matches are kept: those of a query are looked up several times, and while it is typed
_MAX_KEPT = 4096  # matches of a term that is kept
_MAX_NARROWED = 2048  # tokens that are compared one by one, in less time than all of a large vocabulary at once
_BLOCK = 1 << 18  # bytes compared at once; its masks stay in the processor's cache, and the kernel clears no new pages

GRADE_BIT = 30  # the bits from here on are the grade of a token (see `Grade`), those below its number
NUMBER_BITS = (1 << GRADE_BIT) - 1

_SEVERAL = 1 << 31  # a piece of several tokens has a number from here on
_END = (1 << 32) - 1  # the number of `_BREAK`
_BREAK = "\x01"  # the piece between two texts
_BETWEEN = f" {_BREAK} "
_IN_PLACE = (1 << 32) - 2  # the number of `_GAP`
_GAP = "\x02"  # the piece in place of a word that is not ASCII
_NUMBER_OF_MARK = {_BREAK: _END, _GAP: _IN_PLACE}
_BLANKED = str.maketrans(dict.fromkeys(_BREAK + _GAP, " "))
_NO_MARKS = str.maketrans(dict.fromkeys(_BREAK + _GAP))
_MAX_PART = LIMIT - 2 * len(_BETWEEN)  # characters of a text in one look-up
_SPACE = re.compile(r"\s")

NO_IDS: Ids = np.empty(0, np.uint32)


@frozen(eq=False)
class Matching:
    """The tokens that match a term: equal to it, beginning with it, or containing it further inside."""

    word: Ids
    prefix: Ids
    inner: Ids

    @property
    def anywhere(self) -> Ids:
        """The tokens of all three kinds."""
        return np.concatenate((self.word, self.prefix, self.inner))


class _Numbers(dict[str, int]):
    """Token -> its number. Looking a new token up by `[]` gives it the next number.

    The dictionary has only tokens that were looked up since the last `settle`; all earlier ones are in `settled`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.settled = TokenText()
        self._new: tuple[int, list[str]] = 0, []  # the number of the first token that is not settled, and all of them

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        first, new = self._new
        return first + len(new)

    @property
    def is_settled(self) -> bool:
        """Whether `settled` has all tokens."""
        return not self._new[1]

    def __missing__(self, token: str) -> int:
        number = self.settled.number_of(token)
        if number is None:
            first, new = self._new
            number = first + len(new)
            new.append(token)
        self[token] = number
        return number

    def find(self, token: str) -> int | None:
        """The number of a token that has one. Some of them are kept, since queries look the same ones up."""
        number = self.get(token)
        if number is None and (number := self.settled.number_of(token)) is not None and len(self) < _MAX_FOUND:
            self[token] = number
        return number

    def token(self, number: int) -> str:
        """The token with a number."""
        first, new = self._new
        return new[number - first] if number >= first else self.settled.token(number)

    def tokens(self, begin: int, end: int) -> list[str]:
        """The tokens with the numbers from `begin` to `end`, without `end`."""
        first, new = self._new
        settled = self.settled.tokens(begin, min(end, first))
        return settled + new[max(0, begin - first) : max(0, end - first)]

    def settle(self) -> None:
        """Move all tokens into `settled`."""
        first, new = self._new
        self.settled.extend(new)
        self._new = first + len(new), []
        self.clear()

    def restore(self, settled: TokenText) -> None:
        """Begin with saved tokens."""
        self.settled, self._new = settled, (len(settled), [])


class _Pieces(dict[str, int]):
    """Piece of text -> the number of its only token, or `_SEVERAL` + the position of its tokens in `ends`.

    `several` has the tokens of all such pieces; those of the piece at position p are `several[ends[p - 1] : ends[p]]`.
    """

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self.several, self.ends = array("I"), array("I", [0])
        self.pairs = array("Q")  # a compound and one of its parts, as `compound << 32 | part`; some repeatedly
        self._numbers = numbers

    def __missing__(self, piece: str) -> int:
        self[piece] = number = self.analyse(piece)
        return number

    def analyse(self, piece: str) -> int:
        """The number of a piece, without caching it."""
        if word := plain_word(piece):
            return self._numbers[word]
        if piece in _NUMBER_OF_MARK:
            return _NUMBER_OF_MARK[piece]
        numbers = self._analyse_runs(runs(piece))
        if len(numbers) == 1:
            return numbers[0]
        self.several.extend(numbers)
        self.ends.append(len(self.several))
        return _SEVERAL + len(self.ends) - 1

    def forget(self) -> None:
        """Forget all pieces."""
        self.clear()
        self.several, self.ends = array("I"), array("I", [0])

    def _analyse_runs(self, found: Sequence[str]) -> list[int]:
        if len(found) == 1:
            return self._analyse_run(found[0])
        if len(found) <= _FEW_RUNS:
            return [number for run in found for number in self._analyse_run(run)]
        known = {
            run: self._analyse_run(run) for run in dict.fromkeys(found)
        }  # a long text without spaces has many equal ones
        return [number for run in found for number in known[run]]

    def _analyse_run(self, run: str) -> list[int]:
        numbers = self._numbers
        graded = [(numbers[token], grade) for token, grade in graded_run(run)]
        if not is_dense(run):
            compound = graded[0][0] << 32
            self.pairs.extend([compound | part for part, _ in graded[1:]])
        return [number | grade << GRADE_BIT for number, grade in graded]


class Vocabulary:
    """Tokens numbered from 0 in order of first appearance."""

    def __init__(self) -> None:
        self._ids = _Numbers()
        self._pieces = _Pieces(self._ids)
        self._table = TokenHashTable(self._pieces.analyse, separators=SEPARATORS.translate(_NO_MARKS))
        self._pairs: npt.NDArray[np.uint64] = np.empty(0, np.uint64)  # `_Pieces.pairs`, sorted
        self._frequencies = _frequencies(self._ids.settled.codes)  # of each byte in the settled tokens
        self._n_scanned = 0  # the number of tokens that `_scans` is about
        self._numbered: tuple[frozenset[str], int, Ids] = frozenset(), 0, NO_IDS  # the last result of `numbers_of`
        self._scans: dict[tuple[str, bool], tuple[Ids, Ids]] = {}  # results of `_scan`, until there are new tokens

    def __len__(self) -> int:
        return self._ids.n_tokens

    def token(self, number: int) -> str:
        """The token with a number that `encode` or `matching` returned."""
        return self._ids.token(number & NUMBER_BITS)

    def tokens(self, first: int, end: int) -> list[str]:
        """The tokens with the numbers from `first` to `end`, without `end`; much faster than one by one."""
        return self._ids.tokens(first, end)

    @property
    def n_pieces(self) -> int:
        """The number of pieces that are cached, see `forget_pieces`."""
        return len(self._pieces) + len(self._table)

    def number_of(self, token: str) -> int | None:
        """The number of a folded token, or None if no text has it."""
        return self._ids.find(token)

    def numbers_of(self, tokens: frozenset[str]) -> Ids:
        """The numbers of those folded tokens that some text has; those of the same tokens are known the next time."""
        known, n_tokens, numbers = self._numbered
        if tokens != known or n_tokens != len(self):
            n_tokens = len(self)
            found = (number for token in tokens if (number := self._ids.find(token)) is not None)
            numbers = np.array([number for number in found if number < n_tokens], np.uint32)
            self._numbered = tokens, n_tokens, numbers
        return numbers

    def encode(self, text: str) -> Ids:
        """The numbers of all tokens in `text`, in order.

        The grade of each is in its upper bits, from `GRADE_BIT` on.
        """
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Ids]:
        """The result of `encode` for each of `texts`; faster than one by one, especially for short texts."""
        if self.n_pieces > _MAX_CACHED:
            self.forget_pieces()
        plain: list[str] = []
        words: list[str] = []  # those that are not ASCII
        n_parts: list[int] = []  # of each text
        for text in texts:
            parts = _parts(text.translate(_BLANKED) if _BREAK in text or _GAP in text else text)
            n_parts.append(len(parts))
            for part in parts:
                ascii_part, others = (_GAP, [part]) if len(part) > _MAX_PART else ascii_with_gaps(part, _GAP)
                plain.append(ascii_part)
                words += others
        encoded = self._encode(plain, words)
        if len(encoded) == len(texts):
            return encoded
        found = iter(encoded)
        return [np.concatenate([next(found) for _ in range(n)]) for n in n_parts]

    def _encode(self, texts: Sequence[str], words: Sequence[str]) -> list[Ids]:
        """The token numbers of ASCII texts, each short enough for one look-up; `words` replace the gaps, in order."""
        encoded: list[Ids] = []
        n_placed = 0
        for group in _groups(texts):
            if len(self._ids) > _MAX_NEW:
                self._settle()
            pieces = self._table.numbers(_BETWEEN.join(group))
            gaps = np.flatnonzero(pieces == _IN_PLACE)
            for begin in range(0, len(gaps), _MANY_WORDS):
                some = gaps[begin : begin + _MANY_WORDS]
                pieces[some] = [self._pieces[word] for word in words[n_placed : n_placed + len(some)]]
                n_placed += len(some)
                if len(self._ids) > _MAX_NEW:
                    self._settle()
            numbers = self._spread(pieces)
            start = 0
            for end in [*np.flatnonzero(numbers == _END).tolist(), len(numbers)]:
                encoded.append(numbers[start:end])
                start = end + 1
        return encoded

    def _spread(self, numbers: Ids) -> Ids:
        """`numbers` with each piece of several tokens replaced by the numbers of its tokens."""
        at = np.flatnonzero(numbers >= _SEVERAL)
        at = at[numbers[at] != _END]
        if not len(at):
            return numbers
        several = np.frombuffer(self._pieces.several, np.uint32)
        ends = np.frombuffer(self._pieces.ends, np.uint32)
        pieces = numbers[at] - np.uint32(_SEVERAL)
        firsts = ends[pieces - 1].astype(np.int64)
        n_each = ends[pieces] - firsts
        sizes = np.ones(len(numbers), np.int64)
        sizes[at] = n_each
        spread: Ids = np.repeat(numbers, sizes)
        rows = np.arange(n_each.sum()) + np.repeat(firsts - np.cumsum(n_each) + n_each, n_each)
        spread[np.repeat(sizes != 1, sizes)] = several[rows]
        return spread

    def forget_pieces(self) -> None:
        """Empty the caches, which only speed up `encode`; called when a vault has been read."""
        self._table.clear()
        self._pieces.forget()
        self._settle()
        self._sort_pairs()

    def matching(self, term: str, *, is_exact: bool = False, has_inner: bool = True) -> Matching:
        """The tokens that contain the folded `term`, or with `is_exact` only the token equal to it.

        Without `has_inner`, tokens that contain the term after their beginning are left out, which saves most of the
        time for a single letter. An empty term matches nothing.
        """
        at = self._ids.find(term)
        word = NO_IDS if at is None else np.array([at], np.uint32)
        if is_exact or not term or "\n" in term:
            return Matching(word, NO_IDS, NO_IDS)
        self._settle()
        if self._n_scanned != len(self):
            self._scans.clear()
            self._n_scanned = len(self)
        starting, holding = self._scan(term, has_inner=has_inner)
        return Matching(word, starting if at is None else starting[starting != at], holding)

    def beginning_with(self, letter: str, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Those of these tokens that begin with a letter."""
        self._settle()
        settled = self._ids.settled
        for at, code in enumerate(letter.encode("utf-8", "surrogatepass")):
            # a character of several bytes has no prefix that is one, so no place lies behind a token's end
            numbers = numbers[settled.codes[settled.starts[numbers] + np.uint32(at)] == code]
        return numbers

    def are_compounds_of(self, numbers: Ids, part: int) -> npt.NDArray[np.bool_]:
        """Whether each of these tokens was read as a compound that the token `part` is a part of."""
        self._sort_pairs()
        wanted = numbers.astype(np.uint64) << np.uint64(32) | np.uint64(part)
        at = np.minimum(np.searchsorted(self._pairs, wanted), max(len(self._pairs) - 1, 0))
        return self._pairs[at] == wanted if len(self._pairs) else np.zeros(len(numbers), np.bool_)

    def saved(self) -> dict[str, bytes]:
        """The vocabulary for a snapshot; `restore` reads it."""
        self._settle()
        self._sort_pairs()
        return {"tokens": self._ids.settled.text, "pairs": to_planes(self._pairs)}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """Replace an empty vocabulary by a saved one."""
        self._ids.restore(TokenText(saved["tokens"]))
        self._frequencies = _frequencies(self._ids.settled.codes)
        self._pairs = from_planes(saved["pairs"], np.dtype(np.uint64))

    def _sort_pairs(self) -> None:
        if new := self._pieces.pairs:
            self._pieces.pairs = array("Q")
            self._pairs = distinct(np.concatenate((self._pairs, np.frombuffer(new, np.uint64))))

    def _settle(self) -> None:
        """Have all tokens in one text, which is searched for parts of words."""
        if self._ids.is_settled:
            return
        n_codes = len(self._ids.settled.codes)
        self._ids.settle()
        added = _frequencies(self._ids.settled.codes[n_codes:])
        self._frequencies = [before + more for before, more in zip(self._frequencies, added, strict=True)]

    def _scan(self, term: str, *, has_inner: bool) -> tuple[Ids, Ids]:
        """The tokens that begin with `term`, and those that only contain it further inside; sorted, each once."""
        known = self._scans.get((term, has_inner))
        if known is not None:
            return known
        found = (self._narrowed(term) if has_inner else None) or self._compare(term, has_inner=has_inner)
        if sum(map(len, found)) <= _MAX_KEPT:
            if len(self._scans) >= _MAX_SCANS:
                self._scans.pop(next(iter(self._scans), (term, has_inner)), None)
            self._scans[term, has_inner] = found
        return found

    def _narrowed(self, term: str) -> tuple[Ids, Ids] | None:
        """`_scan` among the few tokens that hold a shorter term, if one was looked up: the word as typed so far."""
        shorter = [found for (other, has_inner), found in list(self._scans.items()) if has_inner and other in term]
        fewest = min(shorter, key=lambda found: len(found[0]) + len(found[1]), default=None)
        if fewest is None or len(fewest[0]) + len(fewest[1]) > _MAX_NARROWED:
            return None
        settled, part = self._ids.settled, term.encode("utf-8", "surrogatepass")
        holding = [(number, settled.find(number, part)) for number in np.sort(np.concatenate(fewest)).tolist()]
        return (
            np.array([number for number, at in holding if at == 0], np.uint32),
            np.array([number for number, at in holding if at > 0], np.uint32),
        )

    def _compare(self, term: str, *, has_inner: bool) -> tuple[Ids, Ids]:
        """`_scan` by comparing all tokens."""
        text, starts = self._ids.settled.codes, self._ids.settled.starts
        needle = term.encode("utf-8", "surrogatepass")
        if has_inner:
            places = _places(text, needle, self._frequencies)
        else:
            places = starts[starts <= len(text) - len(needle)].astype(np.int64)
            for at, code in enumerate(needle):
                places = places[text[places + at] == code]
        numbers = np.searchsorted(starts, places.astype(np.uint32), side="right") - 1
        is_start = starts[numbers] == places
        return numbers[is_start].astype(np.uint32), numbers[is_first(numbers) & ~is_start].astype(np.uint32)


def _frequencies(text: npt.NDArray[np.uint8]) -> list[int]:
    """How often each byte occurs in `text`."""
    counts = np.zeros(256, np.int64)
    for start in range(0, len(text), _BLOCK):  # counting converts the bytes, eight times their size
        counts += np.bincount(text[start : start + _BLOCK], minlength=256)
    return counts.tolist()


def _places(text: npt.NDArray[np.uint8], needle: bytes, frequencies: Sequence[int]) -> npt.NDArray[np.int64]:
    """The positions of `needle` in `text`, in order.

    Compares its rarest two bytes that are next to each other everywhere, and the others only where these match.
    """
    n_places = len(text) - len(needle) + 1
    rarest = min(
        range(len(needle) - 1), default=0, key=lambda at: frequencies[needle[at]] * frequencies[needle[at + 1]]
    )
    found = [np.empty(0, np.int64)]
    for start in range(0, n_places, _BLOCK):
        end = min(start + _BLOCK, n_places)
        is_here = text[start + rarest : end + rarest] == needle[rarest]
        if len(needle) > 1:
            is_here &= text[start + rarest + 1 : end + rarest + 1] == needle[rarest + 1]
        found.append(np.flatnonzero(is_here) + start)
    places = np.concatenate(found)
    for at, code in enumerate(needle):
        if at not in {rarest, rarest + 1}:
            places = places[text[places + at] == code]
    return places


def _parts(text: str) -> list[str]:
    """`text` cut at white space into parts of at most `_MAX_PART` characters; only a longer word is a longer part."""
    parts: list[str] = []
    start = 0
    while len(text) - start > _MAX_PART:
        limit = start + _MAX_PART
        end = max(text.rfind(" ", start, limit), text.rfind("\n", start, limit))
        if end <= start:
            space = _SPACE.search(text, limit)
            end = space.start() if space else len(text)
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in groups of at most `LIMIT` characters together with their gaps."""
    group: list[str] = []
    size = 0
    for text in texts:
        size += len(text) + len(_BETWEEN)
        if size > LIMIT:
            yield group
            group, size = [], len(text) + len(_BETWEEN)
        group.append(text)
    if group:
        yield group
