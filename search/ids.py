"""Ids of notes, and the types of files that an id can have.

Markdown notes are searched, and next to them files of other types, by their extensions. A type is the name that the
operator `type:` and the setting `fileTypes` use; how a file of a type is read is in `vault/kinds`.
"""

from typing import Literal, NewType, get_args

NoteId = NewType("NoteId", str)
"""A note's path relative to the vault, with forward slashes, spelled exactly as in the file system."""

SectionId = tuple[NoteId, int]
"""A passage of a note: the note, and the passage's position in it, counting from 0."""

MARKDOWN = "md"
MARKDOWN_EXTENSIONS = (".md", ".markdown")

FileType = Literal[
    "canvas", "base", "txt", "org", "rst", "adoc", "html", "ipynb", "csv", "pdf", "docx", "pptx", "xlsx", "odt", "epub"
]
FILE_TYPES: tuple[FileType, ...] = get_args(FileType)
"""All types but Markdown; each is also an extension."""

EXTRACTED_TYPES: tuple[FileType, ...] = ("pdf", "docx", "pptx", "xlsx", "odt", "epub")
"""The types whose text a parser extracts from bytes, see `vault/attachments`."""

_TYPES: dict[str, FileType] = {f".{name}": name for name in FILE_TYPES} | {".asciidoc": "adoc", ".htm": "html"}
_EXTENSIONS = tuple(_TYPES)
_WITHOUT_MARKDOWN = frozenset({"base", "org", "rst", "adoc", "html", "csv"}) | {*EXTRACTED_TYPES}
_WITHOUT_LINES = frozenset({"canvas", "html", "ipynb"}) | {*EXTRACTED_TYPES}


def other_type(path: str) -> FileType | None:
    """The type of a file that is no Markdown note, by its name; None for a note, and for any other file.

    >>> other_type("a/Board.canvas"), other_type("a/b.HTM"), other_type("canvas.md"), other_type("x.canvas.png")
    ('canvas', 'html', None, None)
    """
    if path.endswith(".md") or not (name := path.lower()).endswith(_EXTENSIONS):
        return None
    return _TYPES[name[name.rfind(".") :]]


def extracted_type(path: str) -> FileType | None:
    """The type of a file whose text a parser extracts from bytes; None for any other file.

    >>> extracted_type("a/b.PDF"), extracted_type("a.csv")
    ('pdf', None)
    """
    kind = other_type(path)
    return kind if kind in EXTRACTED_TYPES else None


def is_markdown(path: str) -> bool:
    """Whether the text of a file is Markdown; plain text is read as Markdown too."""
    return other_type(path) in {None, "txt"}


def has_markdown(path: str) -> bool:
    """Whether the text that is searched is Markdown or has parts that are; elsewhere, `<b>` and `%%` are plain text.

    >>> has_markdown("a.md"), has_markdown("a.canvas"), has_markdown("a.html")
    (True, True, False)
    """
    return other_type(path) not in _WITHOUT_MARKDOWN


def extensions_of(types: tuple[str, ...]) -> tuple[str, ...]:
    """The extensions of notes and of these types, in lower case.

    >>> extensions_of(("html",))
    ('.md', '.markdown', '.html', '.htm')
    """
    return (*MARKDOWN_EXTENSIONS, *(extension for extension, name in _TYPES.items() if name in types))


def has_lines_of_file(path: str) -> bool:
    """Whether the lines of the text that is searched are those of the file, so that an editor can open one.

    >>> has_lines_of_file("a.md"), has_lines_of_file("a.org"), has_lines_of_file("a.canvas")
    (True, True, False)
    """
    return other_type(path) not in _WITHOUT_LINES
