"""What kind of note a note is, by rules that are data: its front matter, its tags, the folders that it lies in."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from attrs import field, frozen

from expansion.tables import Table, packaged
from search.analysis.fold import fold
from search.vault.note import Note

PROPERTIES = frozenset({"type", "kind", "category"})


@frozen(kw_only=True)
class Kinds:
    """Which kinds a folded value, tag or name of a folder speaks for."""

    of_value: Mapping[str, frozenset[str]] = field(factory=dict)
    of_tag: Mapping[str, frozenset[str]] = field(factory=dict)
    of_folder: Mapping[str, frozenset[str]] = field(factory=dict)


@lru_cache(maxsize=1)
def packaged_kinds() -> Kinds:
    """The rules that come with the program."""
    return read_kinds(packaged("kinds"))


def read_kinds(table: Table) -> Kinds:
    """The rules of a table.

    Raises:
        ConfigError: a value does not fit.
    """
    found: dict[str, dict[str, set[str]]] = {"values": {}, "tags": {}, "folders": {}}
    for name in table.values:
        rules = table.at(name).only(*found)
        for key, known in found.items():
            for word in rules.words(key):
                known.setdefault(word.removeprefix("#").strip("/"), set()).add(name)
    values, tags, folders = ({word: frozenset(names) for word, names in known.items()} for known in found.values())
    return Kinds(of_value=values, of_tag=tags, of_folder=folders)


def kinds_of(note: Note, kinds: Kinds) -> frozenset[str]:
    """The kinds of a note; what its front matter calls it is a kind as well, whether a rule knows it or not.

    >>> from search.ids import NoteId
    >>> kinds_of(Note(NoteId("adr/0001.md"), "Use Rust"), packaged_kinds())
    frozenset({'decision'})
    """
    return frozenset(_kinds(note, kinds))


def _kinds(note: Note, kinds: Kinds) -> Iterator[str]:
    for key, values in note.properties:
        if key.casefold() in PROPERTIES:
            for value in values:
                word = fold(value.strip().strip('"[]'))
                if word:
                    yield word
                    yield from kinds.of_value.get(word, ())
    for tag in note.tags:
        parts = fold(tag).split("/")
        for at in range(len(parts)):
            yield from kinds.of_tag.get("/".join(parts[: at + 1]), ())
            yield from kinds.of_tag.get(parts[at], ())
    for folder in fold(note.folder).split("/"):
        yield from kinds.of_folder.get(folder, ())
