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
_MIN_LINKS = 600  # characters reserved for links
_MAX_LABEL = 120
_EMBED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_IMAGE = re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])?")
_WIKI = re.compile(r"\[\[([^\[\]|\n]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_DEFINITION = re.compile(r" {0,3}\[[^\]\n]+\]:\s")
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
_OPEN_COMMENT = re.compile(r"(?:%%|<!--)(?!.*(?:%%|-->)).*", re.DOTALL)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+#.-]*)")
_BLOCK_MARK = re.compile(r"\s\^[\w-]+\s*$")
_SPECIAL = re.compile(r"([\\`*_\[\]])")


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
    text = _OPEN_COMMENT.sub("", _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), "\n".join(lines)))
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


def escaped(text: str) -> str:
    """A text on one line, with Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\1", _html_escaped(_one_line(text)))


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
    if _DEFINITION.match(line):
        return ""
    text = _IMAGE.sub("", _EMBED.sub("", line))
    text = _WIKI.sub(lambda match: match[2] or match[1], text)
    text = _LINK.sub(lambda match: match[1], text)
    text = _BLOCK_MARK.sub("", text)
    text = text.replace("![", "!\\[").replace("](", "]\\(")
    return _html_escaped(text)


def _html_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&amp;", "&")


def _filled(parts: list[str], card: Card, lines: Sequence[str], write: Callable[[str], str]) -> str:
    """The parts, then the caption and as many lines as fit."""
    text = "\n\n".join(parts)[: MAX_CHARS - _MIN_LINKS]
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
