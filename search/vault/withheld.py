"""Decides which notes are withheld: treated as if they did not exist, for a reader who may not see all of the vault.

An excluded note is listed as skipped, with the reason. A withheld note is never mentioned: not as skipped, not in a
notice, not in a count.
"""

from search.vault.markdown import ParsedNote
from search.vault.patterns import Patterns, fold_path
from search.vault.settings import VaultSettings

# Codes of notices.
_TAGS_UNREAD = frozenset({"front-matter-invalid", "unparsed"})
_READ_IN_PART = frozenset({"note-too-large", "note-limits", "note-slow", "file-unread"})


class Withheld:
    """The notes that the settings `allow` and `deny` withhold."""

    def __init__(self, settings: VaultSettings) -> None:
        self._allow = Patterns.of(settings.allow)
        self._deny = Patterns.of(settings.deny)

    @property
    def is_empty(self) -> bool:
        """Whether the settings withhold no note at all."""
        return self._allow.is_empty and self._deny.is_empty

    @property
    def depends_on_text(self) -> bool:
        """Whether notes can be withheld for their tags, which only their text shows."""
        return bool(self._deny.tags)

    def has_path(self, path: str) -> bool:
        """Whether the file or folder at `path` (from the vault's root) is withheld for its path alone.

        It is if `deny` matches it, or if there are patterns in `allow` and none matches.
        """
        as_folder = path + "/"
        if self._deny.matches_path(path) or self._deny.matches_path(as_folder):
            return True
        return not (self._allow.is_empty or self._allow.matches_path(path) or self._allow.matches_path(as_folder))

    def has_note(self, parsed: ParsedNote) -> bool:
        """Whether a note is withheld for its path or one of its tags.

        If its tags could not be read, as in invalid YAML, it is withheld if a denied tag occurs anywhere in it. If only
        a part of the note was read, it is withheld, since a denied tag may be in the other part.
        """
        if self.has_path(parsed.note.id):
            return True
        if not self.depends_on_text:
            return False
        codes = {notice.code for notice in parsed.notices}
        if self._deny.matches_note(parsed.note) or codes & _READ_IN_PART:
            return True
        return bool(codes & _TAGS_UNREAD) and any(tag in fold_path(parsed.body) for tag in self._deny.tags)
