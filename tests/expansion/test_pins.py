"""Notes and tags that a query names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.pins import MAX_PINS, named_in, pinned_notes
from search.ids import NoteId
from search.vault.note import Note


@pytest.mark.parametrize(
    ("text", "links", "tags"),
    [
        ("[[Router]]", ["Router"], []),
        ("reset [[ Router#Setup|the box ]] now", ["Router"], []),
        ("[[a/b^block]] [[a/b]]", ["a/b"], []),
        ("![[image]]", ["image"], []),
        ("#net/lan speed", [], ["net/lan"]),
        ("#2024-plan", [], ["2024-plan"]),
        ("#ärger #知識", [], ["ärger", "知識"]),
        ("-#work -[[Router]]", [], []),
        ('"#work" "[[Router]]"', [], []),
        ("C# F# #1 #123 # ##x x#y [[]] [[ ]] [x] [[a", [], []),
        ("tag:#work", [], []),
        ("", [], []),
    ],
)
def test_what_is_named(text, links, tags):
    assert named_in(text).links == tuple(links)
    assert named_in(text).tags == tuple(tags)


NOTES = {
    note.id: note
    for note in (
        Note(NoteId("Router.md"), "Router"),
        Note(NoteId("old.md"), "old", tags=("Net",), modified=1.0),
        Note(NoteId("new.md"), "new", tags=("net/lan", "x"), modified=2.0),
        Note(NoteId("other.md"), "other", tags=("network",)),
    )
}


def pins(text, notes_named=lambda _: ()):
    found = pinned_notes(
        named_in(text), NOTES, resolve_link={"Router": NoteId("Router.md")}.get, notes_named=notes_named
    )
    return [(pin.note, pin.why) for pin in found]


def test_a_link_pins_its_note_and_a_tag_its_notes_the_newest_first():
    assert pins("#net [[Router]]") == [
        ("Router.md", "named by [[Router]]"),
        ("new.md", "tagged #net"),
        ("old.md", "tagged #net"),
    ]


def test_a_link_that_leads_nowhere_may_be_an_alias():
    assert pins(
        "[[the box]]", notes_named=lambda name: {NoteId("b.md"), NoteId("a.md")} if name == "the box" else ()
    ) == [
        ("a.md", "named by [[the box]]"),
        ("b.md", "named by [[the box]]"),
    ]


@pytest.mark.parametrize("text", ["[[nothing]]", "#nobody", "oak"])
def test_what_there_is_not_pins_nothing(text):
    assert pins(text) == []


def test_a_tag_that_everybody_carries_pins_a_bounded_number():
    notes = {NoteId(f"{at}.md"): Note(NoteId(f"{at}.md"), "x", tags=("all",)) for at in range(500)}
    assert len(pinned_notes(named_in("#all"), notes, resolve_link=lambda _: None)) == MAX_PINS


@given(st.text(alphabet='[]#|^!- "ab1/_\n', max_size=40))
def test_no_text_fails(text):
    named = named_in(text)
    assert all(name == name.strip() and name for name in named.links)
