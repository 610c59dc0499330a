"""What of a vault is read, and how much of it."""

from attrs import Attribute, field, frozen

from search.errors import ConfigError, true_or_false, whole_number

_KIB = 1024
_MIB = 1024 * _KIB


def _texts(_instance: object, attribute: "Attribute[tuple[str, ...]]", value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(part, str) for part in value):
        raise ConfigError(attribute.name, value, "a list of patterns, each a text")


@frozen(kw_only=True)
class VaultSettings:
    """Which notes belong to the vault, and what reading them may cost. Patterns are described in `patterns`.

    include: Patterns; only notes that one of them means are read. Default: none, which is every note.
    exclude: Patterns; notes that one of them means are left out, also where `include` means them. Default: none.
    honour_obsidian_ignore: Whether what Obsidian's own settings exclude is left out here too. Default: true, since
        a person who excluded a folder there does not expect to find it here.
    max_note_bytes: Of a larger file only this much of its beginning is read, so that it is still found by its name,
        front matter and first part, and a notice names it. Bytes, 1 KiB to 1 GiB. Default: 10 MiB; the longest note
        in the vaults we measured has 0.6 MB.
    text_cache_bytes: Memory for the texts of notes shown lately. Bytes, 0 to 1 GiB. Default: 24 MiB,
        12,000 notes of 2 KB: a phrase of common words is looked for in half of them.
    """

    include: tuple[str, ...] = field(default=(), validator=_texts)
    exclude: tuple[str, ...] = field(default=(), validator=_texts)
    honour_obsidian_ignore: bool = field(default=True, validator=true_or_false)
    max_note_bytes: int = field(default=10 * _MIB, validator=whole_number(_KIB, 1024 * _MIB, " of bytes"))
    text_cache_bytes: int = field(default=24 * _MIB, validator=whole_number(0, 1024 * _MIB, " of bytes"))
