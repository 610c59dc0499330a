"""The notes of a date: daily notes by the vault's own format, notes named by it, and notes made or changed then.

The newest first: of a year that thousands of notes were changed in, the last ones count, not the first that are met.
What a name says comes before what a property says, and that before the file's time, which a copy or a synchronization
may have set.

Pure: the zone in which days begin is handed in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from enum import IntEnum

from attrs import frozen

from expansion.date_words import DateWords
from expansion.dates import Span, Spoken
from expansion.moment import write_date
from search.ids import NoteId
from search.vault.daily import DEFAULT_FORMAT, DailyNotes
from search.vault.note import Note

_MOST_DAYS = 3_700  # ten years of names are looked up
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


def dated_notes(
    dates: Sequence[Spoken],
    notes: Mapping[NoteId, Note],
    *,
    daily: DailyNotes,
    languages: Sequence[DateWords],
    zone: tzinfo | None,
) -> Mapping[NoteId, Dated]:
    """The notes of the dates, the newest day first; of one day the surest first, then by id. `zone` None: the local."""
    found: dict[NoteId, Dated] = {}
    for spoken in dates:
        for name, day in _daily(spoken, notes, daily, languages):
            found.setdefault(name, Dated(day, How.DAILY, spoken.text))
    spans = [(span, spoken.text, *_seconds(span, zone)) for spoken in dates for span in spoken.spans]
    oldest = min((start for _, _, start, _ in spans), default=0.0)
    for note in notes.values():
        if note.id not in found and (said := _said(note, spans)):
            found[note.id] = said
        elif note.id not in found and note.modified >= oldest:
            for _, text, start, end in spans:
                if start <= note.modified < end:
                    day = datetime.fromtimestamp(note.modified, zone).date()
                    found[note.id] = Dated(day, How.CHANGED, text)
                    break
    ordered = sorted(found.items(), key=lambda item: (-item[1].day.toordinal(), item[1].how, item[0]))
    return dict(ordered)


def _daily(
    spoken: Spoken, notes: Mapping[NoteId, Note], daily: DailyNotes, languages: Sequence[DateWords]
) -> Iterator[tuple[NoteId, date]]:
    folder = f"{daily.folder}/" if daily.folder else ""
    patterns = dict.fromkeys(((folder, daily.format), (folder, DEFAULT_FORMAT)))
    has_names = re.search("MMM|dd", daily.format) is not None
    known = languages if has_names and languages else (DateWords(),)
    days = (day for span in spoken.spans for day in _each_day(span))
    for _, day in zip(range(_MOST_DAYS), days, strict=False):
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


def _seconds(span: Span, zone: tzinfo | None) -> tuple[float, float]:
    try:
        start = datetime.combine(span.first, time(), zone).timestamp()
        return start, datetime.combine(span.last + timedelta(1), time(), zone).timestamp()
    except (OverflowError, ValueError, OSError):  # beyond what the system's clock knows
        return 0.0, 0.0


def _said(note: Note, spans: Sequence[tuple[Span, str, float, float]]) -> Dated | None:
    """What the note's name or its front matter says."""
    if (match := _ISO.search(note.id, note.id.rfind("/") + 1)) and (found := _within(match, spans)):
        return Dated(found[0], How.NAME, found[1])
    for key, values in note.properties:
        if key.casefold() in _CREATED:
            for value in values:
                if (match := _ISO.match(value)) and (found := _within(match, spans)):
                    return Dated(found[0], How.CREATED, found[1])
    return None


def _within(match: "re.Match[str]", spans: Sequence[tuple[Span, str, float, float]]) -> tuple[date, str] | None:
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return None
    return next(((day, text) for span, text, _, _ in spans if span.first <= day <= span.last), None)
