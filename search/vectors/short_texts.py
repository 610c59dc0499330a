"""The two short texts of a note that say what it is about: what it is called, and how it begins.

    name      title, aliases and headings
    opening   title, a summary in the front matter, then the first prose: paragraphs and list items, without markup

The title stands in both, because a page often begins as if its reader knew what it is about. Only the beginning of a
long note is read.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from search.vault.blocks import BlockKind, scan_blocks
from search.vault.lines import to_lf
from search.vault.note import Note

MOST_CHARACTERS = 240  # of either text, some 40 words; with 150 or 360 questions are answered no better
_MOST_READ = 50_000  # characters of a note in which its first prose is looked for
_SUMMARIES = frozenset(("desc", "description", "excerpt", "subtitle", "summary"))
_LONGEST_WORD = 60  # a longer one is data
_PROSE = frozenset((BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.HTML))
_LEAD = re.compile(r"\s*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)]|\[.\]|\[![\w-]{1,40}\][-+]?)(?:\s+|$))*")
_HIDDEN = re.compile(
    r"!\[\[[^\[\]]{0,300}\]\]|!\[[^\[\]]{0,300}\]\([^()\s]{0,1000}[^()]{0,100}\)"
    r"|<!--.{0,1000}?-->|%%.{0,1000}?%%|</?[a-zA-Z][^<>]{0,1000}>|\[\^[^\[\]\s]{1,60}\]|\s\^[\w-]{1,60}$"
)  # pictures, comments, tags of HTML, footnote marks, block ids
_WIKI = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{0,300})\]\]")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])")
_ADDRESS = re.compile(r"\b[a-z]{3,8}://\S{1,2000}")
_SIGNS = re.compile(r"[*_`|=~]+")


def short_texts(note: Note, text: str) -> tuple[str, ...]:
    """The name and the opening of a note, each one line; `text` is its whole file. A note without prose has no opening.

    >>> from search.ids import NoteId
    >>> short_texts(Note(NoteId("oak.md"), "Oak", aliases=("Quercus",)), "- **Thick** [bark](a.md)")
    ('Oak. Quercus', 'Oak. Thick bark')
    """
    title = _plain(note.title)
    said = (value for key, values in note.properties if key.casefold() in _SUMMARIES for value in values)
    beginning = chain((word for value in said for word in _plain(value).split()), _prose(text, note.body_line))
    words = _first_words(beginning, MOST_CHARACTERS - len(title))
    name = _joined((title, *map(_plain, note.aliases), *map(_plain, note.heading_texts)))
    return (name, f"{title}. {words}") if words else (name,)


def _joined(parts: Iterable[str]) -> str:
    """The parts, each once, as far as they fit; the first one always, cut off if it is too long."""
    kept: dict[str, str] = {}
    n_left = MOST_CHARACTERS
    for part in parts:
        if part and part.casefold() not in kept:
            if kept and len(part) > n_left:
                break
            kept[part.casefold()] = part
            n_left -= len(part) + 2
    return ". ".join(kept.values())[:MOST_CHARACTERS]


def _first_words(words: Iterable[str], most: int) -> str:
    found: list[str] = []
    for word in words:
        most -= len(word) + 1
        if most < 0:
            break
        found.append(word)
    return " ".join(found)


def _prose(text: str, body_line: int) -> Iterator[str]:
    lines = to_lf(text[:_MOST_READ]).split("\n")[body_line:]
    for kind, start, end, level in scan_blocks(lines):
        if kind in _PROSE and not level:  # an underlined heading is a paragraph with a level
            for line in lines[start:end]:
                yield from (word for word in _plain(line).split() if len(word) <= _LONGEST_WORD)


def _plain(line: str) -> str:
    """A line as its reader sees it: without marks, with the texts of links and without their targets."""
    lead = _LEAD.match(line)
    shown = _HIDDEN.sub(" ", line[lead.end() if lead else 0 :])
    shown = _LINK.sub(r"\1", _WIKI.sub(r"\1", shown))
    return " ".join(_SIGNS.sub("", _ADDRESS.sub(" ", shown)).split())
