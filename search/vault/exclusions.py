"""Decides whether a note belongs to the vault, by the patterns in the settings and by Obsidian's excluded files."""

import json
import os
from typing import NamedTuple

from search.ids import FILE_TYPES, other_type
from search.notice import Notice, NoticeKind
from search.vault.markdown import ParsedNote
from search.vault.patterns import ObsidianIgnore, Patterns
from search.vault.reader import decode, read_whole
from search.vault.settings import VaultSettings
from search.vault.walk import Stat, is_ignored_path, resolve_in_vault
from search.vault.withheld import Withheld

WITHHELD = "withheld"
"""The reason that no one is told: the note is treated as if it did not exist."""

_APP_JSON = ".obsidian/app.json"
_APP_JSON_BYTES = 1024 * 1024


class _AppJson(NamedTuple):
    stat: Stat | None  # None if the file does not exist
    ignore: ObsidianIgnore
    notice: Notice | None


class Exclusions:
    """The reasons to leave out a folder, file or note. `refresh` re-reads Obsidian's settings when they change."""

    def __init__(self, root: str, settings: VaultSettings) -> None:
        self._root = root
        self._settings = settings
        self._include = Patterns.of(settings.include)
        self._exclude = Patterns.of(settings.exclude)
        self._withheld = Withheld(settings)
        self._app = _AppJson(None, ObsidianIgnore(()), None)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """A notice for each part of Obsidian's settings that could not be used."""
        found = [self._app.notice] if self._app.notice else []
        for pattern in self._app.ignore.unusable:
            message = f"Obsidian's excluded-files filter {pattern} is invalid, too long or too slow and was not applied"
            found.append(Notice(NoticeKind.DEGRADED, "ignore-filter-unusable", message, pattern))
        return tuple(found)

    def refresh(self) -> bool:
        """Read Obsidian's settings again if they have changed; return whether they have."""
        if not self._settings.honour_obsidian_ignore:
            return False
        self._app.ignore.begin_sweep()
        try:
            stat = Stat.of(os.lstat(f"{self._root}/{_APP_JSON}"))
        except OSError:
            stat = None
        if stat == self._app.stat:
            return False
        self._app = _AppJson(None, ObsidianIgnore(()), None) if stat is None else _read_app_json(self._root, stat)
        return True

    @property
    def can_exclude_files(self) -> bool:
        """Whether any file could be left out by its path; if not, a walk need not check each file."""
        is_open = self._exclude.is_empty and self._include.is_empty and self._app.ignore.is_empty
        types = self._settings.file_types
        # With the type "file", a walk lists files of all types, also of those that are not searched.
        has_all_types = "file" not in types or len({*types}) == len(FILE_TYPES)
        return not (is_open and self._withheld.is_empty and has_all_types)

    def is_withheld(self, path: str) -> bool:
        """Whether the file or folder at `path` is withheld, whatever it contains."""
        return not self._withheld.is_empty and self._withheld.has_path(path)

    def may_name_unread(self, path: str) -> bool:
        """Whether a file or folder that is not read may be named. Not if only a text says whether it is withheld."""
        return not self.is_withheld(path) and not self._withheld.depends_on_text

    def is_link_withheld(self, path: str) -> bool:
        """Whether the symbolic link at `path` leads to a file that is withheld."""
        if self._withheld.is_empty:
            return False
        root, target = os.path.realpath(self._root or "/"), resolve_in_vault(self._root or "/", path)
        return target is None or self._withheld.has_path(os.path.relpath(target, root).replace(os.sep, "/"))

    def why_skip_folder(self, path: str) -> str:
        """The reason to skip everything in the folder, or ""."""
        return f"the folder is excluded by {_EXCLUDE}" if self._exclude.matches_path(path + "/") else ""

    def why_skip_file(self, path: str) -> str:
        """The reason to skip the file by its path, or ""; its tags are not known yet.

        Also covers the paths that a walk ignores, because an editor may open such a file.
        """
        if is_ignored_path(path):
            return "in a folder that is never read"
        if (file_type := other_type(path)) and file_type not in self._settings.file_types:
            return "of a type that the setting `fileTypes` does not name"
        if self.is_withheld(path):
            return WITHHELD
        if self._exclude.matches_path(path):
            return f"excluded by {_EXCLUDE}"
        if not self._include.is_empty and not self._include.tags and not self._include.matches_path(path):
            return _NOT_INCLUDED
        return "excluded by Obsidian's settings (excluded files)" if self._app.ignore.matches_path(path) else ""

    def why_skip_note(self, parsed: ParsedNote) -> str:
        """The reason to skip the note by its tags, or ""."""
        note = parsed.note
        if not self._withheld.is_empty and self._withheld.has_note(parsed):
            return WITHHELD
        if self._exclude.tags and self._exclude.matches_note(note):
            return f"excluded by {_EXCLUDE}: one of its tags"
        if self._include.tags and not self._include.matches_note(note):
            return _NOT_INCLUDED
        return ""


_EXCLUDE = "the setting `exclude`"
_NOT_INCLUDED = "not matched by the setting `include`"


def _read_app_json(root: str, stat: Stat) -> _AppJson:
    try:
        data = read_whole(f"{root}/{_APP_JSON}", limit=_APP_JSON_BYTES, root=root or "/")
        settings = json.loads(decode(data).text)
        filters = settings.get("userIgnoreFilters") or []
        return _AppJson(stat, ObsidianIgnore([text for text in filters if isinstance(text, str)]), None)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        message = f"{_APP_JSON} could not be read, so no file is excluded by it ({error})"
        return _AppJson(
            stat, ObsidianIgnore(()), Notice(NoticeKind.DEGRADED, "app-json-unreadable", message, _APP_JSON)
        )
