"""The tokenizer: cuts text into the tokens of the index, in the same way for notes and for queries.

A text is first cut into *runs*, of three kinds:

    words        letters, digits and marks joined by . _ - ' ’ & or @, with trailing + or # ("C++", "C#")
    dense runs   scripts written without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese)
    signs        a symbol that no word contains (§, €, an emoji)

A word becomes its whole folded form and the parts that people search for: the text between joiners, the humps of
camelCase, and letters without trailing digits ("OAuth2" -> oauth2, oauth, auth). A dense run becomes its overlapping
bigrams, or itself if it is a single character. A sign becomes itself.

Invariant: `tokens(a + " " + b)` has exactly the tokens of both. Tokens are folded here and never again.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from search.analysis.fold import fold

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
_LETTER = rf"(?:[^\W{_DENSE}]|[{_MARKS}])"
_WORD = rf"{_LETTER}+(?:[.\-'’&@]{_LETTER}+)*(?:\+\+|[+#](?!{_LETTER}))?"
_NO_SIGNS = (  # spaces, quotes, dashes, punctuation of CJK and other scripts, surrogates, private use
    "\u00a0\u00a1\u00ab\u00ad\u00b4\u00b7\u00b8\u00bb\u00bf\u2000-\u206f\u3000-\u303f\ud800-\uf8ff\ufe00-\ufe6f\ufeff\uff00-\uff65"
)
_SIGN = rf"[^\w\s\x00-\x7f{_NO_SIGNS}]"
_ASCII_WORD = r"[A-Za-z0-9_]+(?:[.\-'&@][A-Za-z0-9_]+)*(?:\+\+|[+#](?![A-Za-z0-9_]))?"

_ASCII = re.compile(_ASCII_WORD)
_RUNS = re.compile(rf"{_WORD}|[{_DENSE}]+|{_SIGN}")
_IS_DENSE = re.compile(rf"[{_DENSE}]+")
_JOINERS = re.compile(r"[._\-'’&@+#]+")

MAX_TOKEN = 80  # characters; a longer token is a key, a hash or noise, and only its beginning is kept

# Characters that never occur inside a run of ASCII text. The text between two of them is a piece: usually one run, with
# joiners at its ends.
SEPARATORS = ' !"$%()*,/:;<=>?[\\]^`{|}~' + "".join(map(chr, range(32))) + "\x7f"
_BLANKING = str.maketrans(dict.fromkeys(SEPARATORS, " "))


def pieces(text: str) -> list[str]:
    """`text` cut into pieces that never cut through a run; their order is not defined.

    Cutting is cheap, and a vault has few distinct pieces, so a caller can cache the tokens of each piece.
    """
    plain, other = split_ascii(text)
    found = plain.translate(_BLANKING).split()
    if other:
        found += _RUNS.findall(other)
    return found


def split_ascii(text: str) -> tuple[str, str]:
    r"""The ASCII part of `text` and the rest: together they have the same runs, in another order.

    >>> split_ascii("tea for two\n茶 for 2")
    ('tea for two\nfor 2', '茶')
    """
    if text.isascii():
        return text, ""
    plain: list[str] = []
    words: list[str] = []
    other: list[str] = []
    for line in text.split("\n"):
        if line.isascii():
            plain.append(line)
        else:
            for word in line.split():
                (words if word.isascii() else other).append(word)
    return "\n".join((*plain, " ".join(words))), " ".join(other)


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
    >>> plain_word("Router."), plain_word("reset"), plain_word("2026")
    ('router', 'reset', '2026')
    """
    if not piece.isascii():
        return ""
    bare = piece if piece.isalpha() else piece.strip(".-'&@")
    if bare.isalpha():
        if bare.islower() or bare.istitle():
            return bare.lower()[:MAX_TOKEN]
    elif bare.isdigit():
        return bare[:MAX_TOKEN]
    return ""


def run_tokens(run: str) -> tuple[str, ...]:
    """The tokens of one run: the whole form, then its parts, each once; for a dense run its bigrams."""
    if _IS_DENSE.match(run):
        folded = fold(run)
        return (folded,) if len(folded) == 1 else tuple(a + b for a, b in pairwise(folded))
    if len(run) == 1:
        return (fold(run) or run,)
    whole = fold(run)[:MAX_TOKEN]
    return tuple(dict.fromkeys(token for token in (whole, *_parts(run[: 4 * MAX_TOKEN])) if token))


def is_dense(text: str) -> bool:
    """Whether all of `text` is in scripts that are written without spaces; False for empty text."""
    return _IS_DENSE.fullmatch(text) is not None


def _parts(run: str) -> Iterator[str]:
    split = [piece for piece in _JOINERS.split(unicodedata.normalize("NFC", run)) if piece]
    for piece in split:
        if len(piece) > 1 or piece.isdigit() or len(split) == 1:
            yield fold(piece)[:MAX_TOKEN]
        humps = _humps(piece)
        if len(humps) > 1:
            letters = next((at for at, char in enumerate(piece) if char.isdigit()), 0)
            yield from (fold(part)[:MAX_TOKEN] for part in (piece[:letters], *humps) if len(part) > 1)


def _humps(piece: str) -> list[str]:
    """The parts of a camelCase name.

    Cuts before a capital that follows a lower-case letter, before the last of several capitals if a lower-case letter
    follows it (HTTP|Server), and between digits and other characters.
    """
    cuts = [0]
    for at in range(1, len(piece)):
        before, here = piece[at - 1], piece[at]
        ends_acronym = before.isupper() and here.isupper() and piece[at + 1 : at + 2].islower()
        if before.isdigit() != here.isdigit() or (before.islower() and here.isupper()) or ends_acronym:
            cuts.append(at)
    return [piece[start:end] for start, end in pairwise([*cuts, len(piece)])]
