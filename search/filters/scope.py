"""Which notes a query's own options leave: its folder, its tags, and the notes it is limited to.

And what is to be said of names in a filter or in these options that no note has.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain

from search.filters.fields import folder_test, property_values, tag_test
from search.filters.order import FIELDS, pushed_down
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.query import (
    And,
    HasProperty,
    LinkedName,
    Node,
    Not,
    Operator,
    Or,
    Phrase,
    PropertyIs,
    Query,
    Restricted,
    Word,
)
from search.vault.note import Note

_MOST_COMPARED = 2000  # looking for near names among more would cost tens of milliseconds


def scope(query: Query, notes: Mapping[NoteId, Note]) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
    """The notes that `query`'s options leave, None when they restrict nothing; and what is to be said.

    The folder counts from the vault's root. A folder or tag that no note has leaves nothing, with a notice that names
    near ones; an id that is no note's is passed over with a notice. So is a type that no link is of.
    """
    notices = list(_unknown_link_types(query.link_types, notes))
    if not (query.folder.strip("/ ") or query.tags or query.limit_to):
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
    """A notice for each tag, folder, property and link of a filter that none of `notes` has, negated or not.

    All notes are gone through for a name that is not there only, to find near ones.
    """
    notices: dict[Node, Notice] = {}
    known: Iterable[str]
    for leaf in _leaves(pushed_down(node)):
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


def _leaves(node: Node) -> Iterator[Node]:
    match node:
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from _leaves(inner)
        case Not(inner):
            yield from _leaves(inner)
        case Restricted(operator, inner) if operator not in FIELDS:
            yield from _leaves(inner)
        case _:
            yield node


def _folders(notes: Mapping[NoteId, Note]) -> Iterator[str]:
    """The folders of all notes but the root, each as often as it has notes."""
    return (note.folder for note in notes.values() if note.folder)


def _tags(notes: Mapping[NoteId, Note]) -> Iterator[str]:
    """The tags of all notes, each as often as it occurs."""
    return (tag for note in notes.values() for tag in note.tags)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> Notice:
    """That the vault has no tag, folder or the like of that name, and which of the known ones are near."""
    near: list[str] = []
    names = sorted(set(known))
    if len(names) <= _MOST_COMPARED:
        by_lower = {known_name.lower(): known_name for known_name in names}
        near = [by_lower[hit] for hit in get_close_matches(name.strip("#/ ").lower(), by_lower, n=3)]
    hint = f"; near ones: {', '.join(near)}" if near else ""
    return Notice(NoticeKind.SKIPPED, f"unknown-{kind.replace(' ', '-')}", f"There is no {kind} ‘{name}’{hint}.", name)
