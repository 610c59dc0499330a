"""Which part of a line is markup, and how readable the line is by itself.

Judges one line at a time by its appearance: parsing would cost time, while a slightly worse excerpt costs little.
"""

import re
from collections.abc import Iterator

from search.analysis.fold import fold
from search.vault.hidden import hidden_ranges

_LEAD = re.compile(
    r"\s*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)]|\[.\]|\[![\w-]{1,40}\][-+]?)(?:\s+|$))*(?:```+|~~~+|<!--\s*|%%\s*)?"
)  # markup at the start of a line: quote, heading, list, task, callout; fence, comment
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]{1,60}\s*$")
_TARGET = re.compile(r"\]\([^)\s]*|\b[a-z]{3,8}://[^\s)>\]]+")  # a link's address
_PROPERTY = re.compile(r"\s*(?:(?P<key>[^\s:#\-\"'][^:\n]{0,80}):(?:\s+|$)|-\s+)?")
_NAMES = frozenset({"title", "alias", "aliases", "tag", "tags"})  # properties that an answer shows anyway
_BANNER = re.compile(r"==⚠.*EXCALIDRAW VIEW")
_MARKUP = re.compile(
    r"\s*+(?:```|~~~|<!--|%%|\[[^\]]{1,200}\]:\s|<[a-zA-Z/!][^>]*>\s*$|!\[[^\]]*\]\([^)]*\)\s*$|!\[\[[^\]]*\]\]\s*$"
    r"|(?:[-*+]|\d{1,9}[.)])?\s*\[[^\]]*\]\(#[^)]*\)\s*$"
    r"|# Excalidraw Data\s*$|## (?:Text Elements|Element Links|Embedded Files|Drawing)\s*$)"
)  # fence, comment, link definition, single tag or picture, table of contents, the headings of a drawing
_HIDING = re.compile(r"\]\(|<|%%|\]:")
_MAX_LOOK = 400  # characters of a line that decide

MARKUP_FACTOR = 0.1  # for matches in a line of markup


def content_start(line: str) -> int:
    """Where the text begins, after the markup at the start of the line.

    >>> content_start("> - [ ] wash")
    8
    """
    match = _LEAD.match(line)
    return match.end() if match else 0


def content_end(line: str) -> int:
    """Where the text ends: before a block id, the end of a comment, the backslash of a hard break, and whitespace.

    >>> content_end("wash ^a1 ")
    4
    """
    end = len(line)
    if match := _BLOCK_ID.search(line, max(0, end - 80)):
        end = match.start()
    if line.endswith(("-->", "%%"), 0, end):
        end -= 3 if line.endswith("-->", 0, end) else 2
    while end and (line[end - 1].isspace() or (line[end - 1] == "\\" and not line.endswith("\\\\"))):
        end -= 1
    return end


def readability(line: str, title: str = "") -> float:
    """The factor for matches in this line: 1.0; `MARKUP_FACTOR` for markup and a repeated title; 0 for generated text.

    >>> readability("the oak"), readability("```python"), readability("# Oak", "Oak")
    (1.0, 0.1, 0.1)
    """
    look = line[:_MAX_LOOK]
    if look.startswith("==⚠") and _BANNER.match(look):
        return 0.0
    if _MARKUP.match(look):
        return MARKUP_FACTOR
    text = line[content_start(look) :].strip() if len(line) < _MAX_LOOK else look
    if not any(map(str.isalnum, text)) or (look.lstrip().startswith("#") and fold(text) == fold(title)):
        return MARKUP_FACTOR
    return 1.0


def link_targets(line: str) -> Iterator[tuple[int, int]]:
    """The half-open ranges of link addresses in a line."""
    if "](" in line or "://" in line:
        yield from (match.span() for match in _TARGET.finditer(line))


def first_sign(line: str) -> int:
    """The place of the first sign that may hide something from a reader; -1 if there is none."""
    found = _HIDING.search(line) if "]" in line or "<" in line or "%%" in line else None
    return found.start() if found else -1


def seen(line: str) -> str:
    """The line with blanks for what a reader does not see; as long as the line.

    >>> seen('[home](oak.md) <b class="x">')
    '[home](      )              '
    """
    if first_sign(line) < 0:
        return line
    parts: list[str] = []
    at = 0
    for start, end in hidden_ranges(line):
        parts += (line[at:start], " " * (end - start))
        at = end
    return "".join((*parts, line[at:]))


def property_value(line: str) -> tuple[int, int] | None:
    """The range of the value in a line of front matter; None for titles, aliases and tags, which answers show anyway.

    >>> property_value("role: treasurer"), property_value('- "[[Oak]]"'), property_value("title: Oak")
    ((6, 15), (3, 10), None)
    """
    match = _PROPERTY.match(line)
    if match and match["key"] and fold(match["key"].strip()) in _NAMES:
        return None
    start, end = match.end() if match else 0, len(line.rstrip())
    if line[start : start + 1] in {'"', "'"} or (line[start : start + 1] == "[" and line[start + 1 : start + 2] != "["):
        closes = {"[": "]"}.get(line[start], line[start])
        start, end = start + 1, end - line.endswith(closes, start + 1, end)
    return (start, end) if start < end else None
