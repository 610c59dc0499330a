"""Books (.epub): their chapters, each read as a web page."""

import codecs
import posixpath
from collections.abc import Mapping
from urllib.parse import unquote

from search.vault.attachments.archive import Archive, ignore, resolved
from search.vault.attachments.extracted import Extracted, TextBuilder
from search.vault.attachments.office import extract_office, metadata_in
from search.vault.kinds.web_page import read_web_page


def read_epub(data: bytes) -> Extracted:
    """A book: its chapters in the order of reading, each as a web page.

    Raises:
        Unreadable: it is encrypted, damaged or of another format.
    """
    return extract_office(Archive(data), "META-INF/container.xml", _book, _book_metadata)


def _book(archive: Archive, text: TextBuilder) -> None:
    package = _package(archive)
    items: dict[str, str] = {}
    chapters: list[str] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "item":
            items[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref" and (href := items.get(attributes.get("idref", ""))):
            chapters.append(resolved(posixpath.dirname(package), href))

    archive.parse(package, start=start, end=ignore, text=ignore)
    for chapter in dict.fromkeys(chapters):
        page = read_web_page(_decoded(archive.read(chapter)))
        first = text.n_lines
        text.add(page.text)
        for heading in page.headings:
            text.add_heading(heading.level, heading.text, first + heading.line)


def _decoded(data: bytes) -> str:
    """The text of a chapter, which is UTF-8 or UTF-16 in every book."""
    is_wide = data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", "replace")


def _package(archive: Archive) -> str:
    found: list[str] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile":
            found.append(attributes.get("full-path", ""))

    archive.parse("META-INF/container.xml", start=start, end=ignore, text=ignore)
    return next(iter(found), "")


def _book_metadata(archive: Archive) -> tuple[str, str]:
    return metadata_in(archive, _package(archive))
