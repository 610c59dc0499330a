"""The identity of a note, the same in every module."""

from typing import NewType

NoteId = NewType("NoteId", str)
"""A note's path relative to the vault, with forward slashes, spelled exactly as in the file system."""

SectionId = tuple[NoteId, int]
"""A passage of a note: the note, and the passage's position in it, counting from 0."""
