"""Which notes a query's options allow: its folder, its tags, the types of files and the notes it is limited to.

Also reports unknown tags, folders, properties, notes and link types, in these options and in filters.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain

from search.filters.fields import folder_test, property_values, tag_test
from search.filters.order import FIELDS, parts_of, pushed_down
from search.ids import MARKDOWN, NoteId, other_type
from search.notice import Notice, NoticeKind
from search.query import (
    HasProperty,
    LinkedName,
    Node,
    Operator,
    Phrase,
    PropertyIs,
    Query,
    Restricted,
    Word,
)
from search.vault.note import Note

_MOST_COMPARED = 2000  # searching more names for similar ones would cost tens of milliseconds
_LONGEST_SHOWN = 120  # characters of an unknown name in a notice


def scope(query: Query, notes: Mapping[NoteId, Note]) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
    """The notes that `query`'s options allow, None if they restrict nothing; and notices about unknown names.

    The folder counts from the vault's root. A folder or tag that no note has allows no notes, and its notice offers
    similar names. An unknown note id or link type is ignored with a notice.
    """
    notices = list(_unknown_link_types(query.link_types, notes))
    if not (query.folder.strip("/ ") or query.tags or query.types or query.limit_to):
        return None, tuple(notices)
    ids = frozenset(notes)
    if query.limit_to:
        unknown = [name for name in query.limit_to if name not in notes]
        notices += [unknown_name("note", name, ()) for name in unknown[:5]]
        ids = frozenset(NoteId(name) for name in query.limit_to) - frozenset(map(NoteId, unknown))
    if query.folder.strip("/ "):
        is_inside = folder_test("/" + query.folder)
        inside = {folder for folder in {note.folder for note in notes.values()} if is_inside(folder)}
        if not inside:
            notices.append(unknown_name("folder", query.folder, _folders(notes)))
        ids = frozenset(note_id for note_id in ids if note_id.rpartition("/")[0] in inside)
    if query.types:
        ids = frozenset(note_id for note_id in ids if (other_type(note_id) or MARKDOWN) in query.types)
    for wanted in query.tags:
        is_tag = tag_test(wanted)
        hits = set(filter(is_tag, set(_tags(notes))))
        if not hits:
            notices.append(unknown_name("tag", wanted, _tags(notes)))
        ids = frozenset(note_id for note_id in ids if not hits.isdisjoint(notes[note_id].tags))
    return ids, tuple(notices)


def unknown_names(
    node: Node, notes: Mapping[NoteId, Note], *, linked: Callable[[str], frozenset[NoteId]]
) -> tuple[Notice, ...]:
    """A notice for each tag, folder, property and link in a filter that none of `notes` has, negated or not.

    Only an unknown name costs a pass over all notes, to find similar names.
    """
    notices: dict[Node, Notice] = {}
    known: Iterable[str]
    for leaf in leaves(node):
        match leaf:
            case Restricted(Operator.TAG, Word(name) | Phrase(name)):
                known, is_known, kind = _tags(notes), any(map(tag_test(name), _tags(notes))), "tag"
            case Restricted(Operator.FOLDER, Word(name) | Phrase(name)):
                known, kind = _folders(notes), "folder"
                is_known = any(map(folder_test(name), chain([""], _folders(notes))))
            case HasProperty(name) | PropertyIs(name):
                known, kind = (key for note in notes.values() for key, _ in note.properties), "property"
                is_known = any(property_values(note, name) is not None for note in notes.values())
            case LinkedName(name):
                known, is_known, kind = (), bool(linked(name)), "note"
            case _:
                continue
        if not is_known:
            notices[leaf] = unknown_name(kind, name, known)
    return tuple(dict.fromkeys(notices.values()))


def _unknown_link_types(wanted: Iterable[str], notes: Mapping[NoteId, Note]) -> Iterator[Notice]:
    if not wanted:
        return
    known = {"embed", "plain"} | {link.name.casefold() for note in notes.values() for link in note.links if link.name}
    yield from (unknown_name("link type", name, known) for name in wanted if name.casefold() not in known)


def leaves(node: Node) -> Iterator[Node]:
    """The words, patterns, properties and links of a filter; what is under a field's operator, together with it."""
    yield from _leaves(pushed_down(node))


def _leaves(node: Node) -> Iterator[Node]:
    parts = parts_of(node)
    if not parts or (isinstance(node, Restricted) and node.operator in FIELDS):
        yield node
    for part in parts:
        yield from _leaves(part)


def _folders(notes: Mapping[NoteId, Note]) -> Iterator[str]:
    """The folder of each note that is not in the root; repeated for each note in it."""
    return (note.folder for note in notes.values() if note.folder)


def _tags(notes: Mapping[NoteId, Note]) -> Iterator[str]:
    """The tags of all notes, repeated for each note that has them."""
    return (tag for note in notes.values() for tag in note.tags)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> Notice:
    """A notice that the vault has no tag, folder or the like of this name, with up to three similar known names."""
    similar: list[str] = []
    names = sorted(set(known))
    if len(names) <= _MOST_COMPARED:
        by_lower = {known_name.lower(): known_name for known_name in names}
        similar = [by_lower[hit] for hit in get_close_matches(name.strip("#/ ").lower(), by_lower, n=3)]
    hint = f"; similar: {', '.join(similar)}" if similar else ""
    shown = name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…"
    return Notice(NoticeKind.NOTE, f"unknown-{kind.replace(' ', '-')}", f"There is no {kind} ‘{shown}’{hint}.", name)
