"""OpenDocument texts (.odt); what is deleted is left out."""

from collections.abc import Mapping

from search.vault.attachments.archive import Archive
from search.vault.attachments.extracted import Extracted, TextBuilder
from search.vault.attachments.office import Paragraph, add_paragraph, extract_office, metadata_in


def read_odt(data: bytes) -> Extracted:
    """An OpenDocument text.

    Raises:
        Unreadable: it is encrypted, damaged or of another format.
    """
    return extract_office(Archive(data), "content.xml", _open_document, _open_document_metadata)


def _open_document(archive: Archive, text: TextBuilder) -> None:  # noqa: C901 - a table of elements
    paragraph = Paragraph()
    n_body, n_deleted, n_paragraphs, level = 0, 0, 0, 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal n_body, n_deleted, n_paragraphs, level
        match name:
            case "body":
                n_body += 1
            case "tracked-changes":
                n_deleted += 1
            case "h" | "p":
                n_paragraphs += 1
                value = attributes.get("outline-level", "1")
                level = (int(value) if value in {"1", "2", "3", "4", "5", "6"} else 6) if name == "h" else level
            case "s" | "tab":
                paragraph.add(" ")
            case "line-break":
                paragraph.add("\n")

    def end(name: str) -> None:
        nonlocal n_body, n_deleted, n_paragraphs, level
        match name:
            case "body":
                n_body -= 1
            case "tracked-changes":
                n_deleted -= 1
            case "h" | "p":
                n_paragraphs -= 1
                add_paragraph(text, paragraph.take(), level)
                level = 0

    def add(piece: str) -> None:
        if n_body and n_paragraphs and not n_deleted:
            paragraph.add(piece)

    archive.parse("content.xml", start=start, end=end, text=add)


def _open_document_metadata(archive: Archive) -> tuple[str, str]:
    return metadata_in(archive, "meta.xml")
