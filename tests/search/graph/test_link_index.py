"""Links are resolved as in Obsidian, and the index follows every change."""

import unicodedata

import pytest

from search.graph.links import LinkIndex
from search.ids import NoteId
from search.vault.note import Link, Note


def note(id_: str, *targets: str) -> Note:
    return Note(NoteId(id_), id_, links=tuple(Link(target, line) for line, target in enumerate(targets)))


def index_of(*notes: Note) -> LinkIndex:
    index = LinkIndex()
    for each in notes:
        index.update(each)
    return index


COMPOSED = "Phénomène.md"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


@pytest.mark.parametrize(
    ("ids", "source", "target", "expected"),
    [
        # names
        ("todo.md another-todo.md", "n.md", "todo", "todo.md"),
        ("another-todo.md", "n.md", "todo", None),
        ("todo.md a/b/todo.md", "a/b/n.md", "todo", "todo.md"),
        ("x/todo.md a/b/todo.md", "a/b/n.md", "todo", "a/b/todo.md"),
        ("x/todo.md a/b/todo.md", "a/n.md", "todo", "a/b/todo.md"),
        ("x/todo.md a/b/todo.md", "A/n.md", "todo", "a/b/todo.md"),
        ("x/todo.md a/b/todo.md", "ab/n.md", "todo", "x/todo.md"),
        ("todo.md a/b/todo.md", "a/n.md", "todo", "todo.md"),
        ("a/b/todo.md a/todo.md", "a/n.md", "todo", "a/todo.md"),
        ("x/todo.md y/todo.md", "y/n.md", "todo", "y/todo.md"),
        ("x/todo.md y/todo.md", "y/deep/n.md", "todo", "y/todo.md"),
        ("y/todo.md x/todo.md", "n.md", "todo", "x/todo.md"),
        ("ToDo.md", "n.md", "tODO", "ToDo.md"),
        ("Todo.md todo.md", "n.md", "todo", "todo.md"),
        ("Todo.md todo.md", "n.md", "Todo", "Todo.md"),
        ("Todo.md todo.md", "n.md", "TODO", "Todo.md"),
        ("a/Todo.md a/todo.md", "n.md", "todo", "a/todo.md"),
        ("v1..2.md", "n.md", "v1..2", "v1..2.md"),
        ("3.1._Budget.md", "n.md", "3.1._Budget", "3.1._Budget.md"),
        # extensions
        ("todo.md", "n.md", "todo.md", "todo.md"),
        ("todo.markdown", "n.md", "todo", "todo.markdown"),
        ("todo.markdown", "n.md", "todo.md", None),
        ("a/todo.MD", "n.md", "todo", "a/todo.MD"),
        ("x.md.md", "n.md", "x.md", "x.md.md"),
        ("x.md.md x.md", "n.md", "x.md", "x.md"),
        ("a/x.md.md b/x.md", "a/n.md", "x.md", "b/x.md"),
        ("picture.md", "n.md", "picture.png", None),
        # folders
        ("todo.md a/b/todo.md", "n.md", "a/b/todo", "a/b/todo.md"),
        ("todo.md a/b/todo.md", "n.md", "b/todo", "a/b/todo.md"),
        ("aab/todo.md", "n.md", "b/todo", None),
        ("b/todo.md a/b/todo.md", "a/b/n.md", "b/todo", "b/todo.md"),
        ("a/b/todo.md c/b/todo.md", "c/n.md", "B/todo", "c/b/todo.md"),
        # from the source's folder, from the root
        ("todo.md a/todo.md", "a/n.md", "./todo.md", "a/todo.md"),
        ("todo.md a/todo.md", "a/n.md", "../todo", "todo.md"),
        ("todo.md a/todo.md", "a/n.md", "../A/todo", "a/todo.md"),
        ("todo.md a/todo.md", "a/n.md", "/todo", "todo.md"),
        ("a/todo.md", "n.md", "/todo", None),
        ("a/todo.md", "n.md", "./todo", None),
        ("todo.md", "a/n.md", "../../todo", None),
        ("a/todo.md", "n.md", "a/b/../todo", "a/todo.md"),
        ("a/todo.md", "n.md", "/a/./todo", "a/todo.md"),
        # other spellings, only if none is as written
        ("a/b/todo.md", "n.md", "b\\todo", "a/b/todo.md"),
        ("a/todo.md", "n.md", "\\a\\todo", "a/todo.md"),
        ("a/todo.md", "b/n.md", "..\\a\\todo", "a/todo.md"),
        ("c\\todo.md c/todo.md", "n.md", "c\\todo", "c\\todo.md"),
        ("My~Note.md", "n.md", "My%20Note", "My Note.md"),
        ("My%20Note.md My~Note.md", "n.md", "My%20Note", "My%20Note.md"),
        ("a/My~Note.md", "n.md", "/a/My%20Note.md", "a/My Note.md"),
        ("b/a/My~Note.md", "n.md", "/a/My%20Note.md", None),
        ("100%.md", "n.md", "100%", "100%.md"),
        ("Don’t.md", "n.md", "Don't", "Don’t.md"),
        ("Don't.md", "n.md", "a/Don’t", None),
        ("a/Don't.md", "n.md", "a/Don’t", "a/Don't.md"),
        ("Don't.md Don’t.md", "n.md", "Don’t", "Don’t.md"),
        ("A~B.md", "n.md", "A\u00a0B", "A B.md"),
        ("A~B.md x/A~B.md", "x/n.md", "A\u00a0B", "A B.md"),
        ("A~B.md x/A~B.md", "x/n.md", "x/A\u00a0B", "x/A B.md"),
        ("z/far.md", "n.md", "z//far", "z/far.md"),
        ("z/far.md y/far.md", "y/n.md", "//z//far.md", "z/far.md"),
        ("2019–20.md", "n.md", "2019-20", "2019–20.md"),
        ("soft\u00adware.md", "n.md", "software", "soft\u00adware.md"),
        # no notes
        ("a.md", "a/n.md", "..", None),
        ("a.md", "n.md", "a/", None),
        ("a.md", "n.md", ".", None),
        ("a.md", "n.md", "/", None),
        ("a.md", "n.md", "\0", None),
        ("a.md n.md", "n.md", "", "n.md"),
        ("a.md", "n.md", "", None),
    ],
)
def test_a_link_leads_to_the_same_note_as_in_obsidian(ids, source, target, expected):
    index = index_of(*(note(id_.replace("~", " ")) for id_ in ids.split()))
    assert index.resolve(NoteId(source), target) == expected


