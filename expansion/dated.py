"""The notes of a date: daily notes by the vault's own format, notes named by it, and notes made or changed then.

The newest first: of a year that thousands of notes were changed in, the last ones count, not the first that are met.
What a name says comes before what a property says, and that before the file's time, which a copy or a synchronization
may have set.

What a note says of itself is read once and kept while the note stays the same, so that a later query compares numbers.
The zone in which days begin is handed in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import IntEnum
from itertools import islice

from attrs import Factory, define, frozen

from expansion.date_words import DateWords
from expansion.dates import Span, Spoken
from expansion.moment import write_date
from search.ids import NoteId
from search.vault.daily import DEFAULT_FORMAT, DailyNotes
from search.vault.note import Note

_MOST_NAMED_DAYS = 3_700  # ten years of daily notes are looked up by name
_MOST_DAYS = 36_600  # a hundred years are compared
_NEVER = 0  # no day's number
_CREATED = frozenset({"created", "date", "day", "created_at", "date created", "creation date", "datum", "erstellt"})
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


class How(IntEnum):
    """What says that a note is of a date, the surest first."""

    DAILY = 0
    NAME = 1
    CREATED = 2
    CHANGED = 3


_CLAUSES = {
    How.DAILY: "daily note of {day}",
    How.NAME: "named {day}",
    How.CREATED: "created on {day}",
    How.CHANGED: "changed on {day}",
}


@frozen
class Dated:
    """Why a note is of a date that the query speaks of."""

    day: date
    how: How
    spoken: str  # the date as typed

    @property
    def is_named(self) -> bool:
        """Whether the note's name says so."""
        return self.how in {How.DAILY, How.NAME}

    @property
    def clause(self) -> str:
        """The reason, to be read after the score or in a sentence."""
        return f"{_CLAUSES[self.how].format(day=self.day.isoformat())} ({self.spoken})"


@frozen
class _Days:
    """The days of a note, as numbers: what its name says, its front matter, and its file."""

    note: Note
    named: int
    created: int
    changed: int


@define(eq=False)
class DatedNotes:
    """What the notes of one vault say of their dates. `zone` None: the local. Threads may share it."""

    zone: tzinfo | None = None
    _known: Mapping[NoteId, _Days] = Factory(dict)

    def find(
        self,
        dates: Sequence[Spoken],
        notes: Mapping[NoteId, Note],
        *,
        daily: DailyNotes,
        languages: Sequence[DateWords],
    ) -> Mapping[NoteId, Dated]:
        """The notes of the dates, the newest day first; of one day the surest first, then by id."""
        found: dict[NoteId, Dated] = {}
        for spoken in dates:
            for name, day in _daily(spoken, notes, daily, languages):
                found.setdefault(name, Dated(day, How.DAILY, spoken.text))
        wanted = _days_of(dates)
        for note, days in self._days(notes).items():
            if note in found:
                continue
            for number, how in ((days.named, How.NAME), (days.created, How.CREATED), (days.changed, How.CHANGED)):
                if number in wanted:
                    found[note] = Dated(date.fromordinal(number), how, wanted[number])
                    break
        return dict(sorted(found.items(), key=lambda item: (-item[1].day.toordinal(), item[1].how, item[0])))

    def _days(self, notes: Mapping[NoteId, Note]) -> Mapping[NoteId, _Days]:
        before = self._known
        self._known = known = {
            name: days if (days := before.get(name)) is not None and days.note is note else self._read(note)
            for name, note in notes.items()
        }
        return known

    def _read(self, note: Note) -> _Days:
        created = (value for key, values in note.properties if key.casefold() in _CREATED for value in values)
        try:
            changed = datetime.fromtimestamp(note.modified, self.zone).toordinal()
        except (OverflowError, ValueError, OSError):
            changed = _NEVER
        return _Days(
            note,
            named=_day_in(_ISO.search(note.id, note.id.rfind("/") + 1)),
            created=next(filter(None, map(_day_in, map(_ISO.match, created))), _NEVER),
            changed=changed,
        )


def _days_of(dates: Sequence[Spoken]) -> Mapping[int, str]:
    """Each day that is meant, as a number, with the date as typed."""
    days: dict[int, str] = {}
    for spoken in dates:
        for span in spoken.spans:
            first = max(span.first.toordinal(), span.last.toordinal() - _MOST_DAYS)
            days.update(dict.fromkeys(range(first, span.last.toordinal() + 1), spoken.text))
    return days


def _day_in(match: "re.Match[str] | None") -> int:
    try:
        return date(*map(int, match.groups())).toordinal() if match else _NEVER
    except ValueError:
        return _NEVER


def _daily(
    spoken: Spoken, notes: Mapping[NoteId, Note], daily: DailyNotes, languages: Sequence[DateWords]
) -> Iterator[tuple[NoteId, date]]:
    folder = f"{daily.folder}/" if daily.folder else ""
    patterns = dict.fromkeys(((folder, daily.format), (folder, DEFAULT_FORMAT)))
    has_names = re.search("MMM|dd", daily.format) is not None
    known = languages if has_names and languages else (DateWords(),)
    days = (day for span in spoken.spans for day in _each_day(span))
    for day in islice(days, _MOST_NAMED_DAYS):
        for prefix, pattern in patterns:
            for names in known:
                written = write_date(day, pattern, names)
                note = NoteId(f"{prefix}{written}.md")
                if written and note in notes:
                    yield note, day


def _each_day(span: Span) -> Iterator[date]:
    """The newest first."""
    for back in range((span.last - span.first).days + 1):
        yield span.last - timedelta(back)
