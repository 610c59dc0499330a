"""Keeps the texts of attachments by the content of their files, so that no file is parsed twice, wherever it is moved.

A file in the cache folder for each content, with a checksum: a damaged one counts as absent, and of several writers the
last one wins. Without a folder, or where it cannot be written, texts are kept in memory.
"""

import contextlib
import zlib
from collections.abc import Collection
from pathlib import Path

from search.cache.snapshot_file import read_sections, write_sections

MADE_BY = "attachments 1"  # the number grows with every change of what parsers find
N_SPARE = 256  # texts of files that are gone are kept so long as they are not more
_SECTION = "text"


class TextStore:
    """The texts of one vault's attachments, as JSON. Any thread may call its methods."""

    def __init__(self, folder: Path | None) -> None:
        """Reads and makes nothing."""
        self._folder = folder
        self._unsaved: dict[str, bytes] = {}  # compressed
        self.problem = ""  # why texts could not be written

    def get(self, content: str) -> str | None:
        """The text for a content, or None."""
        if data := self._unsaved.get(content):
            return zlib.decompress(data).decode()
        if self._folder is None or not content.isidentifier():
            return None
        sections = read_sections(self._folder / content, f"{MADE_BY} {content}")
        try:
            return None if sections is None else sections[_SECTION].decode()
        except (KeyError, UnicodeDecodeError):
            return None

    def put(self, content: str, text: str, *, is_final: bool = True) -> None:
        """Keep a text; only in this process if it may be another one next time, or cannot be written."""
        data = text.encode()
        if is_final and self._folder is not None:
            try:
                write_sections(self._folder / content, f"{MADE_BY} {content}", [(_SECTION, data)])
            except OSError as error:
                self.problem = error.strerror or str(error)
            else:
                self.problem = ""
                return
        self._unsaved[content] = zlib.compress(data, 1)

    def is_unsaved(self, content: str) -> bool:
        """Whether the text is in this process only."""
        return content in self._unsaved

    def prune(self, needed: Collection[str]) -> None:
        """Delete the oldest texts that are not needed, except for `N_SPARE` of them."""
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
        self._unsaved.clear()
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
