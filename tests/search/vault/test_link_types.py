"""The type of a link: embed, plain, or the name of its property or Dataview field."""

import pytest

from search.graph.links import LinkIndex
from search.ids import NoteId
from search.vault.markdown import parse_note

CASES = [
    ("[[a]]", "a plain"),
    ("![[a]]", "a embed"),
    ("[shown](a.md)", "a.md plain"),
    ("---\nup: [[a]]\n---\n", "a up"),
    ('---\nUp: "[[a]]"\n---\n', "a up"),
    ("---\nup: [[a]], [[b]]\n---\n", "a up, b up"),
    ("---\nup:\n  - [[a]]\n  - '[[b]]'\n---\n", "a up, b up"),
    ("up:: [[a]]", "a up"),
    ("up::[[a]]", "a up"),
    ("up:: [[a]], ![[b]] and [c](c.md)\n[[d]]", "a up, b up, c.md up, d plain"),
    ("- **Next step**:: [[a]]", "a next step"),
    ("> - [x] done:: [[a]]", "a done"),
    ("told [by:: [[a]]] in [[b]]", "a by, b plain"),
    ("told (by:: [[a]] and [[b]]) in [[c]]", "a by, b by, c plain"),
    ("std::vector of [[a]]", "a plain"),
    ("see a::b [[a]]", "a plain"),
    (":: [[a]]", "a plain"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_type_of_a_link_is_its_field_or_how_it_is_written(text, expected):
    links = parse_note(NoteId("n.md"), text).note.links
    assert ", ".join(f"{link.target} {link.type}" for link in links) == expected


def index_of(**texts: str) -> LinkIndex:
    index = LinkIndex()
    for name, text in texts.items():
        index.update(parse_note(NoteId(f"{name}.md"), text).note)
    return index


def test_the_link_index_has_all_types_of_links_between_two_notes():
    index = index_of(oak="up:: [[elm]]\n[[elm.md]] ![[ash]] [[fir]]", elm="", ash="", fir="")
    oak = NoteId("oak.md")
    assert index.types(oak, NoteId("elm.md")) == {"up", "plain"}
    assert index.types(oak, NoteId("ash.md")) == {"embed"}
    assert index.types(oak, NoteId("fir.md")) == {"plain"}
    assert index.types(NoteId("elm.md"), oak) == frozenset()


def test_an_edit_that_changes_only_the_type_of_a_link_updates_the_link_index():
    index = index_of(oak="up:: [[elm]]", elm="")
    index.update(parse_note(NoteId("oak.md"), "[[elm]]").note)
    assert index.types(NoteId("oak.md"), NoteId("elm.md")) == {"plain"}
    index.remove(NoteId("oak.md"))
    assert index.types(NoteId("oak.md"), NoteId("elm.md")) == frozenset()


def test_links_follow_notes_that_are_added_and_removed():
    index = index_of(oak="[[elm]]")
    oak, elm = NoteId("oak.md"), NoteId("elm.md")
    assert index.outlinks(oak) == ()
    index.update(parse_note(elm, "").note)
    assert index.outlinks(oak) == (elm,)
    index.update(parse_note(NoteId("x/elm.md"), "").note)
    index.remove(elm)
    assert index.outlinks(oak) == (NoteId("x/elm.md"),)
