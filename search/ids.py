"""What names a note everywhere in the house."""

from typing import NewType

NoteId = NewType("NoteId", str)
"""The note's path below the vault, with forward slashes, exactly as the file system spells it: the identity."""

SectionId = tuple[NoteId, int]
"""A passage of a note: its number among the note's passages, from 0."""
