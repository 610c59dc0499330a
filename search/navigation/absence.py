"""Why a file is not among those that are searched."""

from collections.abc import Mapping

from search.answer.result import MISSING
from search.ids import NoteId


def absence(note: NoteId, skipped: Mapping[str, str]) -> tuple[str, str]:
    """The step and the sentence for a missing note: one that is excluded itself, by a folder above it, or not there.

    `skipped` has the reasons: path -> why.
    """
    if why := skipped.get(note):
        return "excluded", f"The file is not searched: {why}."
    folder = note.rpartition("/")[0]
    while folder:
        if why := skipped.get(folder):
            return "excluded", f"Its folder {folder} is not searched: {why}."
        folder = folder.rpartition("/")[0]
    return MISSING, "There is no such note."
