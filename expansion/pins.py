"""Notes that a query names explicitly, as `[[note]]` or `#tag`. They come first, because the user asked for them.

Links to missing notes and tags that no note has are ordinary words. So are negated ones (`-#tag`), numbers (`#123`)
and anything in quotes.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from attrs import frozen

from search.filters.fields import tag_test
from search.ids import NoteId
from search.query import PinnedNote
from search.vault.note import Note

MAX_PINS = 100  # notes; a tag of half the vault does not pick out any of them
_LINK = re.compile(r'(?<![-"\w])!?\[\[([^\[\]|#^\n]++)[^\[\]\n]*+\]\]')
_TAG = re.compile(r"(?<!\S)#(?=[\d_/-]*+[^\W\d_])([\w/-]++)(?!\S)")


@frozen
class QueryNames:
    """The links and tags in a query, in its order, without brackets and `#`."""

    links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def named_in(text: str) -> QueryNames:
    """The links and tags of a query.

    >>> named_in("[[Router|the box]] #net/lan and C# and #12")
    QueryNames(links=('Router',), tags=('net/lan',))
    """
    links = dict.fromkeys(name for link in _LINK.findall(text) if (name := link.strip()))
    return QueryNames(tuple(links), tuple(dict.fromkeys(_TAG.findall(text))))


def pinned_notes(
    named: QueryNames,
    notes: Mapping[NoteId, Note],
    *,
    resolve_link: Callable[[str], NoteId | None],
    notes_named: Callable[[str], Iterable[NoteId]] = lambda _: (),
) -> tuple[PinnedNote, ...]:
    """The named notes, at most `MAX_PINS`: those of links in the order of the query, then those of tags, newest first.

    Each note of a link gets its own place; all notes of tags share the place after them. `resolve_link` finds the
    target of a link; if there is none, `notes_named` gives the notes with that title or alias.
    """
    found: dict[NoteId, PinnedNote] = {}
    for name in named.links:
        target = resolve_link(name)
        for note_id in sorted(notes_named(name)) if target is None else (target,):
            found.setdefault(note_id, PinnedNote(note_id, f"named by [[{name}]]", len(found)))
    n_by_link = len(found)
    for tag in named.tags:
        matches = lru_cache(maxsize=None)(tag_test(tag))  # many notes have the same few tags
        tagged = [note for note in notes.values() if note.tags and any(map(matches, note.tags))]
        for note in sorted(tagged, key=lambda note: (-note.modified, note.id)):
            found.setdefault(note.id, PinnedNote(note.id, f"tagged #{tag}", n_by_link))
    return tuple(found.values())[:MAX_PINS]
