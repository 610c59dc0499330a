"""The pages, cards or cells of files whose own lines no reader sees."""

from collections.abc import Sequence

from attrs import evolve, frozen

from search.answer.result import Snippet
from search.vault.kinds.places import has_parts
from search.vault.note import Note, page_fragment
from search.vault.vault import Vault


@frozen(kw_only=True)
class FilePart:
    """A page, card or cell in the text of its file."""

    line: int  # the first one, from 0
    fragment: str  # names the part, as of a `Snippet`
    label: str = ""  # of a page whose label is not its number


def parts_of(note: Note, vault: Vault) -> tuple[FilePart, ...]:
    """The pages, cards or cells of a note's file, in the order of their lines; () in a file that has none."""
    if note.pages:
        return tuple(
            FilePart(line=line, fragment=page_fragment(number), label="" if label == str(number) else label)
            for number, (line, label) in enumerate(note.pages, start=1)
        )
    if not has_parts(note.id):  # reading the file again would find none
        return ()
    return tuple(FilePart(line=line, fragment=fragment) for line, fragment in vault.fragments(note.id))


def placed(snippets: Sequence[Snippet], note: Note, vault: Vault) -> tuple[Snippet, ...]:
    """The excerpts with the page, card or cell that each of them is in."""
    if note.pages:
        pages = ((snippet, *note.page_at(snippet.line)) for snippet in snippets)
        return tuple(
            evolve(snippet, fragment=page_fragment(page), page=page, page_label=label) for snippet, page, label in pages
        )
    if not snippets or not has_parts(note.id):
        return tuple(snippets)
    places = vault.file_places(note.id, [snippet.line for snippet in snippets])
    return tuple(
        snippet if place is None else evolve(snippet, fragment=place.fragment, file_line=place.line)
        for snippet, place in zip(snippets, places, strict=True)
    )
