"""Notes of a date: by the vault's daily notes, by name, by property and by the file's time."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from expansion.date_words import DateWords
from expansion.dated_notes import DatedNotes
from expansion.dates import read_dates
from expansion.lexicon import lexicon
from expansion.moment_format import write_date
from search.ids import NoteId
from search.vault.daily import DailyNotes, read_daily_notes
from search.vault.note import Note

DAY = date(2024, 1, 5)
DEFAULT = DailyNotes()
LANGUAGES = lexicon().dates
ENGLISH, GERMAN = LANGUAGES[:2]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("YYYY-MM-DD", "2024-01-05"),
        ("YYYY/MM/DD", "2024/01/05"),
        ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2024/01-January/2024-01-05-Friday"),
        ("MMM Do, YY", "Jan 5th, 24"),
        ("[Daily] D.M.YYYY", "Daily 5.1.2024"),
        (r"\D[ay] D", "Day 5"),
        ("gggg-[W]ww", "2024-W01"),
        ("GGGG-[W]WW", "2024-W01"),
        ("DDDD DDD Q E e d", "005 5 1 5 5 5"),
        ("ddd dd", "Fri Fr"),
        ("YYYY-MM-DD HH:mm", None),
        ("YYYYYY Y gg GG", "+002024 2024 24 24"),
        ("wo Mo Qo do", "1st 1st 1st 5th"),
    ],
)
def test_date_is_written_as_moment_js_writes_it(pattern, expected):
    assert write_date(DAY, pattern, ENGLISH) == expected


def test_names_of_months_and_weekdays_are_those_of_the_language():
    assert write_date(date(2024, 3, 5), "MMMM dddd", GERMAN) == "März Dienstag"
    assert write_date(DAY, "MMMM", DateWords()) is None


@pytest.mark.parametrize(("day", "week"), [(date(2023, 12, 31), "2024-01"), (date(2024, 1, 7), "2024-02")])
def test_weeks_of_moment_js_begin_on_sunday(day, week):
    assert write_date(day, "gggg-ww", ENGLISH) == week


def vault(*notes):
    return {note.id: note for note in notes}


def note(path, modified="2000-01-01T00:00", **properties):
    stamp = datetime.fromisoformat(modified).replace(tzinfo=UTC).timestamp()
    values = tuple((key.replace("_", " "), (value,)) for key, value in properties.items())
    return Note(NoteId(path), path, modified=stamp, properties=values)


def found(query, notes, *, daily=DEFAULT, zone=UTC, today=date(2024, 1, 10)):
    read = read_dates(query, today=today, languages=LANGUAGES)
    dated = DatedNotes(zone).find(read.dates, notes, daily=daily, languages=LANGUAGES)
    return {one.note: one.why for one in dated}


@pytest.mark.parametrize(
    ("daily", "path"),
    [
        (DailyNotes(), "2024-01-05.md"),
        (DailyNotes("Journal"), "Journal/2024-01-05.md"),
        (DailyNotes("Journal", "YYYY/MM/DD"), "Journal/2024/01/05.md"),
        (DailyNotes("", "dddd, MMMM Do YYYY"), "Friday, January 5th 2024.md"),
        (DailyNotes("", "D. MMMM YYYY"), "5. Januar 2024.md"),
    ],
)
def test_daily_note_is_found_by_the_vaults_own_format(daily, path):
    notes = vault(note(path), note("other.md"))
    assert found("January 5th", notes, daily=daily) == {path: "daily note of 2024-01-05 (January 5th)"}


def test_notes_are_found_by_name_by_property_and_by_time_newest_first():
    notes = vault(
        note("a/changed.md", "2024-01-03T12:00"),
        note("a/2024-01-06 Meeting.md"),
        note("a/created.md", created="2024-01-05T10:00"),
        note("2024-01-05.md"),
        note("a/dated.md", date="2024-01-02"),
        note("a/other.md", "2024-01-09T00:00"),
        note("a/bad.md", created="2024-99-99"),
    )
    assert list(found("last week", notes, today=date(2024, 1, 10)).values()) == [
        "named 2024-01-06 (last week)",
        "daily note of 2024-01-05 (last week)",
        "created on 2024-01-05 (last week)",
        "changed on 2024-01-03 (last week)",
        "created on 2024-01-02 (last week)",
    ]


def test_day_begins_at_midnight_in_the_given_zone():
    notes = vault(note("late.md", "2024-01-05T23:30"))
    assert found("2024-01-05", notes)
    east = timezone(timedelta(hours=2))
    assert not found("2024-01-05", notes, zone=east)
    assert found("2024-01-06", notes, zone=east) == {"late.md": "changed on 2024-01-06 (2024-01-06)"}


def test_all_of_thousands_of_notes_are_found_newest_first():
    times = [f"2023-{at % 11 + 1:02}-05T00:00" for at in range(3000)]
    notes = vault(*(note(f"{at:05}.md", time) for at, time in enumerate(times)), note("z.md", "2023-12-30T00:00"))
    dated = found("last year", notes)
    assert len(dated) == 3001
    assert next(iter(dated)) == "z.md"


COPIED, BEFORE, AFTER = "2024-01-09T12:00", "2024-01-03T12:00", "2024-01-10T08:00"


@pytest.mark.parametrize(
    ("times", "is_shared"),
    [
        ([COPIED] * 3, True),
        ([COPIED] * 3 + [BEFORE] * 2, True),
        ([COPIED] * 300 + [BEFORE, AFTER] * 100, True),
        ([COPIED] * 3 + [BEFORE] * 3, False),
        ([COPIED] * 3 + [BEFORE, AFTER] * 2, False),
        ([COPIED] * 2, False),
        ([], False),
    ],
)
def test_the_date_of_most_files_is_no_date_of_a_note(times, is_shared):
    notes = vault(*(note(f"n{at}.md", time) for at, time in enumerate(times)))
    n_copied = 0 if is_shared else times.count(COPIED)
    assert list(found("yesterday", notes).values()) == ["changed on 2024-01-09 (yesterday)"] * n_copied
    assert list(found("today", notes).values()) == ["changed on 2024-01-10 (today)"] * times.count(AFTER)
    assert DatedNotes(UTC).shared_day(notes) == (date(2024, 1, 9) if is_shared else None)


def test_names_and_properties_count_where_the_dates_of_files_do_not():
    notes = vault(
        note("2024-01-09 Call.md", COPIED),
        note("made.md", COPIED, created="2024-01-09"),
        note("2024-01-09.md", COPIED),
        note("other.md", COPIED),
    )
    assert set(found("yesterday", notes)) == {"2024-01-09 Call.md", "made.md", "2024-01-09.md"}


def test_files_without_a_date_share_none():
    notes = {NoteId(name): Note(NoteId(name), name, modified=1e300) for name in "abcd"}
    assert DatedNotes(UTC).shared_day(notes) is None


def test_changed_note_is_read_again_and_a_removed_note_is_forgotten():
    dated, dates = DatedNotes(UTC), read_dates("2024-01-05", today=DAY, languages=LANGUAGES).dates

    def found_in(notes):
        return [one.note for one in dated.find(dates, notes, daily=DEFAULT, languages=LANGUAGES)]

    assert found_in(vault(note("a.md", created="2024-01-05"), note("b.md"))) == ["a.md"]
    assert found_in(vault(note("a.md", created="2024-01-06"), note("b.md", date="2024-01-05"))) == ["b.md"]
    assert found_in({}) == []


def test_file_time_outside_the_calendar_gives_no_date():
    notes = {NoteId("a.md"): Note(NoteId("a.md"), "a", modified=1e300)}
    assert not found("2024-01-05", notes)


def test_dates_at_the_ends_of_the_calendar_find_nothing():
    assert not found("0001-01-01", vault(note("a.md")))
    assert not found("9999-12-31", vault(note("a.md")), daily=DailyNotes("", "gggg-ww"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, DailyNotes()),
        ('{"folder": "Journal/", "format": "YYYY/MM/DD"}', DailyNotes("Journal", "YYYY/MM/DD")),
        ('{"folder": null, "format": ""}', DailyNotes()),
        ('{"format": 3}', DailyNotes()),
        ("[]", DailyNotes()),
        ("{", DailyNotes()),
        ("[" * 100_000, DailyNotes()),
        ('{"format": "' + "Y" * 300 + '"}', DailyNotes()),
    ],
)
def test_bad_obsidian_settings_give_the_defaults(tmp_path, text, expected):
    if text is not None:
        (tmp_path / ".obsidian").mkdir()
        (tmp_path / ".obsidian" / "daily-notes.json").write_text(text)
    assert read_daily_notes(tmp_path) == expected
