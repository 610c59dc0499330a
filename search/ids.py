"""Ids of notes, and the types of files that an id can have.

Markdown notes are searched, and next to them all other files, each of a type by its extension. A type is the name that
the operator `type:` and the setting `fileTypes` use; how a file of a type is read is in `vault/kinds`. Files of some
types, such as images, are no documents: they are found by their names and by the links to them, and images also by the
texts in their metadata and the texts of drawings.
"""

from collections.abc import Collection, Iterable
from typing import Literal, NewType, TypeVar, get_args

NoteId = NewType("NoteId", str)
"""A note's path relative to the vault, with forward slashes, spelled exactly as in the file system."""

P = TypeVar("P", bound=str)

SectionId = tuple[NoteId, int]
"""A passage of a note: the note, and the passage's position in it, counting from 0."""

MARKDOWN = "md"
MARKDOWN_EXTENSIONS = (".md", ".markdown")

FileType = Literal[
    "canvas", "base", "txt", "org", "rst", "adoc", "html", "ipynb", "csv", "pdf", "docx", "pptx", "xlsx", "odt", "epub",
    "image", "audio", "video", "document", "archive", "file",
]  # fmt: skip
FILE_TYPES: tuple[FileType, ...] = get_args(FileType)
"""All types but Markdown; "file" is any file that has no other type."""

EXTRACTED_TYPES: tuple[FileType, ...] = ("pdf", "docx", "pptx", "xlsx", "odt", "epub")
"""The types of documents whose text a parser extracts from bytes, see `vault/attachments`."""

IMAGE: FileType = "image"

_BY_NAME: dict[FileType, str] = {
    "image": "avif bmp gif heic heif ico jpeg jpg png psd raw svg tif tiff webp",
    "audio": "aac aif aiff flac m4a mid midi mp3 oga ogg opus wav wma",
    "video": "3gp avi m4v mkv mov mp4 mpeg mpg ogv webm wmv",
    "document": "doc docm key mobi numbers odg odp ods pages ppt pptm rtf xls xlsm",
    "archive": "7z bz2 gz rar tar tgz xz zip zst",
    "file": "",
}
_TYPES: dict[str, FileType] = {
    **{f".{extension}": name for name, extensions in _BY_NAME.items() for extension in extensions.split()},
    **{f".{name}": name for name in FILE_TYPES if name not in _BY_NAME},
    ".asciidoc": "adoc",
    ".htm": "html",
}
_WITH_MACROS = frozenset({".docm", ".pptm", ".xlsm"})
OPENED_EXTENSIONS = (
    *MARKDOWN_EXTENSIONS,
    *(extension for extension, name in _TYPES.items() if name != "archive" and extension not in _WITH_MACROS),
)
"""The extensions of files that may be handed to the system's program, in lower case: none of them is a program, an
archive or a document with macros. The clients have the same list."""

IMAGE_EXTENSIONS = tuple(extension for extension, name in _TYPES.items() if name == IMAGE)
"""The extensions of images, in lower case."""

_WITHOUT_MARKDOWN = frozenset({"base", "org", "rst", "adoc", "html", "csv", *EXTRACTED_TYPES, *_BY_NAME})
_WITHOUT_LINES = frozenset({"canvas", "html", "ipynb", *EXTRACTED_TYPES, *_BY_NAME})


def other_type(path: str) -> FileType | None:
    """The type of a file that is no Markdown note, by its name; None for a note.

    >>> other_type("a/Board.canvas"), other_type("a/b.HTM"), other_type("canvas.md"), other_type("x.canvas.png")
    ('canvas', 'html', None, 'image')
    """
    if path.endswith(".md") or (name := path.lower()).endswith(MARKDOWN_EXTENSIONS):
        return None
    extension = name[name.rfind(".") :] if "." in name else ""
    return _TYPES.get(extension, "file")


