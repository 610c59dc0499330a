"""Settings for reading a vault: which notes belong to it, and limits of size and memory."""

from attrs import Attribute, field, frozen

from search.errors import ConfigError, one_of, true_or_false, whole_number
from search.ids import FILE_TYPES, FileType

_KIB = 1024
_MIB = 1024 * _KIB


def _texts(_instance: object, attribute: "Attribute[tuple[str, ...]]", value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(part, str) for part in value):
        raise ConfigError(attribute.name, value, "a list of patterns, each a text")


def _types(_instance: object, attribute: "Attribute[tuple[FileType, ...]]", value: object) -> None:
    if not isinstance(value, tuple):
        raise ConfigError(attribute.name, value, "a list of types of files")
    for name in value:
        if name not in FILE_TYPES:
            raise ConfigError(attribute.name, name, one_of(FILE_TYPES, str(name)))


@frozen(kw_only=True)
class VaultSettings:
    """Which notes belong to the vault, and how much of them is read. `patterns` describes the syntax of patterns.

    include: Patterns; only notes that match one of them are read. Default: empty, which includes every note.
    exclude: Patterns; notes that match one of them are left out, even if they match `include`. Default: empty.
    honour_obsidian_ignore: Whether files that are excluded in Obsidian's settings are left out here too. Default: true,
        since a user who excluded a folder in Obsidian does not expect to find it here.
    allow: Patterns of paths; a note that matches none of them is treated as if it did not exist, so no answer, count or
        suggestion shows that it does. Default: empty, which allows every note.
    deny: Patterns; notes that match one of them are treated as if they did not exist. Default: empty.
    file_types: The types of files that are searched next to Markdown notes: canvas, base, txt, org, rst, adoc, html,
        ipynb, csv, pdf, docx, pptx, xlsx, odt and epub by their text (that of pdf needs the extra `attachments`), and
        image, audio, video, document, archive and file (any other) by their names, image also by the texts in its
        metadata. Default: all of them, as a user expects to find every file; an empty list searches notes only.
    max_note_bytes: Only this much of the beginning of a larger file is read, so that it is still found by its name,
        front matter and first part; a notice names it. Bytes, 1 KiB to 1 GiB. Default: 10 MiB; the longest note in the
        vaults we measured has 0.6 MB.
    text_cache_bytes: Memory for the texts of recently used notes. Bytes, 0 to 1 GiB. Default: 8 MiB, which is 4,000
        notes of 2 KB.
    """

    include: tuple[str, ...] = field(default=(), validator=_texts)
    exclude: tuple[str, ...] = field(default=(), validator=_texts)
    allow: tuple[str, ...] = field(default=(), validator=_texts)
    deny: tuple[str, ...] = field(default=(), validator=_texts)
    honour_obsidian_ignore: bool = field(default=True, validator=true_or_false)
    file_types: tuple[FileType, ...] = field(default=FILE_TYPES, validator=_types)
    max_note_bytes: int = field(default=10 * _MIB, validator=whole_number(_KIB, 1024 * _MIB, " of bytes"))
    text_cache_bytes: int = field(default=8 * _MIB, validator=whole_number(0, 1024 * _MIB, " of bytes"))

    @property
    def withheld(self) -> tuple[str, ...]:
        """The rules for what is withheld, with a mark before each; none if nothing is."""
        return (*(f"+{pattern}" for pattern in self.allow), *(f"-{pattern}" for pattern in self.deny))
