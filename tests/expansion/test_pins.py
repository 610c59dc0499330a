"""Links and tags in a query, and the notes that they name."""

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
def test_links_and_tags_in_a_query(text, links, tags):
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


def test_link_pins_its_note_and_tag_pins_its_notes_newest_first():
    assert pins("#net [[Router]]") == [
        ("Router.md", "named by [[Router]]"),
        ("new.md", "tagged #net"),
        ("old.md", "tagged #net"),
    ]


def test_link_to_no_file_may_be_an_alias():
    names = {"the box": {NoteId("b.md"), NoteId("a.md")}}
    assert pins("[[the box]]", notes_named=names.__getitem__) == [
        ("a.md", "named by [[the box]]"),
        ("b.md", "named by [[the box]]"),
    ]


@pytest.mark.parametrize("text", ["[[nothing]]", "#nobody", "oak"])
def test_unknown_link_or_tag_pins_nothing(text):
    assert pins(text) == []


def test_tag_of_all_notes_pins_a_limited_number():
    notes = {NoteId(f"{at}.md"): Note(NoteId(f"{at}.md"), "x", tags=("all",)) for at in range(500)}
    assert len(pinned_notes(named_in("#all"), notes, resolve_link=lambda _: None)) == MAX_PINS


@given(st.text(alphabet='[]#|^!- "ab1/_\n', max_size=40))
def test_no_text_raises(text):
    named = named_in(text)
    assert all(name == name.strip() and name for name in named.links)
