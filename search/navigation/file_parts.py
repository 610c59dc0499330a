"""The page, card or cell in which lines of a text are, for files whose own lines no reader sees."""

from collections.abc import Sequence

from attrs import evolve, frozen

from search.answer.result import Snippet
from search.vault.kinds.places import has_parts
from search.vault.note import Note
from search.vault.vault import Vault


@frozen(kw_only=True)
class FilePart:
    """A page, card or cell, in the fields of a `Snippet`; all empty in a file that has none."""

    fragment: str = ""
    page: int = 0
    page_label: str = ""
    file_line: int | None = None


_NONE = FilePart()


def part_starts(note: Note, vault: Vault) -> tuple[int, ...]:
    """The first line of each page, card or cell in the note's text; () in a file that has none."""
    if note.pages:
        return tuple(line for line, _ in note.pages)
    return tuple(line for line, _ in vault.fragments(note.id)) if has_parts(note.id) else ()


def parts_at(note: Note, lines: Sequence[int], vault: Vault) -> list[FilePart]:
    """The part of the note's file in which each of these lines of its text is."""
    if note.pages:
        pages = (note.page_at(line) for line in lines)
        return [FilePart(fragment=f"page={page}" if page else "", page=page, page_label=label) for page, label in pages]
    if not lines or not has_parts(note.id):  # reading the file again would find none
        return [_NONE] * len(lines)
    places = vault.file_places(note.id, lines)
    return [_NONE if at is None else FilePart(fragment=at.fragment, file_line=at.line) for at in places]


def placed(snippets: Sequence[Snippet], note: Note, vault: Vault) -> tuple[Snippet, ...]:
    """The excerpts with the page, card or cell that each of them is in."""
    parts = parts_at(note, [snippet.line for snippet in snippets], vault)
    return tuple(
        snippet
        if part is _NONE
        else evolve(
            snippet,
            fragment=part.fragment,
            page=part.page,
            page_label=part.page_label,
            file_line=part.file_line,
        )
        for snippet, part in zip(snippets, parts, strict=True)
    )
