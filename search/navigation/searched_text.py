"""The text of a file as it is searched, with its pages, cards or cells, for editors that cannot show the file itself.

Only files that are searched have one, so whatever is excluded or withheld stays so. No file is opened that a search
would not open.
"""

from attrs import frozen

from search.errors import VaultseekError
from search.ids import NoteId, extracted_type, is_markdown, is_unopened
from search.index.indexer import Indexer
from search.navigation.absence import absence
from search.navigation.file_parts import FilePart, parts_of
from search.vault.lines import to_lf
from search.vault.vault import Vault

MAX_CHARS = 4_000_000
"""The longest text; of a PDF or office file no more is extracted (`vault/attachments/extracted`)."""


@frozen(kw_only=True)
class SearchedText:
    """A text with LF line breaks. Its lines are those of excerpts."""

    note: NoteId
    title: str
    text: str
    places: tuple[FilePart, ...]  # in the order of lines
    is_cut: bool  # whether the file has more text


def searched_text(note_id: NoteId, indexer: Indexer) -> SearchedText:
    """The text of a file.

    Raises:
        VaultseekError: there is no such file, it is not searched, or it has no text; the message says why.
    """
    vault = indexer.vault
    note = vault.notes.get(note_id)
    if note is None:
        raise VaultseekError(f"{note_id}: {_why_missing(note_id, indexer)}")
    text = to_lf(vault.text(note_id).removeprefix("\ufeff"))
    if not text.strip() and not is_markdown(note_id):
        raise VaultseekError(_why_empty(note_id, vault))
    shown = text[:MAX_CHARS]
    n_lines = shown.count("\n") + 1
    return SearchedText(
        note=note_id,
        title=note.title,
        text=shown,
        places=tuple(part for part in parts_of(note, vault) if part.line < n_lines),
        is_cut=len(text) > MAX_CHARS,
    )


def _why_missing(note_id: NoteId, indexer: Indexer) -> str:
    skipped = indexer.vault.skipped
    if indexer.is_complete or note_id in skipped:
        return absence(note_id, skipped)[1]
    return "The vault is still being read; try again in a moment."


def _why_empty(note_id: NoteId, vault: Vault) -> str:
    attachments = vault.attachments
    if is_unopened(note_id):
        return f"{note_id}: It is found by its name only; no text of it is read."
    if not attachments.can_read(note_id):
        return f"{note_id}: No parser for its type is installed; `vaultseek doctor` names the command that adds it."
    if extracted_type(note_id) and note_id in attachments.pending:
        if attachments.problem:
            return f"{note_id}: It is found by its name only: {attachments.problem}."
        attachments.prefer([note_id])
        return f"{note_id}: Its text is still being extracted; try again in a moment."
    problems = (notice.message for notice in vault.notices if notice.subject == note_id)
    return next(problems, f"{note_id}: It has no text.")
