"""Reads from Obsidian's settings where a vault keeps its daily notes.

The file is small, so it is read for each query that mentions a date. Never raises: if it cannot be read, daily notes
are in the vault's root and named `YYYY-MM-DD`, which is Obsidian's default.
"""

import json
from pathlib import Path

from attrs import frozen

from search.vault.reader import decode, read_whole

DEFAULT_FORMAT = "YYYY-MM-DD"
_FILE = ".obsidian/daily-notes.json"
_MAX_BYTES = 65_536
_MAX_FORMAT = 200  # characters


@frozen
class DailyNotes:
    """`format` is a moment.js pattern, perhaps with folders; `folder` is relative to the vault, "" for its root."""

    folder: str = ""
    format: str = DEFAULT_FORMAT


def read_daily_notes(root: Path) -> DailyNotes:
    """The settings for daily notes of the vault at `root`."""
    try:
        data = read_whole(f"{root}/{_FILE}", limit=_MAX_BYTES, root=str(root))
        settings = json.loads(decode(data).text)
    except (OSError, ValueError, RecursionError):
        return DailyNotes()
    if not isinstance(settings, dict):
        return DailyNotes()
    folder, pattern = settings.get("folder"), settings.get("format")
    return DailyNotes(
        folder.strip().strip("/") if isinstance(folder, str) else "",
        pattern.strip() if isinstance(pattern, str) and 0 < len(pattern.strip()) <= _MAX_FORMAT else DEFAULT_FORMAT,
    )
