"""Where excerpts are in files whose own lines no reader sees: on which page, on which card or in which cell."""

from collections.abc import Sequence

from attrs import evolve

from search.answer.result import Snippet
from search.ids import has_lines_of_file
from search.vault.kinds.places import has_parts
from search.vault.note import Note
from search.vault.vault import Vault


def placed(snippets: Sequence[Snippet], note: Note, vault: Vault) -> tuple[Snippet, ...]:
    """The excerpts of a note, each with its page, card or cell, as far as the file has such parts."""
    if note.pages:
        pages = ((snippet, *note.page_at(snippet.line)) for snippet in snippets)
        return tuple(
            evolve(snippet, fragment=f"page={page}" if page else "", page=page, page_label=label)
            for snippet, page, label in pages
        )
    if has_lines_of_file(note.id) or not has_parts(note.id):  # reading the file again would find none
        return tuple(snippets)
    places = vault.file_places(note.id, [snippet.line for snippet in snippets])
    return tuple(
        snippet if place is None else evolve(snippet, fragment=place.fragment, file_line=place.line)
        for snippet, place in zip(snippets, places, strict=True)
    )
