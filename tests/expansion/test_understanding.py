"""What a query means in addition to its words: all ideas together, over a small vault."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.analysis.tokens import tokens
from search.budget import UNLIMITED
from search.execution.understanding import Idea
from search.ids import NoteId
from search.index.names import NameIndex
from search.notice import Notice, NoticeKind
from search.query import Understood
from search.syntax import parse
from search.vault.daily import DailyNotes
from search.vault.markdown import parse_note

NOW = datetime(2024, 1, 10, 12, tzinfo=UTC).timestamp()
ALL = frozenset(Idea) - {Idea.KINDS}


class Vault:
    """A vault as query understanding sees it."""

    def __init__(self, **texts):
        self.texts = {NoteId(f"{name.replace('__', '/')}.md"): text for name, text in texts.items()}
        self.notes = {name: parse_note(name, text).note for name, text in self.texts.items()}
        self.names = NameIndex()
        for note in self.notes.values():
            self.names.update(note)

    def resolve_link(self, name):
        """The note with this file name."""
        return NoteId(f"{name}.md") if f"{name}.md" in self.notes else None

    def notes_named(self, name):
        """The notes with this name, title or alias."""
        return self.names.notes_named(name)

    def notes_with_token(self, token, at_most):
        """The notes with a token."""
        found = frozenset(name for name, text in self.texts.items() if token in tokens(text))
        return found if len(found) <= at_most else None

    def text_of(self, note):
        """A note's text."""
        return self.texts[note]

    def daily_notes(self):
        """The default settings of Obsidian."""
        return DailyNotes()


VAULT = Vault(
    **{
        "2024-01-09": "stood up",
        "Router": "---\naliases: [the box]\ntags: [net]\n---\nlinks",
        "Lan": "---\ntags: [net/lan]\n---\ncables",
        "adr__Use_RRF": "We take Reciprocal Rank Fusion (RRF).",
        "Yesterday_song": "---\ntitle: Last Week\n---\nbeatles",
    }
)


def understood(text, wanted=ALL, vault=VAULT, **options):
    return Understanding(lexicon(), zone=UTC, **options)(parse(text), vault, wanted, NOW, UNLIMITED)


def test_links_are_pinned_in_order_and_notes_of_tags_share_the_place_after_them():
    found = understood("#net [[the box]] [[Lan]]")
    assert [(pin.note, pin.place) for pin in found.pins] == [("Router.md", 0), ("Lan.md", 1)]
    found = understood("#net")
    assert {(pin.note, pin.place) for pin in found.pins} == {("Router.md", 0), ("Lan.md", 0)}


def test_unknown_tag_gives_a_notice_and_a_link_to_a_missing_note_does_not():
    found = understood("#nett [[nobody]] cables")
    assert [notice.message for notice in found.notices] == ["There is no tag ‘nett’; similar: net."]
    assert not found.pins


def test_note_named_after_the_date_comes_before_the_notes_of_that_time():
    vault = Vault(**{"2024-01": "the month", "2024-01-09": "stood up", "2024-02": "another month"})
    assert [(pin.note, pin.place) for pin in understood("2024-01", vault=vault).pins] == [
        ("2024-01.md", 0),
        ("2024-01-09.md", 1),
    ]


def test_query_that_is_a_relative_date_searches_for_nothing_else():
    found = understood("what did I do yesterday?")
    assert found.is_only_date
    assert [(one.note, one.why) for one in found.dated] == [("2024-01-09.md", "daily note of 2024-01-09 (yesterday)")]


def test_words_are_searched_if_a_note_has_that_name():
    found = understood("last week")
    assert not found.is_only_date


def test_notes_of_a_calendar_date_are_pinned_and_its_words_are_searched():
    found = understood("January 9th")
    assert not found.is_only_date
    assert [pin.note for pin in found.pins] == ["2024-01-09.md"]


def test_date_next_to_other_words_pins_nothing():
    found = understood("standup yesterday")
    assert not found.is_only_date
    assert not found.pins
    assert found.dated[0].is_named


def test_quoted_words_are_no_date():
    assert not understood('"yesterday"').dated


def test_intent_boosts_kinds_and_weighs_sources():
    found = understood("which decision and why")
    assert found.intent == "find_decision (decision, why)"
    assert found.kind_factors["decision"] == 1.3
    assert found.source_factors["activation"] == 1.2
    assert found.kinds_of(NoteId("adr/Use_RRF.md")) == {"decision"}
    assert found.kinds_of(NoteId("gone.md")) == frozenset()


def test_acronym_adds_its_meaning():
    (meaning,) = understood("RRF").expansions
    assert (meaning.typed, meaning.text) == ("RRF", "reciprocal rank fusion")


@pytest.mark.parametrize("text", ["router", "may", "", "(", "tag:net"])
def test_most_queries_mean_nothing_more_than_their_words(text):
    assert understood(text) == Understood()


def test_only_wanted_ideas_are_used():
    text = "#net RRF decision why yesterday"
    assert understood(text, wanted=frozenset()) == Understood()
    pins = understood(text, wanted=frozenset({Idea.PINS}))
    assert pins.pins
    assert (pins.dated, pins.expansions, pins.intent) == ((), (), "")


def test_every_answer_repeats_the_notices():
    notice = Notice(NoticeKind.DEGRADED, "bad-data", "x")
    assert understood("oak", notices=(notice,)).notices == (notice,)


def test_clock_outside_the_calendar_reads_no_dates():
    found = Understanding(lexicon(), zone=UTC)(parse("yesterday"), VAULT, ALL, 1e300, UNLIMITED)
    assert not found.dated


@given(st.text(max_size=80))
def test_no_query_raises(text):
    assert all(notice.code.startswith("unknown-") for notice in understood(text).notices)  # `#A` is no tag here
