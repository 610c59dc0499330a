"""reStructuredText: underlined headings, links between documents, images. The text stays as it is."""

import re
from collections.abc import Iterator

from search.vault.inline import markdown_link
from search.vault.kinds.reading import Reading, add_links, has_room
from search.vault.lines import split_lines
from search.vault.note import Heading, Link, LinkKind

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_LINK = re.compile(r"`([^`<>]{0,500})<([^<>`]{1,1000})>`_{1,2}")
_ROLE = re.compile(r":(?:[a-z]{1,10}:)?(doc|download):`(?:([^`<>]{0,500})<)?([^<>`]{1,1000})>?`")
_IMAGE = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]{1,100}\|[ \t]+)?(?:image|figure|include)::[ \t]*(\S.*)")


def read_rst(text: str) -> Reading:
    """The headings and links of a document. Its first heading, if it has a level of its own, is the title."""
    lines = split_lines(text)
    headings: list[Heading] = []
    links: list[Link] = []
    styles: list[tuple[str, bool]] = []  # sign and overline of each level, in order of appearance
    for number, line in enumerate(lines):
        if not line:
            continue
        if number and has_room(headings) and (sign := _ADORNMENT.match(line)) and (title := lines[number - 1].strip()):
            before = lines[number - 2] if number > 1 else ""
            is_over = before.rstrip() == line.rstrip()
            starts = is_over or not before.strip() or bool(headings and headings[-1].line == number - 3)
            if starts and not _ADORNMENT.match(title) and len(line.rstrip()) >= min(len(title), 4):
                style = sign[1], is_over
                if style not in styles:
                    styles.append(style)
                headings.append(Heading(min(styles.index(style) + 1, 6), title, number - 1))
        if "`_" in line or ":`" in line or "::" in line:
            add_links(links, _links(line, number))
    is_titled = bool(headings) and sum(heading.level == 1 for heading in headings) == 1 and headings[0].level == 1
    return Reading(text=text, title=headings[0].text if is_titled else "", headings=tuple(headings), links=tuple(links))


def _links(line: str, number: int) -> Iterator[Link | None]:
    """The links of a line. A role `:doc:` names a document without its extension."""
    for match in _LINK.finditer(line):
        yield markdown_link(match[2].strip(), match[1].strip(), number, LinkKind.MARKDOWN)
    for role in _ROLE.finditer(line):
        target = role[3].strip() + (".rst" if role[1] == "doc" else "")
        yield markdown_link(target, (role[2] or "").strip(), number, LinkKind.MARKDOWN)
    if image := _IMAGE.match(line):
        yield markdown_link(image[1].strip(), "", number, LinkKind.EMBED)
