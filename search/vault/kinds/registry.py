"""Which function reads which type of file.

Plain text (`.txt`) is not listed: it is read as a Markdown note, since people write headings and links in it as in one.
"""

from collections.abc import Mapping

from search.ids import EXTRACTED_TYPES, IMAGE, FileType, other_type
from search.vault.embedded_data import drop_embedded_data
from search.vault.kinds.adoc import read_adoc
from search.vault.kinds.attachment import read_attachment
from search.vault.kinds.canvas import read_canvas
from search.vault.kinds.notebook import read_notebook
from search.vault.kinds.obsidian_base import read_base
from search.vault.kinds.org import read_org
from search.vault.kinds.reading import Read, Reading, unread
from search.vault.kinds.rst import read_rst
from search.vault.kinds.table import read_table
from search.vault.kinds.web_page import read_web_page
from search.vault.lines import to_lf

READ: Mapping[FileType, Read] = {
    "canvas": read_canvas,
    "base": read_base,
    "org": read_org,
    "rst": read_rst,
    "adoc": read_adoc,
    "html": read_web_page,
    "ipynb": read_notebook,
    "csv": read_table,
    **dict.fromkeys((*EXTRACTED_TYPES, IMAGE), read_attachment),
}


# Data is removed from the texts in these and not from the file: a run of letters may begin with the `n` of a `\\n`.
_JSON = frozenset({read_canvas, read_notebook, read_attachment})


def read_for(path: str) -> Read | None:
    """The function for a file by its name; None for notes and plain text, which are Markdown."""
    kind = other_type(path)
    return None if kind is None else READ.get(kind)


def read_with(read: Read, text: str) -> Reading:
    """The reading of a file's text. A bug in `read` is a problem of this file alone."""
    try:
        text = to_lf(text.removeprefix("\ufeff"))
        return read(text if read in _JSON else drop_embedded_data(text)[0])
    except Exception as error:  # noqa: BLE001 - a bug in one kind must not make the vault unsearchable
        return unread(f"it cannot be read ({type(error).__name__})")


def seen_text(path: str, text: str) -> str:
    """What people see in a file: the text itself for notes and plain text."""
    read = read_for(path)
    return text if read is None else read_with(read, text).text
