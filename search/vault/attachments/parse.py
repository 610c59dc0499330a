"""Which function reads which type of attachment. Runs in the child process, and in tests."""

from collections.abc import Callable, Mapping

from search.vault.attachments.book import read_epub
from search.vault.attachments.extracted import Extracted, Unreadable, failed
from search.vault.attachments.image import read_image
from search.vault.attachments.open_document import read_odt
from search.vault.attachments.pdf import read_pdf
from search.vault.attachments.slides import read_pptx
from search.vault.attachments.word import read_docx
from search.vault.attachments.workbook import read_xlsx

PARSERS: Mapping[str, Callable[[bytes], Extracted]] = {
    "pdf": read_pdf,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "odt": read_odt,
    "epub": read_epub,
    "image": read_image,
}


def extract(file_type: str, data: bytes) -> Extracted:
    """The text in the bytes of a file, or the reason why there is none. Never raises."""
    try:
        return PARSERS[file_type](data) if data else failed("the file is empty")
    except Unreadable as error:
        return failed(str(error))
    except MemoryError:
        return failed("reading it takes too much memory")
    except Exception as error:  # noqa: BLE001 - a bug in a parser is a problem of this file alone
        return failed(f"it cannot be read ({type(error).__name__})")
