"""Patterns that include and exclude notes: those of Vaultseek's settings, and Obsidian's list of ignored files.

A pattern is one of

    #tag          notes with this tag or one nested below it
    [[name]]      the note with this file name or path, with or without its extension
    /path         a file or folder with this path from the vault's root
    a/path        the same: a pattern with a slash inside begins at the root
    name          a file (with or without its extension) or folder with this name, anywhere
    *.ext, a/**/b the same with wildcards: `*` and `?` match within a name, `**` also across folders

Patterns ignore case and Unicode normalization. A folder includes everything below it. Only a tag pattern requires the
note to be read.
"""

import re
import time
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import normalize

from attrs import frozen

from search.analysis.repetition import repeats_too_much
from search.ids import NoteId
from search.vault.note import Note
from search.vault.paths import is_note_name

if TYPE_CHECKING:
    import regex

_REGEX_TIMEOUT_S = 0.02
_REGEXES_S = 3.0  # for all paths of a sweep; a hundred thousand paths and ten ordinary filters take 2
MAX_FILTERS = 1000
MAX_REGEXES = 100
MAX_REGEX = 1000  # characters
_WILDCARD = re.compile(r"\*\*/?|\*|\?")
_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_NEVER = re.compile(r"(?!)")


def fold_path(path: str) -> str:
    """The form of a path in which patterns compare it."""
    return path.lower() if path.isascii() else normalize("NFC", path).casefold()


@frozen
class Patterns:
    """A set of compiled patterns: one regular expression for all paths, and folded tags."""

    paths: re.Pattern[str] = _NEVER
    tags: tuple[str, ...] = ()
    is_empty: bool = True

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "Patterns":
        """Compile `patterns`; blank ones are ignored."""
        cleaned = [pattern.strip() for pattern in patterns if pattern.strip()]
        tags = tuple(fold_path(p[1:]) for p in cleaned if p[0] == "#" and len(p) > 1)
        sources = [_to_regex(p) for p in cleaned if p[0] != "#"]
        return cls(re.compile("|".join(sources)) if sources else _NEVER, tags, is_empty=not cleaned)

    def matches_path(self, path: str) -> bool:
        """Whether a pattern matches the file or folder at `path` (relative to the vault), or a folder above it."""
        return self.paths.search(fold_path(path)) is not None

    def matches_note(self, note: Note) -> bool:
        """Whether a pattern matches the note's path or one of its tags."""
        return self.matches_path(note.id) or any(
            tag == wanted or tag.startswith(f"{wanted}/") for tag in map(fold_path, note.tags) for wanted in self.tags
        )


def _to_regex(pattern: str) -> str:
    if pattern.startswith("[[") and pattern.endswith("]]"):
        inner = fold_path(pattern[2:-2].strip())
        name = inner.rpartition(".")[0] if is_note_name(inner) else inner
        return rf"(?:^|/){re.escape(name)}\.(?:md|markdown)$"
    folded = fold_path(pattern)
    start = "^" if "/" in folded.rstrip("/") else "(?:^|/)"
    end = "/" if folded.endswith("/") else r"(?:/|$|\.(?:md|markdown)$)"
    folded = folded.strip("/")
    pieces, at = [start], 0
    for match in _WILDCARD.finditer(folded):
        pieces += (re.escape(folded[at : match.start()]), _WILDCARDS[match.group()])
        at = match.end()
    return "".join([*pieces, re.escape(folded[at:]), end])


class ObsidianIgnore:
    """Obsidian's `userIgnoreFilters`: a filter is the beginning of a path, or a regular expression between slashes.

    A regular expression that is invalid, too long or too slow is added to `unusable` and no longer applied. Filters
    beyond `MAX_FILTERS` and regular expressions beyond `MAX_REGEXES` are not applied either.
    """

    def __init__(self, filters: Iterable[str]) -> None:
        self.unusable: list[str] = []
        self._left_s = _REGEXES_S
        self._prefixes: list[str] = []
        self._regexes: list[tuple[str, regex.Pattern[str]]] = []
        for pattern in islice(filters, MAX_FILTERS):
            if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
                self._add_regex(pattern)
            elif pattern.strip():
                self._prefixes.append(fold_path(pattern))

    @property
    def is_empty(self) -> bool:
        """Whether there is no usable filter."""
        return not (self._prefixes or self._regexes)

    def begin_sweep(self) -> None:
        """Allow all paths of one sweep the same time together."""
        self._left_s = _REGEXES_S

    def matches_path(self, path: NoteId | str) -> bool:
        """Whether Obsidian ignores the file at `path`."""
        if self._prefixes and fold_path(path).startswith(tuple(self._prefixes)):
            return True
        return any(self._search(source, compiled, path) for source, compiled in list(self._regexes))

    def _add_regex(self, pattern: str) -> None:
        import regex  # noqa: PLC0415 - 15 ms, and few vaults have a regular expression here

        if len(self._regexes) + len(self.unusable) >= MAX_REGEXES:
            return
        source = pattern[1:-1]
        if len(source) > MAX_REGEX or repeats_too_much(source):
            self.unusable.append(pattern[:MAX_REGEX])
            return
        try:
            self._regexes.append((pattern, regex.compile(source)))
        except (regex.error, ValueError, OverflowError, RecursionError):
            self.unusable.append(pattern)

    def _search(self, source: str, compiled: "regex.Pattern[str]", path: str) -> bool:
        start, found = time.thread_time(), False
        try:
            found = compiled.search(path, timeout=_REGEX_TIMEOUT_S) is not None
        except TimeoutError:
            is_slow = True
        else:
            self._left_s -= time.thread_time() - start
            is_slow = self._left_s < 0
        if is_slow:
            self.unusable.append(source)
            self._regexes = [entry for entry in self._regexes if entry[0] != source]
        return found and not is_slow
