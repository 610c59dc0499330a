"""Removes embedded data that no person wrote or reads: the data of drawings, and base64.

Every line stays, perhaps empty, so line numbers do not change. A note without such data costs a few substring searches;
otherwise time is linear in the length of the text.
"""

import re

from search.vault.pieces import pieces

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(compressed-json|json)[ \t]*$", re.MULTILINE)
_DRAWING = re.compile(r"\s*\{\s*\"type\"\s*:\s*\"excalidraw\"")
_BANNER = re.compile(r"^==⚠(?>.*?EXCALIDRAW VIEW).*⚠==.*$", re.MULTILINE)  # the plugin writes it above every drawing
_DATA_URI = re.compile(r"(data:[\w.+/-]{0,80};base64,)[A-Za-z0-9+/=_-]{64,}+")
# A word of more than a thousand letters, or a dozen lines of nothing but base64, is data.
_RUN = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{1024,}+={0,2}")
_WRAPPED = re.compile(r"(?:^[A-Za-z0-9+/]{60,}+={0,2}\n){12,}+(?:^[A-Za-z0-9+/]{1,}+={0,2}$)?", re.MULTILINE)
_SHORTEST_RUN = 1024
_MANY_LINES = 512 * 1024  # characters; of data that is longer, some lines may stay
_SHORTEST_WRAPPED = 8 * 1024  # characters of a note; indexing the data of a shorter one costs less than detecting it


def drop_embedded_data(text: str) -> tuple[str, int]:
    """The text (with LF line breaks) without embedded data, and the number of characters removed."""
    n_before = len(text)
    if "compressed-json" in text or "excalidraw" in text:
        text = _drop_drawings(text)
    if "EXCALIDRAW VIEW" in text:
        text = _BANNER.sub("", text)
    if ";base64," in text:
        text = _DATA_URI.sub(r"\1", text)
    if _has_long_line(text):
        text = "".join(_RUN.sub("", piece) for piece in pieces(text))
    if len(text) > _SHORTEST_WRAPPED and _looks_wrapped(text):
        text = "".join(_WRAPPED.sub(_only_breaks, piece) for piece in pieces(text, longest=_MANY_LINES))
    return text, n_before - len(text)


def _drop_drawings(text: str) -> str:
    pieces: list[str] = []
    at = 0
    while opened := _FENCE.search(text, at):
        start = opened.end()
        if opened[2] == "json" and not _DRAWING.match(text, start):
            pieces.append(text[at:start])
            at = start
            continue
        end = text.find("\n" + opened[1], start)
        end = len(text) if end < 0 else end
        pieces += (text[at:start], "\n" * text.count("\n", start, end))
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _has_long_line(text: str) -> bool:
    """Whether some line has at least as many characters as the shortest run of data; reads only parts of the text."""
    at = 0
    while len(text) - at >= _SHORTEST_RUN:
        found = text.rfind("\n", at, at + _SHORTEST_RUN)
        if found < 0:
            return True
        at = found + 1
    return False


def _looks_wrapped(text: str) -> bool:
    """Whether some line is long and without spaces: a cheap test that saves most notes from the expensive pattern."""
    return any(
        len(line) >= 60 and " " not in line
        for piece in pieces(text)  # as a list of all lines can take much memory
        for line in piece.split("\n")
    )


def _only_breaks(match: re.Match[str]) -> str:
    return "\n" * match.group().count("\n")
