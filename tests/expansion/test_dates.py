"""Dates as people write them, in the packaged languages."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.date_words import read_date_words
from expansion.dates import read_dates
from expansion.lexicon import lexicon
from expansion.tables import TomlTable
from search.errors import ConfigError

LANGUAGES = lexicon().dates

TODAY = date(2024, 2, 29)  # a Thursday


def read(text, today=TODAY):
    return read_dates(text, today=today, languages=LANGUAGES)


def spans(text, today=TODAY):
    return [
        f"{span.first}" if span.first == span.last else f"{span.first}..{span.last}"
        for mention in read(text, today).dates
        for span in mention.spans
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-05", "2024-01-05"),
        ("2024/1/5", "2024-01-05"),
        ("20240105", "2024-01-05"),
        ("25/12/2023", "2023-12-25"),
        ("12/25/2023", "2023-12-25"),
        ("05.01.2024", "2024-01-05"),
        ("2024-01", "2024-01-01..2024-01-31"),
        ("2024-W09", "2024-02-26..2024-03-03"),
        ("January 5th, 2024", "2024-01-05"),
        ("5 January 2024", "2024-01-05"),
        ("the 5th of January 2024", "2024-01-05"),
        ("5. Januar 2024", "2024-01-05"),
        ("3. März 2023", "2023-03-03"),
        ("1er février 2023", "2023-02-01"),
        ("5 de enero 2024", "2024-01-05"),
        ("January 2024", "2024-01-01..2024-01-31"),
        ("in January", "2024-01-01..2024-01-31"),
        ("in March", "2023-03-01..2023-03-31"),
        ("last February", "2023-02-01..2023-02-28"),
        ("this February", "2024-02-01..2024-02-29"),
        ("next March", "2024-03-01..2024-03-31"),
        ("im Februar", "2024-02-01..2024-02-29"),
        ("in 2023", "2023-01-01..2023-12-31"),
        ("today", "2024-02-29"),
        ("yesterday", "2024-02-28"),
        ("day before yesterday", "2024-02-27"),
        ("vorgestern", "2024-02-27"),
        ("übermorgen", "2024-03-02"),
        ("avant-hier", "2024-02-27"),
        ("aujourd’hui", "2024-02-29"),
        ("ayer", "2024-02-28"),
        ("last week", "2024-02-19..2024-02-25"),
        ("this week", "2024-02-26..2024-03-03"),
        ("next week", "2024-03-04..2024-03-10"),
        ("past week", "2024-02-23..2024-02-29"),
        ("last 7 days", "2024-02-23..2024-02-29"),
        ("last two weeks", "2024-02-16..2024-02-29"),
        ("letzte Woche", "2024-02-19..2024-02-25"),
        ("semaine dernière", "2024-02-19..2024-02-25"),
        ("semana pasada", "2024-02-19..2024-02-25"),
        ("last month", "2024-01-01..2024-01-31"),
        ("next month", "2024-03-01..2024-03-31"),
        ("last year", "2023-01-01..2023-12-31"),
        ("3 days ago", "2024-02-26"),
        ("two weeks ago", "2024-02-12..2024-02-18"),
        ("vor drei Tagen", "2024-02-26"),
        ("il y a 2 jours", "2024-02-27"),
        ("hace dos meses", "2023-12-01..2023-12-31"),
        ("monday", "2024-02-26"),
        ("thursday", "2024-02-29"),
        ("last thursday", "2024-02-22"),
        ("next thursday", "2024-03-07"),
        ("am Freitag", "2024-02-23"),
        ("january", "2024-01-01..2024-01-31"),
    ],
)
def test_date_is_read_in_every_form(text, expected):
    assert spans(text) == [expected]


def test_date_with_slashes_is_read_both_ways_if_both_are_possible():
    assert spans("05/01/2024") == ["2024-05-01", "2024-01-05"]
    assert spans("5/5/2024") == ["2024-05-05"]
    assert spans("13/13/2024") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "may",
        "march",
        "the march of progress",
        "you may also like",
        "mars rover",
        "august",
        "mayo",
        "sun",
        "mon",
        "mar",
        "1984",
        "2024",
        "2026.4.10",
        "3.11",
        "2024-13",
        "2024-02-30",
        "router 5",
        "week",
        "last",
        "next steps",
        "last chance",
        "may contain nuts",
        "the last day",
        "0000-01-01",
        "9999-12-31x",
        "in the year 0",
        "99999 years ago",
        "10000 days",
    ],
)
def test_other_words_are_no_dates(text):
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "drops_words"),
    [
        ("yesterday", True),
        ("last week", True),
        ("what did I do yesterday?", True),
        ("notes from last week", True),
        ("letzte Woche", True),
        ("last monday", True),
    ],
)
def test_query_that_is_a_relative_date_drops_its_words(text, drops_words):
    assert read(text).is_whole
    assert read(text).drops_words is drops_words


@pytest.mark.parametrize("text", ["January 5th", "2024-01-05", "2024-01", "on January 5th", "in May", "5 March"])
def test_query_that_is_a_calendar_date_keeps_its_words(text):
    assert read(text).is_whole
    assert not read(text).drops_words


@pytest.mark.parametrize("text", ["january", "monday", "april", "standup yesterday", "budget 2024-01", "may", "mai"])
def test_bare_month_or_other_words_make_the_query_more_than_a_date(text):
    assert not read(text).is_whole


def test_day_without_a_year_is_that_day_of_every_year_newest_first():
    found = spans("January 5th")
    assert found[:3] == ["2025-01-05", "2024-01-05", "2023-01-05"]
    assert spans("29 February")[:2] == ["2024-02-29", "2020-02-29"]


def test_several_dates_in_one_query_are_all_read():
    read_text = read("standup 2024-01-05 and yesterday")
    assert [mention.text for mention in read_text.dates] == ["2024-01-05", "yesterday"]


@pytest.mark.parametrize("today", [date.min, date.max])
def test_dates_at_the_ends_of_the_calendar_do_not_raise(today):
    for text in (
        "yesterday tomorrow",
        "last week",
        "next year",
        "12 months ago",
        "January 5th",
        "last 999 years",
        "monday",
    ):
        read(text, today)


@given(st.text(max_size=60), st.dates())
def test_no_text_raises(text, today):
    for mention in read(text, today).dates:
        assert all(span.first <= span.last for span in mention.spans)


WORDS = [
    *("january", "jan", "5th", "5", "2024", "last", "next", "past", "week", "days", "ago", "two", "in", "of", "may"),
    *("yesterday", "monday", "vor", "3", "tagen", "2024-01", "oak", "mai", "il", "y", "a", "jours", "12.", "31"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.dates())
def test_no_sequence_of_date_words_raises(words, today):
    found = read(" ".join(words), today)
    assert not found.is_whole or found.dates


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"months": ["jan"]}, "dates.xx.months"),
        ({"weekdays": [["a"]]}, "dates.xx.weekdays"),
        ({"months": [[""]] * 12}, "dates.xx.months"),
        ({"offsets": {"heri": "x"}}, "dates.xx.offsets.heri"),
        ({"offsets": {"heri": 4000}}, "dates.xx.offsets.heri"),
        ({"offsets": {"heri": -1.0}}, "dates.xx.offsets.heri"),
        ({"offsets": {"heri": True}}, "dates.xx.offsets.heri"),
        ({"offsets": {"heri": False}}, "dates.xx.offsets.heri"),
        ({"ago": 3}, "dates.xx.ago"),
        ({"last": "x"}, "dates.xx.last"),
        ({"units": 3}, "dates.xx.units"),
    ],
)
def test_error_names_the_bad_value(values, where):
    with pytest.raises(ConfigError) as caught:
        read_date_words(TomlTable("dates", {"xx": values}))
    assert caught.value.path == where


def test_language_can_be_added_with_a_few_words():
    latin = read_date_words(TomlTable("dates", {"la": {"offsets": {"heri": -1}}}))
    found = read_dates("heri", today=TODAY, languages=latin)
    assert found.dates[0].spans[0].first == date(2024, 2, 28)
