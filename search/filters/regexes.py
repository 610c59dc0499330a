"""Regular expressions with a time limit: 50 ms for each note and one second for each query.

A note that runs out of time counts as not matching: it is left out if the pattern is required, and allowed if the
pattern is excluded. A notice says how many notes that concerns.
"""

from collections.abc import Callable

from attrs import Factory, define

from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.syntax.patterns import compile_pattern

NOTE_LIMIT_S = 0.05
TOTAL_LIMIT_S = 1.0


@define
class Regexes:
    """The regular expressions of one query and the time they have taken; `clock` returns seconds."""

    clock: Callable[[], float]
    spent_s: float = 0.0
    spent_on_s: dict[tuple[str, NoteId], float] = Factory(dict)
    timed_out: dict[str, set[NoteId]] = Factory(dict)  # by pattern, the notes without a complete result

    def occurs(self, pattern: str, text: str, note_id: NoteId, *, is_case_sensitive: bool) -> bool:
        """Whether `pattern` matches somewhere in `text`, the text of note `note_id` or a piece of it.

        Raises: PatternError, for a pattern that `parse` would have refused.
        """
        return bool(self.places(pattern, text, note_id, is_case_sensitive=is_case_sensitive, n_places=1))

    def places(
        self, pattern: str, text: str, note_id: NoteId, *, is_case_sensitive: bool, n_places: int
    ) -> list[tuple[int, int]]:
        """The first `n_places` half-open ranges of `text` that match, while time is left; raises as `occurs` does."""
        key = (pattern, note_id)
        left_s = min(NOTE_LIMIT_S - self.spent_on_s.get(key, 0.0), TOTAL_LIMIT_S - self.spent_s)
        found: list[tuple[int, int]] = []
        if left_s <= 0:
            self.timed_out.setdefault(pattern, set()).add(note_id)
            return found
        compiled = compile_pattern(pattern, is_case_sensitive=is_case_sensitive)  # the first one imports a library
        start = self.clock()
        try:
            for match in compiled.finditer(text, timeout=left_s, concurrent=True):
                found.append(match.span())
                if len(found) == n_places:
                    break
        except TimeoutError:
            self.timed_out.setdefault(pattern, set()).add(note_id)
            self.spent_on_s[key] = NOTE_LIMIT_S  # no further piece of this note
        finally:
            elapsed_s = self.clock() - start
            self.spent_s += elapsed_s
            self.spent_on_s[key] = self.spent_on_s.get(key, 0.0) + elapsed_s
        return found

    def notices(self) -> tuple[Notice, ...]:
        """One notice for each pattern that timed out, with the number of notes that were not fully searched."""
        return tuple(
            Notice(
                NoticeKind.SKIPPED,
                "regex-timeout",
                f"/{pattern}/ takes too long; {len(missed)} {'note was' if len(missed) == 1 else 'notes were'} not "
                "fully searched and counted as not matching.",
                pattern,
            )
            for pattern, missed in self.timed_out.items()
        )
