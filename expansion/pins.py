"""What a query names outright: `[[note]]` and `#tag`. Whoever writes these means just that, so it stands first.

A name that leads to no note, and a tag that no note carries, are words like any other. So are negated ones (`-#tag`),
numbers (`#123`), and what stands in quotes.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from attrs import frozen

from search.filters.fields import tag_test
from search.ids import NoteId
from search.vault.note import Note

MAX_PINS = 100  # notes; a tag that half the vault carries names nothing
_LINK = re.compile(r'(?<![-"\w])!?\[\[([^\[\]|#^\n]+)[^\[\]\n]*\]\]')
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d_][\w/-]*)(?!\S)")


@frozen
class Named:
    """What a query names, in its order, without marks."""

    links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@frozen
class Pinned:
    """A note that is named, and how: "named by [[Router]]"."""

    note: NoteId
    why: str
    is_link: bool = True  # else by a tag


def named_in(text: str) -> Named:
    """The links and tags of a query.

    >>> named_in("[[Router|the box]] #net/lan and C# and #12")
    Named(links=('Router',), tags=('net/lan',))
    """
    links = dict.fromkeys(name for link in _LINK.findall(text) if (name := link.strip()))
    return Named(tuple(links), tuple(dict.fromkeys(_TAG.findall(text))))


def pinned_notes(
    named: Named,
    notes: Mapping[NoteId, Note],
    *,
    resolve_link: Callable[[str], NoteId | None],
    notes_named: Callable[[str], Iterable[NoteId]] = lambda _: (),
) -> tuple[Pinned, ...]:
    """The notes that are named: first by link in the order of the query, then by tag, the newest first.

    `resolve_link` gives the note that a link of this name leads to; where it leads nowhere, `notes_named` gives the
    notes of that title or alias. At most `MAX_PINS`.
    """
    found: dict[NoteId, Pinned] = {}
    for name in named.links:
        target = resolve_link(name)
        for meant in sorted(notes_named(name)) if target is None else (target,):
            found.setdefault(meant, Pinned(meant, f"named by [[{name}]]"))
    for tag in named.tags:
        is_meant = lru_cache(maxsize=None)(tag_test(tag))  # many notes carry the same few tags
        carrying = [note for note in notes.values() if note.tags and any(map(is_meant, note.tags))]
        for note in sorted(carrying, key=lambda note: (-note.modified, note.id)):
            found.setdefault(note.id, Pinned(note.id, f"tagged #{tag}", is_link=False))
    return tuple(found.values())[:MAX_PINS]
