"""The text of a hover: a card with an excerpt of a note, made safe for any client to display.

Front matter, images, embeds and comments are left out, links become plain words and raw HTML is escaped. Code stays as
it is; a code block gets new fences, so that a note cannot end it early. A `Card` is written as Markdown or, for clients
that support nothing else, as plain text. At most `MAX_EXCERPT` characters are of a note, and the text is never longer
than `MAX_CHARS`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from lsp_server.wire.plain_text import plain

MAX_CHARS = 2000
MAX_EXCERPT = 400
_MAX_LINES = 12
_MAX_CODE = 360  # characters of a code block
_MAX_READ = 20_000  # characters of a note that are looked at: comments and blank lines may precede the text
_MIN_LINKS = 600  # characters reserved for links
_MAX_LABEL = 120
_EMBED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_IMAGE = re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])?")
_WIKI = re.compile(r"\[\[([^\[\]|\n]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_DEFINITION = re.compile(r" {0,3}\[[^\]\n]+\]:\s")
_COMMENT = re.compile(r"%%|<!--")
_ENDS = {"%%": "%%", "<!--": "-->"}
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+#.-]*)")
_BLOCK_MARK = re.compile(r"\s\^[\w-]+\s*$")
_SPECIAL = re.compile(r"([\\`*_\[\]])")
_BACKTICKS = re.compile("`+")
_ESCAPE_OR_BACKTICKS = re.compile(r"\\[!-/:-@\[-`{-~]|`+")
# What could become a link: the end of a label, an address, an e-mail address. An escaped sign is kept as it is.
_LIVE = re.compile(r"\\[!-/:-@\[-`{-~]|\](?=[(\[:])|://|www\.|@|!\[|`+", re.IGNORECASE)
_DEAD = {"://": ":\\//", "@": "\\@", "]": "\\]"}
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)


@frozen
class CardLink:
    """A line with a link to a note: its label, its target, and optionally the reason for listing it."""

    label: str
    uri: str
    note: str
    reason: str = ""


@frozen
class Card:
    """The content of a hover: a head, a hint, lines of a note that are shown in part, and links below a caption."""

    head: str | CardLink
    hint: str = ""
    lines: Sequence[str] = ()
    caption: str = ""
    links: Sequence[CardLink] = ()


def _html_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _inert(line: str) -> str:
    """A line in which nothing outside of code is a link, an image or a tag.

    In a table, a bar ends the code around it. So code with a bar counts as code only if the line has nothing to hide.
    """
    is_harmless = "<" not in line and all(match[0][0] in "`\\" for match in _LIVE.finditer(line))
    pieces = _pieces(line, is_with_bars=is_harmless)
    return "".join(piece if is_code else _inert_words(piece) for piece, is_code in pieces)


def _inert_words(text: str) -> str:
    pieces: list[str] = []
    at = 0
    for match in _LIVE.finditer(text):
        pieces += (_html_escaped(text[at : match.start()]), _dead(match))
        at = match.end()
    return "".join((*pieces, _html_escaped(text[at:])))


def _dead(match: re.Match[str]) -> str:
    """A sign that could make a link, escaped."""
    sign = match[0]
    if sign[0] == "`":
        return "\\`" * len(sign)
    return sign if sign[0] == "\\" else _DEAD.get(sign) or f"{sign[:-1]}\\{sign[-1]}"


def _pieces(line: str, *, is_with_bars: bool = True) -> Iterator[tuple[str, bool]]:
    """The line in pieces, and whether each is code; `is_with_bars`: also where a bar is in it.

    Backticks without a counterpart in the line begin no code, so that code ends where it seems to.
    """
    ends: dict[int, list[int]] = {}  # length of a run -> where such runs begin, the last one first
    for run in reversed(list(_BACKTICKS.finditer(line))):
        ends.setdefault(len(run[0]), []).append(run.start())
    start = at = 0
    while match := _ESCAPE_OR_BACKTICKS.search(line, at):
        at = match.end()
        begins = ends.get(len(match[0]), []) if match[0][0] == "`" else []
        while begins and begins[-1] < at:
            begins.pop()
        end = begins[-1] + len(match[0]) if begins else 0
        if end and (is_with_bars or "|" not in line[at:end]):
            yield line[start : match.start()], False
            yield line[match.start() : end], True
            start = at = end
    yield line[start:], False


def as_markdown(card: Card) -> str:
    """The card in Markdown, at most `MAX_CHARS` long; links that do not fit are left out."""
    head = f"**{_markdown_link(card.head) if isinstance(card.head, CardLink) else escaped(card.head)}**"
    parts = [part for part in (head, escaped(card.hint), excerpt(card.lines)) if part]
    return _filled(parts, card, [f"- {_markdown_link(link)}{_reason(link, escaped)}" for link in card.links], escaped)


def as_plain_text(card: Card) -> str:
    """The card as plain text: a link becomes its label and the note's path."""
    head = card.head.label if isinstance(card.head, CardLink) else card.head
    parts = [part for part in (head, _one_line(card.hint), excerpt(card.lines, write=str)) if part]
    return _filled(parts, card, [f"- {link.label} ({link.note}){_reason(link, str)}" for link in card.links], str)


