"""The kinds of a note (decision, recipe, ...), by rules on its front matter, tags and folders. The rules are data."""

from collections.abc import Iterator, Mapping

from attrs import field, frozen

from expansion.tables import TomlTable
from search.analysis.fold import fold
from search.vault.note import Note

PROPERTIES = frozenset({"type", "kind", "category"})


@frozen(kw_only=True)
class Kinds:
    """The kinds that each folded property value, tag or folder name stands for."""

    of_value: Mapping[str, frozenset[str]] = field(factory=dict)
    of_tag: Mapping[str, frozenset[str]] = field(factory=dict)
    of_folder: Mapping[str, frozenset[str]] = field(factory=dict)


def read_kinds(table: TomlTable) -> Kinds:
    """The rules of a table.

    Raises:
        ConfigError: a value has the wrong type, or a key is unknown.
    """
    found: dict[str, dict[str, set[str]]] = {"values": {}, "tags": {}, "folders": {}}
    for name in table.values:
        rules = table.at(name).only(*found)
        for key, kinds in found.items():
            for word in rules.words(key):
                kinds.setdefault(word.removeprefix("#").strip("/"), set()).add(name)
    values, tags, folders = ({word: frozenset(names) for word, names in kinds.items()} for kinds in found.values())
    return Kinds(of_value=values, of_tag=tags, of_folder=folders)


def kinds_of(note: Note, kinds: Kinds) -> frozenset[str]:
    """The kinds of a note. The values of its kind properties are kinds as well, even if no rule knows them.

    >>> from expansion.lexicon import lexicon
    >>> from search.ids import NoteId
    >>> kinds_of(Note(NoteId("adr/0001.md"), "Use Rust"), lexicon().kinds)
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
