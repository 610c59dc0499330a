"""AsciiDoc: titles of sections, links between documents, images and includes. The text stays as it is."""

import re
from collections.abc import Iterator

from search.vault.inline import markdown_link
from search.vault.kinds.reading import Reading, add_links, has_room
from search.vault.lines import split_lines
from search.vault.note import Heading, Link, LinkKind

_SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_BLOCK = re.compile(r"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|```\w*)[ \t]*$")  # literal text, code and comments
# A word without `[` is read once and not from each `link:` in it, which would take quadratic time.
_LINK = re.compile(r"\b(link|xref|image|include)::?+([^\s\[\]]++)(?:\[([^\[\]]{0,500})\])?+")
_LONGEST_TARGET = 1000  # characters
_CROSS = re.compile(r"<<([^<>,\s]{1,500})(?:,([^<>]{0,500}))?>>")
_OTHER_FILE = re.compile(r"[^#]+(?:#|\.adoc|\.asciidoc)")  # without it, a reference is to a place in the file itself


def read_adoc(text: str) -> Reading:
    """The titles and links of a document; literal blocks have none. The first title of level 1 is that of the file."""
    headings: list[Heading] = []
    links: list[Link] = []
    closer = ""
    for number, line in enumerate(split_lines(text)):
        if not line:
            continue
        if _BLOCK.match(line) and (not closer or line.rstrip() == closer):
            closer = "" if closer else line.rstrip()[:3] if line.startswith("`") else line.rstrip()
            continue
        if closer:
            continue
        if line[:1] in {"=", "#"} and has_room(headings) and (section := _SECTION.match(line)):
            headings.append(Heading(len(section[1]), section[2].strip(), number))
        if "[" in line or "<<" in line:
            add_links(links, _links(line, number))
    title = next((heading.text for heading in headings if heading.level == 1), "")
    return Reading(text=text, title=title, headings=tuple(headings), links=tuple(links))


def _links(line: str, number: int) -> Iterator[Link | None]:
    for match in _LINK.finditer(line):
        if match[3] is None or len(match[2]) > _LONGEST_TARGET:
            continue
        kind = LinkKind.EMBED if match[1] in {"image", "include"} else LinkKind.MARKDOWN
        yield markdown_link(match[2], match[3].strip(), number, kind)
    for match in _CROSS.finditer(line):
        if _OTHER_FILE.match(match[1]):
            yield markdown_link(match[1], (match[2] or "").strip(), number, LinkKind.MARKDOWN)
