"""A link to a block has a place also where the lines and the note do not agree."""

from search.graph.places import Places
from search.ids import NoteId
from search.vault.note import Heading, Link, Note

ON_BLOCK = Link("a", 0, block="mark")


def test_a_marked_heading_that_the_note_does_not_have_is_one_line():
    older = Note(NoteId("a.md"), "a", n_lines=1)  # the file got its heading since it was read
    assert Places(older, lambda: ["oaks", "", "# Acorns ^mark", "text"]).lines_of(ON_BLOCK) == (2, 3)


def test_a_marked_heading_has_the_lines_of_its_section():
    note = Note(NoteId("a.md"), "a", n_lines=4, headings=(Heading(1, "Acorns ^mark", 2),))
    assert Places(note, lambda: ["oaks", "", "# Acorns ^mark", "text"]).lines_of(ON_BLOCK) == (2, 4)
