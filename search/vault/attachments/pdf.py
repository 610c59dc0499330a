"""PDF: the text of each page, the outline as headings, title and author from the metadata.

PDFium marks each hyphen at the end of a line; without it, the two parts are one word again.
Runs in the child process only: a damaged file can make the parser crash or hang.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from search.vault.attachments.extracted import MAX_PAGES, Extracted, TextBuilder, Unreadable, one_line
from search.vault.attachments.metadata import useful_title
from search.vault.limits import Full

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_HYPHEN = re.compile(r"[\ufffe\x02](?:\r?\n)?")
_MAX_OUTLINE = 5_000  # entries; a hostile outline can be as long as the file
_DEEPEST = 6
_LINES_OF_PAGE = 300  # that are searched for the title of an entry; a page of a book has 50
_PASSWORD = 4  # PDFium's code for a missing or wrong password


def read_pdf(data: bytes) -> Extracted:
    """The text of a PDF.

    Raises:
        Unreadable: it is encrypted, damaged, or no PDF.
    """
    import pypdfium2  # noqa: PLC0415 - an extra, and only the child process needs it
    from pypdfium2 import raw  # noqa: PLC0415

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        is_encrypted = raw.FPDF_GetLastError() == _PASSWORD or "password" in str(error).lower()
        raise Unreadable("it is encrypted" if is_encrypted else "it is damaged or no PDF") from error
    try:
        return _read(document)
    finally:
        document.close()


def _read(document: "PdfDocument") -> Extracted:
    text, lost, n_pages = TextBuilder(), [], len(document)
    n_unread = 0
    try:
        for number in range(n_pages):
            text.add_page(_label(document, number))
            page = _page(document, number)
            text.add(page or "")
            n_unread += page is None
    except Full as full:
        lost.append(f"of {n_pages:,} pages, only the first {full} are searched")
    if n_unread:
        lost.append(f"{n_unread:,} of {n_pages:,} pages cannot be read")
    problem = ""
    if not text.has_words:
        what = "that cannot be read" if n_unread and n_unread == n_pages else "without text"
        problem = f"{n_pages:,} page{'' if n_pages == 1 else 's'} {what}"
    lost += _add_headings(document, text)
    return text.extracted(
        title=useful_title(_metadata(document, "Title")),
        author=one_line(_metadata(document, "Author")),
        lost=() if problem else tuple(lost),
        problem=problem,
    )


def _add_headings(document: "PdfDocument", text: TextBuilder) -> list[str]:
    """Add the entries of the outline as headings of their pages; returns what was left out."""
    starts = text.page_starts
    for at, (level, title, page) in enumerate(_outline(document)):
        if at >= _MAX_OUTLINE:
            return [f"headings after the first {_MAX_OUTLINE:,} are not used"]
        if page < len(starts):
            try:
                text.add_heading(level, title, _line_of(title, text, starts, page))
            except Full as full:
                return [f"headings after the first {full} are not used"]
    return []


def _page(document: "PdfDocument", number: int) -> str | None:
    """The text of a page; None if it cannot be read, as in a damaged file whose other pages may be whole."""
    try:
        page = document[number]
        try:
            found = page.get_textpage()
            try:
                return _HYPHEN.sub("", str(found.get_text_range()))
            finally:
                found.close()
        finally:
            page.close()
    except Exception:  # noqa: BLE001 - whatever the parser raises
        return None


def _label(document: "PdfDocument", number: int) -> str:
    try:
        return str(document.get_page_label(number))
    except Exception:  # noqa: BLE001 - a page without a readable label has a number all the same
        return ""


def _metadata(document: "PdfDocument", key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except Exception:  # noqa: BLE001 - damaged metadata; the text is searched without it
        return ""


def _outline(document: "PdfDocument") -> Iterator[tuple[int, str, int]]:
    """Level, title and page (from 0) of the entries that lead to a page."""
    try:
        for entry in islice(document.get_toc(max_depth=_DEEPEST), _MAX_OUTLINE + 1):
            place = entry.get_dest()
            page = None if place is None else place.get_index()
            if page is not None and 0 <= page < MAX_PAGES:
                yield entry.level + 1, entry.get_title(), page
    except Exception:  # noqa: BLE001 - a damaged outline; the text is searched without the rest of it
        return


def _line_of(title: str, text: TextBuilder, starts: list[int], page: int) -> int:
    """The line of a page that is the title of an entry; else the first line of the page."""
    start = starts[page]
    end = starts[page + 1] if page + 1 < len(starts) else text.n_lines
    wanted = _plain(title)
    lines = text.lines_from(start, min(end, start + _LINES_OF_PAGE))
    return start + next((at for at, line in enumerate(lines) if wanted and _is_title(wanted, _plain(line))), 0)


def _is_title(wanted: str, line: str) -> bool:
    """Whether a line is the title, its first part, or ends with the title, as after a number."""
    return bool(line) and (line.endswith(wanted) or (len(line) > 3 and wanted.startswith(line)))


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