def excerpt(lines: Iterable[str], *, write: Callable[[str], str] = _inert) -> str:
    """The beginning of some lines as safe Markdown, at most `MAX_EXCERPT` characters, cut between lines or words.

    `write` makes a line without its links safe.
    """
    text = _without_comments("\n".join(lines)[:_MAX_READ])
    shown: list[str] = []
    n_left = MAX_EXCERPT
    for raw, block in _blocks(text.split("\n"), write):
        if len(block) + 2 > n_left or len(shown) >= _MAX_LINES:
            shown.append("…" if shown else _fitted(raw, n_left, write))
            break
        if block.strip() or (shown and shown[-1].strip()):
            shown.append(block)
            n_left -= len(block) + 1
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


def _blocks(lines: Sequence[str], write: Callable[[str], str]) -> Iterable[tuple[str, str]]:
    """Lines as they are and made safe. A code block, with new fences, is one of them, if need be cut between lines."""
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is None:
            yield lines[at], _safe(lines[at], write)
            at += 1
            continue
        closes = re.compile(rf"\s*{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*$")
        end = next((n for n in range(at + 1, len(lines)) if closes.match(lines[n])), len(lines))
        inside = _whole_lines(lines[at + 1 : end], _MAX_CODE)
        longest = max((len(run) for run in re.findall(r"`+", inside)), default=0)
        new_fence = "`" * max(3, longest + 1)
        yield "…", f"{new_fence}{fence[2]}\n{inside}\n{new_fence}"
        at = end + 1


def _whole_lines(lines: Sequence[str], n_left: int) -> str:
    """As many lines as fit; an ellipsis stands for the others."""
    shown: list[str] = []
    for line in lines:
        n_left -= len(line) + 1
        if n_left < 0 or len(shown) == _MAX_LINES:
            return "\n".join([*shown, "…"])
        shown.append(line)
    return "\n".join(shown)


def _safe(line: str, write: Callable[[str], str]) -> str:
    """A line whose links, outside of code, are words; `write` makes it safe."""
    if _DEFINITION.match(line):
        return ""
    line = _BLOCK_MARK.sub("", line)
    return write("".join(piece if is_code else _as_words(piece) for piece, is_code in _pieces(line)))


def _as_words(text: str) -> str:
    text = _IMAGE.sub("", _EMBED.sub("", text))
    text = _WIKI.sub(lambda match: match[2] or _name_of(match[1]), text)
    return _LINK.sub(lambda match: match[1], text)


def _name_of(target: str) -> str:
    """What Obsidian shows for a link without a text of its own, without the sign before a heading or block.

    >>> _name_of("#General"), _name_of("a/Orchid#Care#Water"), _name_of("Orchid#^weak")
    ('General', 'a/Orchid › Care › Water', 'Orchid')
    """
    note, *headings = target.split("#")
    return " › ".join(part for part in (note, *headings) if part and not part.startswith("^")) or target.lstrip("#^")


def _fitted(line: str, n_left: int, write: Callable[[str], str]) -> str:
    """The beginning of a line, made safe, cut between words if possible; cut before, so that no code is left open."""
    while (n_more := len(safe := _safe(line, write)) + 1 - n_left) > 0:
        line = line[:-n_more]
        line = line.rpartition(" ")[0] or line
    return safe + "…"


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
