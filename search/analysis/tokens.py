"""The tokenizer: cuts text into the tokens of the index, in the same way for notes and for queries.

A text is first cut into *runs*, of three kinds:

    words        letters, digits and marks joined by . _ - ' & @ or a dash, with trailing + or # ("C++", "C#")
    dense runs   scripts written without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese)
    signs        a symbol that no word contains (§, €, an emoji)

A word becomes its whole folded form and the parts that people search for: the text between joiners, the humps of
camelCase, and letters without trailing digits ("OAuth2" -> oauth2, oauth, auth). A dense run becomes its overlapping
bigrams, or itself if it is a single character. A sign becomes itself.

Invisible characters inside a run do not cut it, and typographic variants of joiners count as the joiner (see `fold`).
The words on both sides of a dash count as words of their own, since many people write a dash without spaces. A dotted
acronym has its letters as a part ("U.S.A." -> u.s.a, usa). The ends of English contractions are no parts ("you're" ->
you're, you).

Invariants: `tokens(a + " " + b)` has exactly the tokens of both, and every run has a token. Tokens are folded here and
never again.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import pairwise, takewhile

from search.analysis.fold import APOSTROPHES, DASHES, HYPHENS, INVISIBLE, fold, unify

# Scripts without spaces between words, and Hangul, whose words end in particles: bigrams match words in both.
_DENSE = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb"
    "\uf900-\ufad9\uff66-\uff9f\uffa0-\uffdc\U00020000-\U000323af"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
)
# Combining marks and vowel signs: they occur inside words, but \w does not match them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3"
    "\u0a01-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56"
    "\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_LETTER = rf"(?:[^\W{_DENSE}{APOSTROPHES}]|[{_MARKS}])"
_LETTERS = rf"{_LETTER}++(?:[{INVISIBLE}]++{_LETTER}++)*+"
_JOINER = rf"[.．\-&＆@＠{APOSTROPHES}{HYPHENS}{DASHES}]"
_WORD = rf"{_LETTERS}(?:[{INVISIBLE}]*+{_JOINER}[{INVISIBLE}]*+{_LETTERS})*+(?:\+\+|＋＋|[+#＃](?!{_LETTER}))?"
_NO_SIGNS = (  # spaces, quotes, dashes, punctuation of CJK and other scripts, surrogates, private use
    "\u00a0\u00a1\u00ab\u00ad\u00b4\u00b7\u00b8\u00bb\u00bf\u2000-\u206f\u3000-\u303f\ud800-\uf8ff\ufe00-\ufe6f\ufeff\uff00-\uff65"
    rf"{INVISIBLE}{APOSTROPHES}{HYPHENS}"
)
_SIGN = rf"[^\w\s\x00-\x7f{_NO_SIGNS}]"
_ASCII_WORD = r"[A-Za-z0-9_]++(?:[.\-'`&@][A-Za-z0-9_]++)*+(?:\+\+|[+#](?![A-Za-z0-9_]))?"

_ASCII = re.compile(_ASCII_WORD)
_DENSE_RUN = rf"[{_DENSE}]++(?:[{INVISIBLE}]++[{_DENSE}]++)*+"
_RUNS = re.compile(rf"{_WORD}|{_DENSE_RUN}|{_SIGN}")
_IS_DENSE = re.compile(_DENSE_RUN)
_JOINERS = re.compile(r"[._\-'&@+#]+")
_DASH = re.compile(f"[{DASHES}]")
_PERSIAN_JOINER = re.compile("(?<=[\u0620-\u06ff])\u200c(?=[\u0620-\u06ff])")  # between the parts of a word
_ASCII_HUMPS = re.compile("[0-9]++|[A-Z]+(?![a-z])|[A-Z]?[a-z]++")
_CONTRACTED = re.compile(r"(?:[a-z]*n't|(.+)'(?:re|ve|ll|s|d|m))", re.IGNORECASE)

MAX_TOKEN = 80  # characters; a longer token is a key, a hash or noise, and only its beginning is kept

_LONGEST_ACRONYM = 8  # letters
_LONGEST_DEGREE = 5  # letters of an acronym whose first or last piece has several letters ("Ph.D", "M.Phil")

# Characters that never occur inside a run of ASCII text. The text between two of them is a piece: usually one run, with
# joiners at its ends.
SEPARATORS = ' !"$%()*,/:;<=>?[\\]^{|}~' + "".join(map(chr, range(32))) + "\x7f"


class Grade(IntEnum):
    """How a token stands in its text: the lower, the more exactly a search for it means this place."""

    WHOLE = 0  # it is a run, or a word between dashes
    JOINED = 1  # it is one of the words that joiners connect ("fox" in "snow-fox"), or a dotted acronym
    INSIDE = 2  # it is a part of such a word ("fox" in "fireFox")
    HIDDEN = 3  # a reader does not see it: markup, a comment, the address of a link


_WHOLE, _JOINED, _INSIDE = Grade.WHOLE, Grade.JOINED, Grade.INSIDE  # enum look-ups are slow


def ascii_with_gaps(text: str, gap: str) -> tuple[str, list[str]]:
    r"""`text` with a gap in place of each word that is not ASCII, and these words in order; words end at white space.

    Most text is ASCII, whose pieces are looked up much faster.

    >>> ascii_with_gaps("tea for two\n茶 for 2", "_")
    ('tea for two\n_ for 2', ['茶'])
    """
    if text.isascii():
        return text, []
    lines: list[str] = []
    words: list[str] = []
    for line in text.split("\n"):
        if line.isascii():
            lines.append(line)
        else:
            split = line.split()
            words += (word for word in split if not word.isascii())
            lines.append(" ".join(word if word.isascii() else gap for word in split))
    return "\n".join(lines), words


def runs(text: str) -> list[str]:
    """The runs of `text` in order, as written: words, dense runs and signs.

    >>> runs("(C++ and Next.js) §12, 東京へ")
    ['C++', 'and', 'Next.js', '§', '12', '東京へ']
    """
    return _ASCII.findall(text) if text.isascii() else _RUNS.findall(text)


def tokens(text: str) -> tuple[str, ...]:
    """All tokens of all runs in `text`, in order; a run's whole form comes before its parts.

    >>> tokens("getUserById"), tokens("OAuth2"), tokens("Next.js")
    (('getuserbyid', 'get', 'user', 'by', 'id'), ('oauth2', 'oauth', 'auth'), ('next.js', 'next', 'js'))
    >>> tokens("中文编程"), tokens("学")
    (('中文', '文编', '编程'), ('学',))
    """
    word = plain_word(text)
    if word:
        return (word,)
    found = runs(text)
    return run_tokens(found[0]) if len(found) == 1 else tuple(token for run in found for token in run_tokens(run))


def plain_word(piece: str) -> str:
    """The token of a piece that is one simple word or number, as most pieces are; else "".

    >>> plain_word("Router,"), plain_word("OAuth2"), plain_word("(reset.")
    ('', '', '')
    >>> plain_word("Router."), plain_word("reset"), plain_word("USB"), plain_word("2026")
    ('router', 'reset', 'usb', '2026')
    """
    if not piece.isascii():
        return ""
    bare = piece if piece.isalpha() else piece.strip(".-'`&@")
    if bare.isalpha():
        if bare.islower() or bare.istitle() or bare.isupper():
            return bare.lower()[:MAX_TOKEN]
    elif bare.isdigit():
        return bare[:MAX_TOKEN]
    return ""


def run_tokens(run: str) -> tuple[str, ...]:
    """The tokens of one run: the whole form, then its parts, each once; for a dense run its bigrams.

    >>> run_tokens("U.S.A"), run_tokens("you're"), run_tokens("Nord–Süd")
    (('u.s.a', 'usa'), ("you're", 'you'), ('nord-sud', 'nord', 'sud'))
    """
    return tuple(token for token, _ in graded_run(run))


def graded_tokens(text: str) -> tuple[tuple[str, Grade], ...]:
    """The tokens of `text` as `tokens` gives them, each with its grade."""
    return tuple(graded for run in runs(text) for graded in graded_run(run))


def graded_run(run: str) -> tuple[tuple[str, Grade], ...]:
    """The tokens of one run as `run_tokens` gives them, each with its grade.

    Underscores at the ends may be those of `_emphasis_`, so the run without them is whole too.

    >>> [(token, grade.name) for token, grade in graded_run("snow-fireFox")]
    [('snow-firefox', 'WHOLE'), ('snow', 'JOINED'), ('firefox', 'JOINED'), ('fire', 'INSIDE'), ('fox', 'INSIDE')]
    """
    if word := plain_word(run):
        return ((word, Grade.WHOLE),)
    if run.isascii():
        return tuple(_ascii_grades(run).items())
    if _IS_DENSE.match(run):
        folded = fold(run) or run
        bigrams = (folded,) if len(folded) == 1 else (a + b for a, b in pairwise(folded))
        return tuple((bigram, Grade.WHOLE) for bigram in bigrams)
    if len(run) == 1:
        return ((fold(run) or run, Grade.WHOLE),)
    found = tuple(_grades(run).items())
    return found or ((run[:MAX_TOKEN], Grade.WHOLE),)  # accents without letters, of which folding leaves nothing


def _grades(run: str) -> dict[str, Grade]:
    """The tokens of a run with their grades, in order; of several grades the best."""
    whole = fold(run)[:MAX_TOKEN]
    grades = {whole: Grade.WHOLE, whole.strip("_"): Grade.WHOLE}
    for token, grade in _parts(run):
        if grade < grades.get(token, grade + 1):
            grades[token] = grade
    grades.pop("", None)
    return grades


def _ascii_grades(run: str) -> dict[str, Grade]:
    """The same as `_grades` for a run of ASCII, by shorter ways.

    Folding is `lower` here, and most pieces are words without humps. Worth its length, as a large vault has a hundred
    thousand such runs.
    """
    folded = fold(run)
    grades = {folded[:MAX_TOKEN]: _WHOLE}
    if "_" in folded:
        grades[folded[:MAX_TOKEN].strip("_")] = _WHOLE
    plain = run[: 4 * MAX_TOKEN].replace("`", "'")
    contracted = _CONTRACTED.fullmatch(plain) if "'" in plain else None
    plain = (contracted[1] or "") if contracted else plain
    if "." in plain and (acronym := _acronym(plain).lower()):
        grades.setdefault(acronym[:MAX_TOKEN], _JOINED)
        grades.setdefault(acronym.replace(".", "")[:MAX_TOKEN], _JOINED)
    split = [piece for piece in _JOINERS.split(plain) if piece]
    for piece in split:
        token = piece.lower()[:MAX_TOKEN]
        is_token = len(piece) > 1 or piece.isdigit() or (len(split) == 1 and not contracted)
        if is_token and grades.get(token) is not _WHOLE:
            grades[token] = _JOINED
        if piece.islower() and piece.isalpha():
            continue
        humps = _ASCII_HUMPS.findall(piece)
        if len(humps) > 1:
            for part in humps if piece.isalpha() else (_before_digits(humps), *humps):
                if len(part) > 1:
                    grades.setdefault(part.lower()[:MAX_TOKEN], _INSIDE)
    grades.pop("", None)
    return grades


def without_dashes(text: str) -> str:
    """`text` with a space for each dash, so that the words on both sides are runs of their own."""
    return text if text.isascii() else _DASH.sub(" ", text)


def is_dense(text: str) -> bool:
    """Whether all of `text` is in scripts that are written without spaces; False for empty text."""
    return not text.isascii() and _IS_DENSE.fullmatch(text) is not None


def _parts(run: str) -> Iterator[tuple[str, Grade]]:
    if _DASH.search(run):
        yield from graded_tokens(without_dashes(run))
        return
    plain = unicodedata.normalize("NFC", unify(_PERSIAN_JOINER.sub("-", run[: 4 * MAX_TOKEN])))
    contracted = _CONTRACTED.fullmatch(plain) if "'" in plain else None
    plain = (contracted[1] or "") if contracted else plain
    split = [piece for piece in _JOINERS.split(plain) if piece]
    if acronym := _acronym(plain):
        yield fold(acronym)[:MAX_TOKEN], Grade.JOINED
        yield fold(acronym.replace(".", ""))[:MAX_TOKEN], Grade.JOINED
    for piece in split:
        if len(piece) > 1 or piece.isdigit() or (len(split) == 1 and not contracted):
            yield fold(piece)[:MAX_TOKEN], Grade.JOINED
        humps = _humps(piece)
        if len(humps) > 1:
            for part in (_before_digits(humps), *humps):
                if len(part) > 1:
                    yield fold(part)[:MAX_TOKEN], Grade.INSIDE


def _before_digits(humps: Iterable[str]) -> str:
    return "".join(takewhile(lambda hump: not hump[0].isdigit(), humps))


def _acronym(run: str) -> str:
    """The dotted acronym, or the initials, that `run` is or begins with; "" if there are none.

    A piece between dots has one or two letters, or up to four if only its first one is a capital ("M.Phil"). One of the
    pieces is a single letter.

    >>> _acronym("Ph.D"), _acronym("J.R.R.Tolkien"), _acronym("Next.js")
    ('Ph.D', 'J.R.R', '')
    """
    if "." not in run:
        return ""
    pieces = list(takewhile(_may_be_in_acronym, run.split(".")))
    is_acronym = len(pieces) > 1 and any(len(piece) == 1 for piece in pieces)
    return ".".join(pieces) if is_acronym else ""


def dotted(word: str) -> tuple[str, ...]:
    """The ways to write a folded word as a dotted acronym; none if it is no word, too long or in a dense script.

    >>> dotted("phd"), dotted("unesco"), dotted("2nd")
    (('p.h.d', 'p.hd', 'ph.d'), ('u.n.e.s.c.o',), ())
    """
    if not word.isalpha() or not 1 < len(word) <= _LONGEST_ACRONYM or is_dense(word):
        return ()
    is_short = 2 < len(word) <= _LONGEST_DEGREE
    return (".".join(word), *((f"{word[0]}.{word[1:]}", f"{word[:-1]}.{word[-1]}") if is_short else ()))


def _may_be_in_acronym(piece: str) -> bool:
    return piece.isalpha() and (len(piece) <= 2 or (len(piece) <= 4 and piece.istitle()))


def _humps(piece: str) -> list[str]:
    """The parts of a camelCase name.

    Cuts before a capital that follows a lower-case letter, before the last of several capitals if a lower-case letter
    follows it (HTTP|Server), and between digits and other characters.
    """
    if piece.isascii():
        return _ASCII_HUMPS.findall(piece)
    cuts = [0]
    for at in range(1, len(piece)):
        before, here = piece[at - 1], piece[at]
        ends_acronym = before.isupper() and here.isupper() and piece[at + 1 : at + 2].islower()
        if before.isdigit() != here.isdigit() or (before.islower() and here.isupper()) or ends_acronym:
            cuts.append(at)
    return [piece[start:end] for start, end in pairwise([*cuts, len(piece)])]
