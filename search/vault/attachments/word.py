"""Word files (.docx): paragraphs, tables, footnotes and comments; what is deleted is left out."""

import contextlib
import re
from collections.abc import Mapping

from search.vault.attachments.archive import Archive, ignore
from search.vault.attachments.extracted import Extracted, TextBuilder, Unreadable
from search.vault.attachments.office import Paragraph, add_paragraph, core_metadata, extract_office

_HEADING_NAME = re.compile(r"heading (\d)|(title)", re.IGNORECASE)


def read_docx(data: bytes) -> Extracted:
    """A Word file: paragraphs, tables, footnotes and comments; styles of headings, also renamed ones, make headings.

    Raises:
        Unreadable: it is encrypted, damaged or of another format.
    """
    return extract_office(Archive(data), "word/document.xml", _word, core_metadata)


def _word(archive: Archive, text: TextBuilder) -> None:
    levels = _heading_styles(archive)
    for part in ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"):
        _word_part(archive, part, text, levels)


def _word_part(archive: Archive, part: str, text: TextBuilder, levels: Mapping[str, int]) -> None:  # noqa: C901 - a table of elements
    paragraph = Paragraph()
    level, n_fallbacks, n_rows, is_text = 0, 0, 0, False

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal level, n_fallbacks, n_rows, is_text
        match name:
            case "t":
                is_text = not n_fallbacks
            case "tab":
                paragraph.add(" ")
            case "br" | "cr":
                paragraph.add("\n")
            case "pStyle":
                level = levels.get(attributes.get("val", "").lower(), 0)
            case "outlineLvl":
                value = attributes.get("val", "")
                level = int(value) + 1 if value in {"0", "1", "2", "3", "4", "5"} else level
            case "tr":
                n_rows += 1
            case "Fallback":  # the same text box once more, for older programs
                n_fallbacks += 1

    def end(name: str) -> None:
        nonlocal level, n_fallbacks, n_rows, is_text
        match name:
            case "t":
                is_text = False
            case "p" if n_rows:
                paragraph.add(" ")
                level = 0
            case "p":
                add_paragraph(text, paragraph.take(), level)
                level = 0
            case "tr":
                n_rows -= 1
                text.add(paragraph.take())
            case "Fallback":
                n_fallbacks -= 1

    archive.parse(part, start=start, end=end, text=lambda piece: paragraph.add(piece) if is_text else None)


def _heading_styles(archive: Archive) -> dict[str, int]:
    """The heading level of each style, by its id. Ids depend on the language of Word, so styles are known by name."""
    levels = {f"heading{level}": level for level in range(1, 7)} | {"title": 1}
    style = ""

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal style
        value = attributes.get("val", "")
        if name == "style":
            style = attributes.get("styleId", "").lower()
        elif name == "name" and style and (named := _HEADING_NAME.fullmatch(value)):
            levels[style] = int(named[1] or 1)

    with contextlib.suppress(Unreadable):  # only headings are lost
        archive.parse("word/styles.xml", start=start, end=ignore, text=ignore)
    return levels