@pytest.mark.parametrize(("file", "link"), [(DECOMPOSED, "Phénomène"), (COMPOSED, DECOMPOSED[:-3])])
@pytest.mark.parametrize("folder", ["", "a/"])
def test_unicode_composition_does_not_count(file, link, folder):
    index = index_of(note(folder + file), note("n.md", link))
    assert index.outlinks(NoteId("n.md")) == (folder + file,)
    assert index.backlinks(NoteId(folder + file)) == {"n.md"}


def test_accents_count():
    index = index_of(note(COMPOSED), note("n.md", "Phenomene"))
    assert index.outlinks(NoteId("n.md")) == ()


def test_aliases_and_titles_are_no_targets():
    index = index_of(Note(NoteId("a.md"), "Title", aliases=("alias",)), note("n.md", "alias", "Title"))
    assert index.outlinks(NoteId("n.md")) == ()


def test_three_links_to_one_note_count_once_and_self_links_never():
    index = index_of(note("todo.md", "todo", ""), note("a/b/todo.md"), note("n.md", "todo", "/todo", "./todo.md", "n"))
    assert index.outlinks(NoteId("n.md")) == ("todo.md",)
    assert index.outlinks(NoteId("todo.md")) == ()
    assert index.backlinks(NoteId("todo.md")) == {"n.md"}
    assert index.backlinks(NoteId("a/b/todo.md")) == frozenset()


def test_outlinks_come_in_the_order_of_the_links():
    index = index_of(note("a.md"), note("b.md"), note("n.md", "b", "nowhere", "a", "b"))
    assert index.outlinks(NoteId("n.md")) == ("b.md", "a.md")


def test_unknown_notes_have_no_links_and_can_be_removed():
    index = index_of(note("n.md", "never written"))
    assert index.outlinks(NoteId("gone.md")) == ()
    assert index.backlinks(NoteId("never written.md")) == frozenset()
    index.remove(NoteId("gone.md"))
    assert len(index) == 1
    assert "n.md" in index
    assert "gone.md" not in index


def test_a_link_written_before_its_note_counts_as_soon_as_the_note_exists():
    index = index_of(note("n.md", "later"))
    index.update(note("later.md"))
    assert index.backlinks(NoteId("later.md")) == {"n.md"}


def test_a_nearer_note_takes_over_a_link_and_gives_it_back():
    index = index_of(note("n.md", "todo"), note("a/todo.md"))
    assert index.backlinks(NoteId("a/todo.md")) == {"n.md"}
    index.update(note("todo.md"))
    assert index.backlinks(NoteId("a/todo.md")) == frozenset()
    assert index.backlinks(NoteId("todo.md")) == {"n.md"}
    index.remove(NoteId("todo.md"))
    assert index.backlinks(NoteId("a/todo.md")) == {"n.md"}


def test_a_changed_link_to_another_note_of_the_same_name_is_followed():
    index = index_of(note("n.md", "a/x"), note("a/x.md"), note("b/x.md"), note("y.md"))
    assert index.backlinks(NoteId("a/x.md")) == {"n.md"}
    index.update(note("n.md", "b/x", "y"))
    assert index.backlinks(NoteId("a/x.md")) == frozenset()
    assert index.backlinks(NoteId("b/x.md")) == index.backlinks(NoteId("y.md")) == {"n.md"}
    index.update(note("n.md"))
    assert index.backlinks(NoteId("b/x.md")) == index.backlinks(NoteId("y.md")) == frozenset()


def test_an_index_is_empty_after_all_notes_are_removed():
    notes = [note("a.md", "b", "B"), note("A.md", "b"), note("c/b.md", "a")]
    index = index_of(*notes)
    for each in notes:
        index.backlinks(each.id)
    for each in notes:
        index.remove(each.id)
    assert not any((index._targets, index._at_path, index._named, index._linking))
