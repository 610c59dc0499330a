"""The notes of a date: daily notes in the vault's own format, notes with the date in their name, created or changed.

Newest first: if thousands of notes were changed in a year, the latest ones matter most. The date in a name counts
before the date in a property, and that before the file's time, which a copy or a synchronization may have set. A day on
which the files of most notes were changed is such a copy, and says nothing about these notes.

The trick: the dates of a note are read once and cached until the note changes, so a later query only compares numbers.
The caller passes in the time zone in which days begin.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import IntEnum
from itertools import islice

from attrs import Factory, define, frozen

from expansion.date_words import DateWords
from expansion.dates import DateMention, DateSpan
from expansion.moment_format import write_date
from search.ids import NoteId, is_by_name
from search.query import DatedNote
from search.vault.daily import DEFAULT_FORMAT, DailyNotes
from search.vault.note import Note

_MAX_NAMED_DAYS = 3_700  # ten years of daily notes are looked up by name
_MAX_DAYS = 36_600  # days of a span that are compared: a hundred years
_LEAST_SHARED = 3  # notes: two may well be written on one day
_EPOCH = date(1970, 1, 1).toordinal()
_NEVER = 0  # not the ordinal of any day
_CREATED = frozenset({"created", "date", "day", "created_at", "date created", "creation date", "datum", "erstellt"})
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


class DateOrigin(IntEnum):
    """Where the date of a note comes from, most reliable first."""

    DAILY = 0
    NAME = 1
    CREATED = 2
    CHANGED = 3


_WHY = {
    DateOrigin.DAILY: "daily note of",
    DateOrigin.NAME: "named",
    DateOrigin.CREATED: "created on",
    DateOrigin.CHANGED: "changed on",
}


@frozen
class _NoteDays:
    """The days of a note as ordinals: from its name, its front matter and its file."""

    note: Note
    named: int
    created: int
    changed: int


@define(eq=False)
class DatedNotes:
    """The dates of the notes of one vault. `zone` None means local time. Threads may share it."""

    zone: tzinfo | None = None
    _known: Mapping[NoteId, _NoteDays] = Factory(dict)

    def find(
        self,
        dates: Sequence[DateMention],
        notes: Mapping[NoteId, Note],
        *,
        daily: DailyNotes,
        languages: Sequence[DateWords],
    ) -> tuple[DatedNote, ...]:
        """The notes of the dates, newest day first; within a day by origin, most reliable first, then by id.

        A file's date does not count if it is the `shared_day`.
        """
        found: dict[NoteId, DatedNote] = {}
        for mention in dates:
            for name, day in _daily(mention, notes, daily, languages):
                found.setdefault(name, _dated(name, day, DateOrigin.DAILY, mention.text))
        wanted = _days_of(dates)
        known = self._days(notes)
        shared = _shared_day(known.values())
        for note, days in known.items():
            if note in found:
                continue
            for number, origin in (
                (days.named, DateOrigin.NAME),
                (days.created, DateOrigin.CREATED),
                (_NEVER if days.changed == shared else days.changed, DateOrigin.CHANGED),
            ):
                if number in wanted:
                    found[note] = _dated(note, date.fromordinal(number), origin, wanted[number])
                    break
        return tuple(sorted(found.values(), key=lambda one: (-one.order, one.note)))

    def shared_day(self, notes: Mapping[NoteId, Note]) -> date | None:
        """The day on which at least three files, and more than half of all, were changed; None without such a day."""
        shared = _shared_day(self._days(notes).values())
        return None if shared == _NEVER else date.fromordinal(shared)

    def _days(self, notes: Mapping[NoteId, Note]) -> Mapping[NoteId, _NoteDays]:
        before = self._known
        self._known = known = {
            name: days if (days := before.get(name)) is not None and days.note is note else self._read(note)
            for name, note in notes.items()
            if not is_by_name(name)
        }
        return known

    def _read(self, note: Note) -> _NoteDays:
        created = (value for key, values in note.properties if key.casefold() in _CREATED for value in values)
        try:
            changed = datetime.fromtimestamp(note.modified, self.zone).toordinal()
        except (OverflowError, ValueError, OSError):
            changed = _NEVER
        return _NoteDays(
            note,
            named=_day_in(_ISO.search(note.id, note.id.rfind("/") + 1)),
            created=next(filter(None, map(_day_in, map(_ISO.match, created))), _NEVER),
            changed=changed,
        )


def _shared_day(days: Collection[_NoteDays]) -> int:
    (day, n_notes), *_ = Counter(one.changed for one in days).most_common(1) or [(_NEVER, 0)]
    return day if n_notes >= _LEAST_SHARED and 2 * n_notes > len(days) else _NEVER


def _dated(note: NoteId, day: date, origin: DateOrigin, typed: str) -> DatedNote:
    """A note of a date; `typed` is the date as the user wrote it."""
    why = f"{_WHY[origin]} {day.isoformat()} ({typed})"
    is_named = origin in {DateOrigin.DAILY, DateOrigin.NAME}
    return DatedNote(note, why, day.toordinal() - _EPOCH - 0.1 * origin, is_named)


def _days_of(dates: Sequence[DateMention]) -> Mapping[int, str]:
    """The ordinal of each day of the dates, with the date as typed."""
    days: dict[int, str] = {}
    for mention in dates:
        for span in mention.spans:
            first = max(span.first.toordinal(), span.last.toordinal() - _MAX_DAYS)
            days.update(dict.fromkeys(range(first, span.last.toordinal() + 1), mention.text))
    return days


def _day_in(match: "re.Match[str] | None") -> int:
    try:
        return date(*map(int, match.groups())).toordinal() if match else _NEVER
    except ValueError:
        return _NEVER


def _daily(
    mention: DateMention, notes: Mapping[NoteId, Note], daily: DailyNotes, languages: Sequence[DateWords]
) -> Iterator[tuple[NoteId, date]]:
    folder = f"{daily.folder}/" if daily.folder else ""
    patterns = dict.fromkeys(((folder, daily.format), (folder, DEFAULT_FORMAT)))
    has_names = re.search("MMM|dd", daily.format) is not None
    known = languages if has_names and languages else (DateWords(),)
    days = (day for span in mention.spans for day in _each_day(span))
    for day in islice(days, _MAX_NAMED_DAYS):
        for prefix, pattern in patterns:
            for names in known:
                written = write_date(day, pattern, names)
                note = NoteId(f"{prefix}{written}.md")
                if written and note in notes:
                    yield note, day


def _each_day(span: DateSpan) -> Iterator[date]:
    """The days of a span, newest first."""
    for back in range((span.last - span.first).days + 1):
        yield span.last - timedelta(back)