def is_by_name(path: str) -> bool:
    """Whether a file is no document: it is found by its name, and counts nowhere as a note.

    Of such files only images may have a text: that of their metadata and, in drawings, that which they show.

    >>> is_by_name("a.png"), is_by_name("Makefile"), is_by_name("a.md"), is_by_name("a.csv")
    (True, True, False, False)
    """
    return not path.endswith(".md") and other_type(path) in _BY_NAME


def is_note(path: str) -> bool:
    """Whether a file is a Markdown note.

    >>> is_note("a.md"), is_note("a.canvas")
    (True, False)
    """
    return path.endswith(".md") or other_type(path) is None


def first_of_each(paths: Iterable[P], n_notes: int, n_files: int) -> frozenset[P]:
    """The first `n_notes` notes, and the first of the other files, which take no note's place.

    There are at most `n_files` files found by name, and as many documents that are no notes; if there are fewer than
    `n_notes` notes, more such documents, up to `n_notes` together.

    >>> sorted(first_of_each(["a.png", "b.pdf", "c.md", "d.png", "e.pdf", "f.md"], 1, 1))
    ['a.png', 'b.pdf', 'c.md']
    """
    all_paths = tuple(paths)
    others = [path for path in all_paths if not is_note(path)]
    if not others:
        return frozenset(all_paths[:n_notes])
    by_name = [path for path in others if is_by_name(path)]
    documents = [path for path in others if not is_by_name(path)]
    notes = [path for path in all_paths if is_note(path)][:n_notes]
    return frozenset((*notes, *documents[: max(n_notes - len(notes), n_files)], *by_name[:n_files]))


def is_unopened(path: str) -> bool:
    """Whether a file is never opened, as nothing in it is read.

    >>> is_unopened("a.mp3"), is_unopened("a.png"), is_unopened("a.md")
    (True, False, False)
    """
    return is_by_name(path) and other_type(path) != IMAGE


def extracted_type(path: str) -> FileType | None:
    """The type of a file whose text a parser extracts from bytes; None for any other file.

    >>> extracted_type("a/b.PDF"), extracted_type("a.png"), extracted_type("a.csv")
    ('pdf', 'image', None)
    """
    kind = other_type(path)
    return kind if kind == IMAGE or kind in EXTRACTED_TYPES else None


def is_markdown(path: str) -> bool:
    """Whether the text of a file is Markdown; plain text is read as Markdown too."""
    return other_type(path) in {None, "txt"}


def has_markdown(path: str) -> bool:
    """Whether the text that is searched is Markdown or has parts that are; elsewhere, `<b>` and `%%` are plain text.

    >>> has_markdown("a.md"), has_markdown("a.canvas"), has_markdown("a.html")
    (True, True, False)
    """
    return other_type(path) not in _WITHOUT_MARKDOWN


def extensions_of(types: Collection[FileType]) -> tuple[str, ...]:
    """The extensions of notes and of those of these types that have text, in lower case.

    >>> extensions_of(("html", "image"))
    ('.md', '.markdown', '.html', '.htm')
    """
    read = (extension for extension, name in _TYPES.items() if name in types and name not in _BY_NAME)
    return (*MARKDOWN_EXTENSIONS, *read)


def named_extensions_of(types: Collection[FileType]) -> tuple[str, ...]:
    """The extensions of those of these types that are no documents, in lower case.

    With the type "file" it is only the empty one, with which every name ends.

    >>> named_extensions_of(("html", "archive"))[:2], named_extensions_of(("html", "file"))
    (('.7z', '.bz2'), ('',))
    """
    if "file" in types:
        return ("",)
    return tuple(extension for extension, name in _TYPES.items() if name in types and name in _BY_NAME)


def has_lines_of_file(path: str) -> bool:
    """Whether the lines of the text that is searched are those of the file, so that an editor can open one.

    >>> has_lines_of_file("a.md"), has_lines_of_file("a.org"), has_lines_of_file("a.canvas"), has_lines_of_file("a.png")
    (True, True, False, False)
    """
    return other_type(path) not in _WITHOUT_LINES
