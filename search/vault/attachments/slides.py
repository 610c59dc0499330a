"""Presentations (.pptx): a page for each slide."""

from collections.abc import Mapping

from search.vault.attachments.archive import Archive, ignore
from search.vault.attachments.extracted import Extracted, TextBuilder
from search.vault.attachments.office import Paragraph, add_paragraph, core_metadata, extract_office


def read_pptx(data: bytes) -> Extracted:
    """A presentation: a page for each slide, with its notes; titles of slides are headings.

    Raises:
        Unreadable: it is encrypted, damaged or of another format.
    """
    return extract_office(Archive(data), "ppt/presentation.xml", _slides, core_metadata)


def _slides(archive: Archive, text: TextBuilder) -> None:
    main = "ppt/presentation.xml"
    links = archive.links(main)
    slides: list[str] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId":  # two attributes are called `id` without their namespaces: its number and the link
            slides.extend(links[value] for value in attributes.values() if value in links)

    archive.parse(main, start=start, end=ignore, text=ignore)
    for slide in slides:
        text.add_page()
        n_lines = text.n_lines
        _slide(archive, slide, text)
        for other in archive.links(slide).values():
            if "notesslide" in other.lower():
                _slide(archive, other, text)
        if text.n_lines == n_lines:
            text.add("")


def _slide(archive: Archive, part: str, text: TextBuilder) -> None:
    paragraph = Paragraph()
    is_title, is_text = False, False

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal is_title, is_text
        match name:
            case "sp":
                is_title = False
            case "ph":
                is_title = attributes.get("type") in {"title", "ctrTitle"}
            case "t":
                is_text = True
            case "br" | "tab":
                paragraph.add(" ")

    def end(name: str) -> None:
        nonlocal is_text
        match name:
            case "t":
                is_text = False
            case "p":
                add_paragraph(text, paragraph.take(), 2 if is_title else 0)

    archive.parse(part, start=start, end=end, text=lambda piece: paragraph.add(piece) if is_text else None)
