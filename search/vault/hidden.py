"""What a reader of a note does not see: HTML tags, scripts, styles, comments, and the addresses of links.

The trick: one pattern finds the next sign that may begin any of these, or code, in which all is seen. Each sign then
consumes what belongs to it, so the text is scanned once. Never raises; a sign without its end hides nothing.
"""

import re
from collections.abc import Iterator
from functools import cache

from search.vault.inline import DEFINITION, HTML_TAG, INLINE_LINK

# Each alternative begins with one certain character ("``*+" and not "`++"), which `re` finds three times faster. Most
# code is short and on one line, so it is one sign.
_SIGN = re.compile(r"`(?P<code>[^`\n]{1,200}+`(?!`))?+`*+|~~~++|<|\]\(|\]:|%%|\\.")
_BEFORE_FENCE = re.compile(r"(?:[ \t>]|[-*+]\s|\d{1,9}[.)]\s)*+")  # before a fence: quote marks and list markers
_LONGEST_FENCE = 100  # signs
_LONGEST_LABEL = 1000  # characters
_MAX_SIGNS = 200_000  # that are looked at; after so many, everything counts as seen
_PART = 100_000  # characters of one search
_UNSEEN = re.compile(r"<(script|style)\b", re.IGNORECASE)  # elements whose text is not shown either
_LONGEST_CODE = 1000  # characters of code within a paragraph that are searched for its end


def hidden_ranges(text: str) -> Iterator[tuple[int, int]]:
    """The half-open ranges of `text` that a reader does not see, in order.

    >>> text = 'an <b class="x">oak</b> at [home](oak-tree.md), `<i>`'
    >>> [text[start:end] for start, end in hidden_ranges(text)]
    ['<b class="x">', '</b>', 'oak-tree.md']
    """
    if not ("<" in text or "](" in text or "]:" in text or "%%" in text):
        return
    at = 0
    absent: set[str] = set()  # ends of comments that do not come any more
    n_signs = 0
    next_sign = _SIGN.search if len(text) < _PART else _next_sign
    while (found := next_sign(text, at)) and n_signs < _MAX_SIGNS:
        n_signs += 1
        sign, start, at = found[0], found.start(), found.end()
        if sign[0] in "`~":
            if found["code"]:
                continue
            at = _after_code(text, start, at)
        elif hidden := _hidden_at(text, sign, start, at, absent):
            yield hidden
            at = hidden[1]


def _next_sign(text: str, at: int) -> re.Match[str] | None:
    """The next sign; searched in parts, as no other thread runs during a search."""
    while at < len(text):
        end = at + _PART
        found = _SIGN.search(text, at, end)
        if found:
            return found if found.end() < end else _SIGN.match(text, found.start())
        at = end - 2  # a sign of up to three characters may begin there
    return None


def _hidden_at(text: str, sign: str, start: int, at: int, absent: set[str]) -> tuple[int, int] | None:
    """What is hidden from the sign at `start` on, which ends at `at`."""
    match sign:
        case "](":
            link = INLINE_LINK.match(text, at - 1)
            return (at, link.end() - 1) if link else None
        case "]:":
            line = text.rfind("\n", max(0, start - _LONGEST_LABEL), start) + 1
            defined = DEFINITION.match(text, line)
            is_address = defined and defined.end(1) == start and not defined[1].startswith("^")  # a footnote is seen
            return (at, defined.end()) if defined and is_address else None
        case "<" if not text.startswith("!--", at):
            tag = HTML_TAG.match(text, start)
            if not tag or ":" in tag[0].split()[0]:
                return None
            unseen = _UNSEEN.match(tag[0])
            return start, (_after_unseen(text, unseen[1].lower(), tag.end(), absent) if unseen else tag.end())
        case "<" | "%%":
            closer = "%%" if sign == "%%" else "-->"
            end = -1 if closer in absent else text.find(closer, at)
            if end < 0:
                absent.add(closer)
            return (start, end + len(closer)) if end >= 0 else None
        case _:  # an escaped sign
            return None


def _after_unseen(text: str, name: str, at: int, absent: set[str]) -> int:
    """Where the element that opened before `at` ends; `at` if it never does."""
    closing = None if name in absent else re.compile(f"</{name}[ \t]*>", re.IGNORECASE).search(text, at)
    if closing is None:
        absent.add(name)
    return at if closing is None else closing.end()


def without_hidden(text: str) -> tuple[str, str]:
    """What a reader sees of `text`, and what is hidden.

    >>> without_hidden("![an oak](trees/oak.png) <!-- draw it again -->")
    ('![an oak]( )  ', 'trees/oak.png <!-- draw it again -->')
    """
    seen: list[str] = []
    hidden: list[str] = []
    at = 0
    for start, end in hidden_ranges(text):
        seen.append(text[at:start])
        hidden.append(text[start:end])
        at = end
    return " ".join((*seen, text[at:])) if hidden else text, " ".join(hidden)


@cache
def _end_of_code(ticks: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!`){ticks}(?!`)")


def _after_code(text: str, start: int, at: int) -> int:
    """Where the code that begins with the sign at `start` ends; `at`, the end of the sign, if it is no code."""
    fence = text[start:at]
    if len(fence) > _LONGEST_FENCE:
        return at
    line = text.rfind("\n", max(0, start - 100), start) + 1
    if len(fence) >= 3 and _BEFORE_FENCE.fullmatch(text, line, start):
        closing = re.compile(rf"\n[ \t>]*+{re.escape(fence)}{re.escape(fence[0])}*+[ \t]*+(?=\n|$)").search(text, at)
        return closing.end() if closing else len(text)
    if fence[0] == "~":
        return at
    closing = _end_of_code(fence).search(text, at, at + _LONGEST_CODE)
    return at if closing is None or "\n\n" in text[at : closing.start()] else closing.end()
