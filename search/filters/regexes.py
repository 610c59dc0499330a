"""Regular expressions with a limit to what they may cost: 50 ms for a note and a second for a query.

A note that could not be looked at counts as one without a match, and is counted; so it is left out where the pattern
is asked for and let in where it is excluded.
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
    """The patterns of one query and the time they took; `clock` gives seconds."""

    clock: Callable[[], float]
    spent_s: float = 0.0
    spent_on_s: dict[tuple[str, NoteId], float] = Factory(dict)
    passed_over: dict[str, set[NoteId]] = Factory(dict)

    def occurs(self, pattern: str, text: str, note_id: NoteId, *, is_case_sensitive: bool) -> bool:
        """Whether `pattern` matches somewhere in `text`, which is `note_id`'s or a piece of it.

        Raises: PatternError, for a pattern that `parse` would not have let through.
        """
        return bool(self.places(pattern, text, note_id, is_case_sensitive=is_case_sensitive, n_places=1))

    def places(
        self, pattern: str, text: str, note_id: NoteId, *, is_case_sensitive: bool, n_places: int
    ) -> list[tuple[int, int]]:
        """The first `n_places` half-open ranges of `text` that match, as far as there is time; raises as `occurs`."""
        key = (pattern, note_id)
        left_s = min(NOTE_LIMIT_S - self.spent_on_s.get(key, 0.0), TOTAL_LIMIT_S - self.spent_s)
        found: list[tuple[int, int]] = []
        if left_s <= 0:
            self.passed_over.setdefault(pattern, set()).add(note_id)
            return found
        compiled = compile_pattern(pattern, is_case_sensitive=is_case_sensitive)  # the first one imports a library
        start = self.clock()
        try:
            for match in compiled.finditer(text, timeout=left_s, concurrent=True):
                found.append(match.span())
                if len(found) == n_places:
                    break
        except TimeoutError:
            self.passed_over.setdefault(pattern, set()).add(note_id)
            self.spent_on_s[key] = NOTE_LIMIT_S  # no further piece of this note
        finally:
            elapsed_s = self.clock() - start
            self.spent_s += elapsed_s
            self.spent_on_s[key] = self.spent_on_s.get(key, 0.0) + elapsed_s
        return found

    def notices(self) -> tuple[Notice, ...]:
        """One for each pattern that did not get its time, naming how many notes it missed."""
        return tuple(
            Notice(
                NoticeKind.SKIPPED,
                "regex-timeout",
                f"/{pattern}/ takes too long; {len(missed)} {'note was' if len(missed) == 1 else 'notes were'} not "
                "looked at to the end and counted as without a match.",
                pattern,
            )
            for pattern, missed in self.passed_over.items()
        )
