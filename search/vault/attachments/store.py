"""Keeps the texts of attachments by content id, so that a file that is moved or copied is not parsed again.

Each text is a file in the cache folder, with a checksum: a damaged one counts as absent, and of several writers the
last one wins. Without a folder, or if a text cannot be written, it is kept in memory.
"""

import contextlib
import zlib
from collections.abc import Collection
from pathlib import Path

from search.cache.snapshot_file import read_sections, write_sections

MADE_BY = "attachments 2"  # increase the number when parsers find other text, so that kept texts count as absent
N_SPARE = 256  # texts of files that are gone and may come back
_SECTION = "text"


class TextStore:
    """The texts of one vault's attachments, as JSON. Any thread may call its methods."""

    def __init__(self, folder: Path | None, *, keeps: bool = True) -> None:
        """Reads and makes nothing. Without `keeps`, the folder is only read."""
        self._folder = folder
        self._keeps = keeps
        self._in_memory: dict[str, bytes] = {}  # content id -> compressed text
        self.problem = ""  # why the last text could not be written, or ""

    def get(self, content_id: str) -> str | None:
        """The text of a content; None if it is not kept."""
        if data := self._in_memory.get(content_id):
            return zlib.decompress(data).decode()
        if self._folder is None or not content_id.isidentifier():
            return None
        sections = read_sections(self._folder / content_id, f"{MADE_BY} {content_id}")
        try:
            return None if sections is None else sections[_SECTION].decode()
        except (KeyError, UnicodeDecodeError):
            return None

    def put(self, content_id: str, text: str, *, is_final: bool = True) -> None:
        """Keep a text. One that is not final, since it may be another next time, is kept in this process only."""
        data = text.encode()
        if is_final and self._keeps and self._folder is not None:
            try:
                write_sections(self._folder / content_id, f"{MADE_BY} {content_id}", [(_SECTION, data)])
            except OSError as error:
                self.problem = error.strerror or str(error)
            else:
                self.problem = ""
                return
        self._in_memory[content_id] = zlib.compress(data, 1)

    def is_unsaved(self, content_id: str) -> bool:
        """Whether the text is in this process only."""
        return content_id in self._in_memory

    def prune(self, needed: Collection[str]) -> None:
        """Delete texts whose content id is not needed, the oldest first, until `N_SPARE` of them are left."""
        if not self._keeps:
            return
        spare: list[tuple[int, Path]] = []
        for path in self._files():
            if path.name not in needed:
                with contextlib.suppress(OSError):  # deleted by another process
                    spare.append((path.stat().st_mtime_ns, path))
        for _, path in sorted(spare)[: max(0, len(spare) - N_SPARE)]:
            with contextlib.suppress(OSError):
                path.unlink()

    def clear(self) -> None:
        """Delete all texts.

        Raises:
            OSError: they cannot be deleted.
        """
        self._in_memory.clear()
        for path in self._files():
            path.unlink(missing_ok=True)
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                self._folder.rmdir()

    def _files(self) -> list[Path]:
        try:
            return [] if self._folder is None else [*self._folder.iterdir()]
        except OSError:
            return []
