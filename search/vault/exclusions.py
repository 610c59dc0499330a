"""Puts together what decides whether a note belongs to the vault: the settings' patterns and Obsidian's own."""

import json
import os
from typing import NamedTuple

from search.notice import Notice, NoticeKind
from search.vault.note import Note
from search.vault.patterns import ObsidianIgnore, Patterns
from search.vault.reader import decode, read_bytes
from search.vault.settings import VaultSettings
from search.vault.walk import is_passed_over

_APP_JSON = ".obsidian/app.json"
_APP_JSON_BYTES = 1024 * 1024


class _AppJson(NamedTuple):
    key: tuple[int, int, int] | None  # mtime, size and inode; None where there is no such file
    ignore: ObsidianIgnore
    notice: Notice | None


class Exclusions:
    """The reasons to leave a file or a note out. `refresh` looks whether Obsidian's settings have changed."""

    def __init__(self, root: str, settings: VaultSettings) -> None:
        self._root = root
        self._settings = settings
        self._include = Patterns.of(settings.include)
        self._exclude = Patterns.of(settings.exclude)
        self._app = _AppJson(None, ObsidianIgnore(()), None)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What of Obsidian's settings could not be used."""
        found = [self._app.notice] if self._app.notice else []
        for pattern in self._app.ignore.bad:
            message = f"Obsidian's excluded-files filter {pattern} is invalid or too slow; it was not applied"
            found.append(Notice(NoticeKind.DEGRADED, "ignore-filter-unusable", message, pattern))
        return tuple(found)

    def refresh(self) -> bool:
        """Reads Obsidian's settings anew where they changed; whether they did."""
        if not self._settings.honour_obsidian_ignore:
            return False
        path = f"{self._root}/{_APP_JSON}"
        try:
            info = os.stat(path)
            key = (info.st_mtime_ns, info.st_size, info.st_ino)
        except OSError:
            key = None
        if key == self._app.key:
            return False
        self._app = _AppJson(None, ObsidianIgnore(()), None) if key is None else _read_app_json(path, key)
        return True

    @property
    def needs_paths(self) -> bool:
        """Whether any file that a walk meets could be left out; else it need not be asked for each."""
        return not (self._exclude.is_empty and self._include.is_empty and self._app.ignore.is_empty)

    def of_folder(self, path: str) -> str:
        """Why nothing in the folder is to be read, or ""."""
        return f"the folder is excluded by {_EXCLUDE}" if self._exclude.match_path(path + "/") else ""

    def of_file(self, path: str) -> str:
        """Why the file is not to be read, or ""; tags are not known yet. Editors may open what no walk meets."""
        if is_passed_over(path):
            return "in a folder that is never read"
        if self._exclude.match_path(path):
            return f"excluded by {_EXCLUDE}"
        if not self._include.is_empty and not self._include.tags and not self._include.match_path(path):
            return _NOT_INCLUDED
        return "excluded by Obsidian's settings (excluded files)" if self._app.ignore.match_path(path) else ""

    def of_note(self, note: Note) -> str:
        """Why the note, now that its tags are known, is not to be searched, or ""."""
        if self._exclude.tags and self._exclude.match_note(note):
            return f"excluded by {_EXCLUDE}: one of its tags"
        if self._include.tags and not self._include.match_note(note):
            return _NOT_INCLUDED
        return ""


_EXCLUDE = "the setting `exclude`"
_NOT_INCLUDED = "not meant by the setting `include`"


def _read_app_json(path: str, key: tuple[int, int, int]) -> _AppJson:
    try:
        data, _ = read_bytes(path, limit=_APP_JSON_BYTES)
        settings = json.loads(decode(data).text)
        filters = settings.get("userIgnoreFilters") or []
        return _AppJson(key, ObsidianIgnore([text for text in filters if isinstance(text, str)]), None)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        message = f"{_APP_JSON} could not be read, so no file is excluded by it ({error})"
        return _AppJson(key, ObsidianIgnore(()), Notice(NoticeKind.DEGRADED, "app-json-unreadable", message, _APP_JSON))
