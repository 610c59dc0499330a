"""Where a vault keeps its daily notes, as Obsidian's own settings say.

Read when a query speaks of a date, and never kept: it is one small file. Never raises; what cannot be read is the
default, a note in the top folder that is named `YYYY-MM-DD`.
"""

import json
from pathlib import Path

from attrs import frozen

from search.vault.reader import decode, read_bytes

DEFAULT_FORMAT = "YYYY-MM-DD"
_FILE = ".obsidian/daily-notes.json"
_MOST_BYTES = 65_536
_MOST_CHARACTERS = 200


@frozen
class DailyNotes:
    """`format` is a moment.js pattern, which may hold folders; `folder` is below the vault, empty for its top."""

    folder: str = ""
    format: str = DEFAULT_FORMAT


def read_daily_notes(root: Path) -> DailyNotes:
    """What the vault at `root` says of its daily notes."""
    try:
        data, _ = read_bytes(f"{root}/{_FILE}", limit=_MOST_BYTES)
        said = json.loads(decode(data).text)
    except (OSError, ValueError, RecursionError):
        return DailyNotes()
    if not isinstance(said, dict):
        return DailyNotes()
    folder, pattern = said.get("folder"), said.get("format")
    return DailyNotes(
        folder.strip().strip("/") if isinstance(folder, str) else "",
        pattern.strip()
        if isinstance(pattern, str) and 0 < len(pattern.strip()) <= _MOST_CHARACTERS
        else DEFAULT_FORMAT,
    )
