"""The text of a hover: a card with an excerpt of a note, made safe for any client to display.

Front matter, images, embeds and comments are left out, links become plain words, raw HTML is escaped, and code gets new
fences, so that a note cannot end its code block early. A `Card` is written as Markdown or, for clients that support
nothing else, as plain text. The text is never longer than `MAX_CHARS`.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from lsp_server.wire.plain_text import plain

MAX_CHARS = 2000
_MAX_EXCERPT = 800
_MAX_LINES = 20
_MAX_READ = 20_000  # characters of a note that are looked at: comments and blank lines may precede the text
_MIN_LINKS = 600  # characters reserved for links
_MAX_LABEL = 120
_EMBED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_IMAGE = re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])?")
_WIKI = re.compile(r"\[\[([^\[\]|\n]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_COMMENT = re.compile(r"%%|<!--")
_ENDS = {"%%": "%%", "<!--": "-->"}
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+#.-]*)")
_BLOCK_MARK = re.compile(r"\s\^[\w-]+\s*$")
_SPECIAL = re.compile(r"([\\`*_\[\]])")
# What could become a link: the end of a label, an address, an e-mail address. An escaped sign is kept as it is.
_LIVE = re.compile(r"\\[!-/:-@\[-`{-~]|\](?=[(\[:])|://|www\.|@|`+", re.IGNORECASE)
_DEAD = {"://": ":\\//", "@": "\\@", "]": "\\]"}
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_BACKTICKS = re.compile("`+")
_WRITTEN = re.compile(r"\\([\]/.@`])|&(lt|amp);")  # by `_without_links`
_OF_ENTITY = {"lt": "<", "amp": "&"}


@frozen
class CardLink:
    """A line with a link to a note: its label, its target, and optionally the reason for listing it."""

    label: str
    uri: str
    note: str
    reason: str = ""


@frozen
class Card:
    """The content of a hover: a head, a hint, an excerpt of a note, and links below a caption."""

    head: str | CardLink
    hint: str = ""
    excerpt: str = ""
    caption: str = ""
    links: Sequence[CardLink] = ()


def as_markdown(card: Card) -> str:
    """The card in Markdown, at most `MAX_CHARS` long; links that do not fit are left out."""
    head = f"**{_markdown_link(card.head) if isinstance(card.head, CardLink) else escaped(card.head)}**"
    parts = [part for part in (head, escaped(card.hint), card.excerpt) if part]
    return _filled(parts, card, [f"- {_markdown_link(link)}{_reason(link, escaped)}" for link in card.links], escaped)


def as_plain_text(card: Card) -> str:
    """The card as plain text: a link becomes its label and the note's path."""
    head = card.head.label if isinstance(card.head, CardLink) else card.head
    parts = [part for part in (head, _one_line(card.hint), _unescaped(card.excerpt)) if part]
    return _filled(parts, card, [f"- {link.label} ({link.note}){_reason(link, str)}" for link in card.links], str)


def excerpt(lines: Iterable[str]) -> str:
    """Lines of a note, without its front matter, as safe Markdown: about 800 characters, cut between lines."""
    text = _without_comments("\n".join(lines)[:_MAX_READ])
    shown: list[str] = []
    size = 0
    for block in _blocks(text.split("\n")):
        size += len(block) + 1
        if size > _MAX_EXCERPT or len(shown) >= _MAX_LINES:
            shown.append("…" if shown else escaped(block[:_MAX_EXCERPT]) + "…")
            break
        if block.strip() or (shown and shown[-1].strip()):
            shown.append(block)
    return "\n".join(shown).strip("\n")


def _without_comments(text: str) -> str:
    """The text with the line ends of its comments only; a comment without an end goes on to the end of the text."""
    kept: list[str] = []
    at = 0
    while begin := _COMMENT.search(text, at):
        end = text.find(_ENDS[begin[0]], begin.end())
        kept.append(text[at : begin.start()])
        if end < 0:
            return "".join(kept)
        at = end + len(_ENDS[begin[0]])
        kept.append("\n" * text.count("\n", begin.start(), at))
    return "".join((*kept, text[at:]))


