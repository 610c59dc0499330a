"""Takes out of a text what no person wrote or reads: drawings' data and base64.

Only the characters go; every line stays, empty, so that line numbers hold. Costs a few substring searches in a note
that has nothing of the kind, and time linear in the text in any other.
"""

import re

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(compressed-json|json)[ \t]*$", re.MULTILINE)
_DRAWING = re.compile(r"\s*\{\s*\"type\"\s*:\s*\"excalidraw\"")
_BANNER = re.compile(r"^==⚠.*EXCALIDRAW VIEW.*⚠==.*$", re.MULTILINE)  # what the plugin writes above every drawing
_DATA_URI = re.compile(r"(data:[\w.+/-]{0,80};base64,)[A-Za-z0-9+/=_-]{64,}+")
# A word of a thousand letters, or a dozen lines of nothing but base64, is no language.
_RUN = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{1024,}+={0,2}")
_WRAPPED = re.compile(r"(?:^[A-Za-z0-9+/]{60,}+={0,2}\n){12,}+(?:^[A-Za-z0-9+/]{1,}+={0,2}$)?", re.MULTILINE)
_SHORTEST_RUN = 1024
_SHORTEST_WRAPPED = 8 * 1024  # below that it costs less to search it than to look for it


def drop_embedded_data(text: str) -> tuple[str, int]:
    """The text (lines ended by LF) without such blocks, and how many characters went."""
    n_before = len(text)
    if "compressed-json" in text or "excalidraw" in text:
        text = _drop_drawings(text)
    if "EXCALIDRAW VIEW" in text:
        text = _BANNER.sub("", text)
    if ";base64," in text:
        text = _DATA_URI.sub(r"\1", text)
    if _has_long_line(text):
        text = _RUN.sub("", text)
    if len(text) > _SHORTEST_WRAPPED and _looks_wrapped(text):
        text = _WRAPPED.sub(_only_breaks, text)
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
    """Whether some line has as many characters as the shortest run; looks at a few places of the text only."""
    at = 0
    while len(text) - at >= _SHORTEST_RUN:
        found = text.rfind("\n", at, at + _SHORTEST_RUN)
        if found < 0:
            return True
        at = found + 1
    return False


def _looks_wrapped(text: str) -> bool:
    """Whether some line somewhere is long and without spaces; cheap, so that the costly pattern is rarely tried."""
    return any(len(line) >= 60 and " " not in line for line in text.split("\n"))


def _only_breaks(match: re.Match[str]) -> str:
    return "\n" * match.group().count("\n")
