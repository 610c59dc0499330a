"""Org files: headlines with their tags, links between files, the title. The text stays as it is."""

import re

from search.vault.inline import clean_tag, markdown_link
from search.vault.kinds.reading import Reading, add_links, has_room
from search.vault.lines import split_lines
from search.vault.note import Heading, Link, LinkKind

# `[D]`, as the whole word in the source would be a note of open work.
_HEADLINE = re.compile(r"(\*+)[ \t]+(?:(?:TO[D]O|DONE)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?(\S.*)")
_TAGS = re.compile(r"[ \t]:((?:[^\s:]+:)+)$")
_KEYWORD = re.compile(r"[ \t]*#\+(TITLE|FILETAGS|BEGIN_(?:SRC|EXAMPLE)|END_(?:SRC|EXAMPLE)):?[ \t]*(.*)", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\[\]]{1,1000})\](?:\[([^\[\]]{1,1000})\])?\]")
_FILE = re.compile(r"(?:file:)?(.+?\.\w{1,10})(?:::(.*))?$")


def read_org(text: str) -> Reading:
    """The headlines, links and tags of an Org file; blocks of code have none."""
    title, is_code = "", False
    tags: list[str] = []
    headings: list[Heading] = []
    links: list[Link] = []
    for number, line in enumerate(split_lines(text)):
        if "#+" in line and (keyword := _KEYWORD.match(line)):
            name, value = keyword[1].upper(), keyword[2].strip()
            title = title or (value if name == "TITLE" else "")
            tags += value.split(":") if name == "FILETAGS" else []
            is_code = name.startswith("BEGIN") or (is_code and not name.startswith("END"))
        elif not is_code:
            if line[:1] == "*" and has_room(headings) and (headline := _HEADLINE.match(line)):
                text_of, found = headline[2].rstrip(), _TAGS.search(headline[2].rstrip())
                if found:
                    text_of = text_of[: found.start()].rstrip()
                    tags += found[1].split(":")
                headings.append(Heading(min(len(headline[1]), 6), _shown(text_of), number))
            if "[[" in line:
                add_links(links, (_link(match, number) for match in _LINK.finditer(line)))
    return Reading(
        text=text,
        title=title,
        tags=tuple(filter(None, map(clean_tag, dict.fromkeys(tags)))),
        headings=tuple(headings),
        links=tuple(links),
    )


def _shown(text: str) -> str:
    return _LINK.sub(lambda match: match[2] or match[1], text)


def _link(match: re.Match[str], line: int) -> Link | None:
    """The link to another file; None for one within the file or to a URL. `::*Name` is a headline of the file."""
    file = _FILE.match(match[1])
    if file is None:
        return None
    place = (file[2] or "").lstrip("*#")
    return markdown_link(file[1] + (f"#{place}" if place else ""), match[2] or "", line, LinkKind.MARKDOWN)
