"""Canvases (JSON Canvas 1.0): cards with text become sections, labels and addresses lines, cards with files links.

Labels, addresses and files come first, in a section without a heading. The heading of a card is the heading on its
first line, else its first words.
"""

import re

from search.vault.inline import markdown_link
from search.vault.kinds.json_text import objects_in, read_object, text_in
from search.vault.kinds.reading import MarkdownPart, Reading, unread
from search.vault.limits import left_out
from search.vault.lines import split_lines
from search.vault.note import Heading, Link, LinkKind

MAX_NODES = 20_000  # and as many edges
MAX_CHARS = 1_000_000  # of all cards; the longest note in the vaults we measured has 0.6 million
LONGEST_ID = 200  # characters; a card with a longer id is named by its number
EDGES = "edges"  # names the lines with the labels of edges
_LONGEST_CAPTION = 80  # characters
_TYPES = ("text", "file", "link", "group")  # of cards
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_WORD = re.compile(r"\w")
_EMPHASIS = re.compile(r"\*\*|==|~~|`")
_MARKERS = re.compile(r"(?:[\s\-*+>|#]|\[.\]\s)++")


def read_canvas(text: str) -> Reading:
    """The cards, labels and links of a canvas. An empty file is an empty canvas, as in Obsidian."""
    value, problem = read_object(text, "canvas")
    if problem:
        return unread(problem)
    nodes, edges = objects_in(value, "nodes"), objects_in(value, "edges")
    lost = [*left_out(len(nodes), MAX_NODES, "cards"), *left_out(len(edges), MAX_NODES, "edges")]
    nodes, edges = nodes[:MAX_NODES], edges[:MAX_NODES]
    lost += _unknown(sum(node.get("type") not in _TYPES and not _line_of(node) for node in nodes))
    numbered = list(enumerate(nodes, start=1))
    named = [(node, _key(node, number), line) for number, node in numbered if (line := _line_of(node))]
    labels = [line for edge in edges if (line := _line_of(edge))]
    lines = [line for *_, line in named] + labels
    links = tuple(link for at, (node, *_) in enumerate(named) if (link := _link_of(node, at)))
    headings: list[Heading] = []
    parts: list[MarkdownPart] = []
    keys = [(at, key) for at, (_, key, _) in enumerate(named)] + [(len(named), EDGES)] * bool(labels)
    n_chars = sum(map(len, lines))
    cards = [(card, _key(node, number)) for number, node in numbered if (card := _card_of(node))]
    for number, (card, key) in enumerate(cards):
        if n_chars > MAX_CHARS:
            lost += left_out(len(cards), number, "cards with text")
            break
        n_chars += len(card)
        lines += [""] if lines else []
        start = len(lines)
        keys.append((start, key))
        lines += split_lines(card)
        has_heading = _HEADING.match(card) is not None
        if not has_heading and (caption := _caption(lines[start:])):
            headings.append(Heading(2, caption, start))
        parts.append(MarkdownPart(start, len(lines), top=2 if has_heading else 3))
    return Reading(
        text="\n".join(lines),
        headings=tuple(headings),
        links=links,
        markdown=tuple(parts),
        keys=tuple(keys),
        lost=tuple(lost),
    )


def _unknown(n_cards: int) -> list[str]:
    if not n_cards:
        return []
    return [
        "1 card of an unknown type is not used" if n_cards == 1 else f"{n_cards:,} cards of unknown types are not used"
    ]


def _key(node: dict[str, object], number: int) -> str:
    """The name of a card in links: its id, as in Obsidian, or `card=3` for the third card if it has no usable id."""
    key = text_in(node, "id")
    return key if 0 < len(key) <= LONGEST_ID else f"card={number}"


def _line_of(item: dict[str, object]) -> str:
    """The line for a label, an address or a file; "" for anything else. Only edges have no type."""
    match item.get("type"):
        case "link":
            text = text_in(item, "url")
        case "file":
            text = text_in(item, "file") + text_in(item, "subpath")
        case "group" | None:
            text = text_in(item, "label")
        case _:
            text = ""
    return " ".join(text.split())


def _link_of(node: dict[str, object], line: int) -> Link | None:
    """The link of a card that shows a file.

    The path of the file is relative to the vault, and `#`, `|` and `%20` in it are plain characters.
    """
    path, subpath = text_in(node, "file"), text_in(node, "subpath")
    if node.get("type") != "file" or not path.strip() or "\0" in path:
        return None
    place = markdown_link(subpath.replace("%", "%25"), "", line, LinkKind.EMBED) if subpath.startswith("#") else None
    heading, block = (place.heading, place.block) if place else ("", "")
    return Link(path.strip(), line, LinkKind.EMBED, heading, block)


def _card_of(node: dict[str, object]) -> str:
    """The text of a card without empty lines around it."""
    if node.get("type") != "text":
        return ""
    lines = split_lines(text_in(node, "text").rstrip())
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(lines[first:])


def _caption(lines: list[str]) -> str:
    """The first words of a card, without markup around them."""
    line = next((line for line in lines if _WORD.search(line)), "")
    marker = _MARKERS.match(line)
    caption = " ".join(_EMPHASIS.sub("", line[marker.end() if marker else 0 :]).split())
    if len(caption) <= _LONGEST_CAPTION:
        return caption
    return caption[:_LONGEST_CAPTION].rsplit(" ", 1)[0] + "…"
