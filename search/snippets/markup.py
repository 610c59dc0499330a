"""What of a line is markup, and how much a line says to a person who reads it alone.

One line at a time and by its looks: an excerpt that is chosen a little wrongly costs nothing, parsing would.
"""

import re
from collections.abc import Iterator

from search.analysis.fold import fold

_LEAD = re.compile(
    r"\s*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)]|\[.\]|\[![\w-]{1,40}\][-+]?)(?:\s+|$))*(?:```+|~~~+|<!--\s*|%%\s*)?"
)  # what begins a line: quote, heading, list, task, callout; fence, comment
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]{1,60}\s*$")
_TARGET = re.compile(r"\]\([^)\s]*|\b[a-z]{3,8}://[^\s)>\]]+")  # of a link: a match inside it is no reading
_PROPERTY = re.compile(r"\s*(?:(?P<key>[^\s:#\-\"'][^:\n]{0,80}):(?:\s+|$)|-\s+)?")
_NAMES = frozenset({"title", "alias", "aliases", "tag", "tags"})  # front matter that an answer tells anyway
_BANNER = re.compile(r"==⚠.*EXCALIDRAW VIEW")
_DULL = re.compile(
    r"\s*(?:```|~~~|<!--|%%|\[[^\]]{1,200}\]:\s|<[a-zA-Z/!][^>]*>\s*$|!\[[^\]]*\]\([^)]*\)\s*$|!\[\[[^\]]*\]\]\s*$"
    r"|(?:[-*+]|\d{1,9}[.)])?\s*\[[^\]]*\]\(#[^)]*\)\s*$"
    r"|# Excalidraw Data\s*$|## (?:Text Elements|Element Links|Embedded Files|Drawing)\s*$)"
)  # fence, comment, link definition, lone tag or picture, table of contents, the parts of a drawing
_MAX_LOOK = 400  # characters of a line that its looks are judged by

DULL = 0.1  # what such a line's matches count


def lead_end(line: str) -> int:
    """Where what is to be read begins.

    >>> lead_end("> - [ ] wash")
    8
    """
    match = _LEAD.match(line)
    return match.end() if match else 0


def tail_start(line: str) -> int:
    """Where what is to be read ends: before a block's id, a comment's end, a hard break's backslash and blanks.

    >>> tail_start("wash ^a1 ")
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
    """How much a match in this line counts: 1.0; `DULL` for markup and for the title again; 0 for what no one wrote.

    >>> readability("the oak"), readability("```python"), readability("# Oak", "Oak")
    (1.0, 0.1, 0.1)
    """
    look = line[:_MAX_LOOK]
    if look.startswith("==⚠") and _BANNER.match(look):
        return 0.0
    if _DULL.match(look):
        return DULL
    said = line[lead_end(look) :].strip() if len(line) < _MAX_LOOK else look
    if not any(map(str.isalnum, said)) or (look.lstrip().startswith("#") and fold(said) == fold(title)):
        return DULL
    return 1.0


def link_targets(line: str) -> Iterator[tuple[int, int]]:
    """The half-open ranges of addresses in a line."""
    if "](" in line or "://" in line:
        yield from (match.span() for match in _TARGET.finditer(line))


def property_value(line: str) -> tuple[int, int] | None:
    """The range of the value in a line of front matter; None for a name or tag, which is told anyway.

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
