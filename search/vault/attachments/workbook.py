"""Workbooks (.xlsx): the values of cells, without formulas."""

from collections.abc import Mapping

from search.vault.attachments.archive import Archive, ignore
from search.vault.attachments.extracted import Extracted, TextBuilder
from search.vault.attachments.office import Paragraph, core_metadata, extract_office
from search.vault.limits import Full

MAX_CELLS = 1_000_000  # of a workbook, and as many shared texts
_COLUMN = "\N{BOX DRAWINGS LIGHT VERTICAL}"


def read_xlsx(data: bytes) -> Extracted:
    """A workbook: the names of sheets are headings, each row is a line.

    Raises:
        Unreadable: it is encrypted, damaged or of another format.
    """
    return extract_office(Archive(data), "xl/workbook.xml", _workbook, core_metadata)


def _workbook(archive: Archive, text: TextBuilder) -> None:
    main = "xl/workbook.xml"
    links = archive.links(main)
    sheets: list[tuple[str, str]] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            sheets.append((attributes.get("name", ""), links.get(attributes.get("id", ""), "")))

    archive.parse(main, start=start, end=ignore, text=ignore)
    shared = _shared_texts(archive)
    n_cells = 0
    for name, part in sheets:
        text.add_heading(2, name)
        n_cells = _sheet(archive, part, text, shared, n_cells)


def _shared_texts(archive: Archive) -> list[str]:
    texts: list[str] = []
    paragraph = Paragraph()
    is_text = False

    def start(name: str, _attributes: Mapping[str, str]) -> None:
        nonlocal is_text
        is_text = name == "t"

    def end(name: str) -> None:
        nonlocal is_text
        is_text = False
        if name == "si":
            texts.append(paragraph.take())
            if len(texts) > MAX_CELLS:
                raise Full(f"{MAX_CELLS:,} cells")

    archive.parse(
        "xl/sharedStrings.xml", start=start, end=end, text=lambda piece: paragraph.add(piece) if is_text else None
    )
    return texts


def _sheet(archive: Archive, part: str, text: TextBuilder, shared: list[str], n_cells: int) -> int:  # noqa: C901 - a table of elements
    cells: list[str] = []
    value = Paragraph()
    kind, is_value = "", False

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal kind, is_value, n_cells
        match name:
            case "c":
                kind = attributes.get("t", "")
                n_cells += 1
                if n_cells > MAX_CELLS:
                    raise Full(f"{MAX_CELLS:,} cells")
            case "v" | "t":
                is_value = True

    def end(name: str) -> None:
        nonlocal is_value
        match name:
            case "v" | "t":
                is_value = False
            case "c":
                words = value.take()
                if kind == "s":
                    at = int(words) if words.isascii() and words.isdigit() and len(words) < 9 else -1
                    words = shared[at] if 0 <= at < len(shared) else ""
                cells.append(" ".join(words.split()) if kind != "b" else "")
            case "row":
                if row := f" {_COLUMN} ".join(filter(None, cells)):
                    text.add(row)
                cells.clear()

    archive.parse(part, start=start, end=end, text=lambda piece: value.add(piece) if is_value else None)
    return n_cells