def escaped(text: str) -> str:
    """A text on one line, with Markdown and HTML escaped."""
    return _ADDRESS.sub(_dead, _SPECIAL.sub(r"\\\1", _html_escaped(_one_line(text))))


def _blocks(lines: Sequence[str]) -> Iterable[str]:
    """Safe lines; a whole code block, with new fences, counts as one line."""
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is None:
            yield _safe(lines[at])
            at += 1
            continue
        closes = re.compile(rf"\s*{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*$")
        end = next((n for n in range(at + 1, len(lines)) if closes.match(lines[n])), len(lines))
        inside = "\n".join(lines[at + 1 : end])
        longest = max((len(run) for run in re.findall(r"`+", inside)), default=0)
        new_fence = "`" * max(3, longest + 1)
        if len(inside) <= _MAX_EXCERPT:
            yield f"{new_fence}{fence[2]}\n{inside}\n{new_fence}"
        at = end + 1


def _safe(line: str) -> str:
    """A line in which links are words, and in which no address, label or tag is live."""
    text = _IMAGE.sub("", _EMBED.sub("", line))
    text = _WIKI.sub(lambda match: match[2] or match[1], text)
    text = _LINK.sub(lambda match: match[1], text)
    text = _BLOCK_MARK.sub("", text)
    return _without_links(text)


def _without_links(text: str) -> str:
    """The text with whatever could become a link, an image or a tag escaped, except in code within the line.

    Backticks without a counterpart in the line are escaped, so that code ends where it seems to. Code with a bar does
    not count: in a table the bar would end it.
    """
    ends: dict[int, list[int]] = {}  # length of a run -> where such runs begin, the last one first
    for run in reversed(list(_BACKTICKS.finditer(text))):
        ends.setdefault(len(run[0]), []).append(run.start())
    pieces: list[str] = []
    at = 0
    while match := _LIVE.search(text, at):
        pieces.append(_html_escaped(text[at : match.start()]))
        at = match.end()
        if match[0][0] != "`":
            pieces.append(_dead(match))
            continue
        begins = ends.get(len(match[0]), [])
        while begins and begins[-1] < at:
            begins.pop()
        end = begins[-1] + len(match[0]) if begins else 0
        if end and "|" not in text[at:end]:
            pieces.append(text[match.start() : end])
            at = end
        else:
            pieces.append("\\`" * len(match[0]))
    return "".join((*pieces, _html_escaped(text[at:])))


def _dead(match: re.Match[str]) -> str:
    """A sign that could make a link, escaped."""
    sign = match[0]
    return sign if sign[0] == "\\" else _DEAD.get(sign) or f"{sign[:-1]}\\{sign[-1]}"


def _html_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _unescaped(text: str) -> str:
    return _WRITTEN.sub(lambda match: match[1] or _OF_ENTITY[match[2]], text)


def _filled(parts: list[str], card: Card, lines: Sequence[str], write: Callable[[str], str]) -> str:
    """The parts, then the caption and as many lines as fit."""
    text = ""
    for part in parts:  # a part that was cut could end in the middle of code, and what was code would be a link
        if len(text) + len(part) <= MAX_CHARS - _MIN_LINKS:
            text += f"\n\n{part}" if text else part
    before = f"\n\n{write(card.caption)}\n\n" if card.caption else "\n\n"
    for line in lines:
        if len(text) + len(before) + len(line) > MAX_CHARS:
            break
        text += before + line
        before = "\n"
    return plain(text)


def _markdown_link(link: CardLink) -> str:
    return f"[{escaped(link.label)}]({link.uri})"


def _reason(link: CardLink, write: Callable[[str], str]) -> str:
    return f": {write(link.reason)}" if link.reason else ""


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LABEL else line[: _MAX_LABEL - 1] + "…"
