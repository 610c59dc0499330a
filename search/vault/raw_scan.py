"""Looks for the words of a query in files that are not parsed yet, so that those which have them can be read first.

A rough look at bytes: it decides the order of reading, never an answer.
"""

from collections.abc import Collection, Iterable

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense, runs

_WHOLE = 4  # characters; a longer word is cut by a fifth, where its ending may differ


def needles_of(texts: Iterable[str]) -> tuple[tuple[bytes, ...], ...]:
    r"""The forms to look for of each distinct word, in lower-case UTF-8; words that every note has are left out.

    >>> needles_of(["the Reserved Äpfel"])
    ((b'reserv',), (b'\xc3\xa4pfe', b'\xc3\x84pfe', b'\xc3\x84PFE', b'apfe'))
    """
    words = dict.fromkeys(run for text in texts for run in runs(text) if not is_stop_word(fold(run)))
    found = (dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in _forms(word)) for word in words)
    return tuple(dict.fromkeys(tuple(forms) for forms in found))


def n_named(needles: Iterable[Collection[bytes]], path: str) -> int:
    """How many words the path of a file has."""
    return n_held(needles, path.encode("utf-8", "surrogatepass"))


def n_held(needles: Iterable[Collection[bytes]], data: bytes) -> int:
    """How many words a file has in its text."""
    text = data.lower()
    return sum(any(form in text for form in forms) for forms in needles)


def _forms(word: str) -> tuple[str, ...]:
    if word.isascii():
        return (_stem(word.lower()),)
    if is_dense(word):
        return (word,)
    # bytes.lower() knows ASCII only.
    return (*map(_stem, (word.lower(), word.title(), word.upper())), _stem(fold(word)))


def _stem(word: str) -> str:
    return word if len(word) <= _WHOLE else word[: max(_WHOLE, len(word) - (len(word) + 4) // 5)]
