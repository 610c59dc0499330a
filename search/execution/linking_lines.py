"""The lines of notes that link to a file: what is shown of a file that has no text of its own."""

from collections.abc import Iterator
from itertools import islice

from search.answer.result import Snippet
from search.navigation.library import Library, Mention
from search.vault.note import Note

_BEFORE, _AFTER = 60, 100  # characters of a line around the link


def linking_lines(file: Note, library: Library, *, n_snippets: int) -> tuple[Snippet, ...]:
    """The title and the first linking line of each note that links to the file, at most `n_snippets` notes, by path.

    The link is highlighted. The line number is 0, since the excerpt is not from the file itself. No links: empty.
    """
    return tuple(islice(_lines(file, library), n_snippets))


def _lines(file: Note, library: Library) -> Iterator[Snippet]:
    seen = set()
    for mention in library.links_to(file):
        note = library.notes.get(mention.note)
        if note is not None and note.id not in seen:
            seen.add(note.id)
            yield _snippet(" ".join(note.title.split()), mention)


def _snippet(title: str, mention: Mention) -> Snippet:
    first, last = max(0, mention.span.start - _BEFORE), mention.span.end + _AFTER
    before = mention.text[first : mention.span.start].lstrip()
    start = f"{title}: {'… ' if first else ''}{before}"
    link = mention.text[mention.span.start : mention.span.end]
    after = mention.text[mention.span.end : last].rstrip()
    is_cut = len(mention.text.rstrip()) > last
    return Snippet(
        start + link + after,
        0,
        highlights=((len(start), len(start + link)),),
        is_cut_after=is_cut,
        is_of_linking_note=True,
    )
