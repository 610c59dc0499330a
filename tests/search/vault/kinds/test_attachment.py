"""What a parser sent is not trusted: whatever it is, the note has places in its text and short names."""

import json

import pytest

from search.ids import NoteId
from search.vault.file import parse_text

WHOLE = {
    "text": "oak\nelm",
    "title": "Trees",
    "author": "A. Corn",
    "headings": [[1, "Elm", 1]],
    "pages": [[0, "i"], [1, ""]],
    "lost": [],
    "problem": "",
}


def read(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return parse_text(NoteId("a/x.pdf"), text, modified=0.0, size_bytes=9)


def test_a_note_has_all_that_was_found():
    found = read(WHOLE)
    assert (found.body, found.note.title, found.note.properties) == ("oak\nelm", "Trees", (("author", ("A. Corn",)),))
    assert [(heading.text, heading.line) for heading in found.note.headings] == [("Elm", 1)]
    assert [found.note.page_at(line) for line in (0, 1, 9)] == [(1, "i"), (2, "2"), (2, "2")]
    assert found.notices == ()


def test_a_file_that_is_not_extracted_yet_has_its_name_and_no_notice():
    found = read("")
    assert (found.note.title, found.body, found.notices) == ("x", "", ())


@pytest.mark.parametrize("text", ["[]", "1", "{", "[" * 100_000, '{"text": ', "\0"])
def test_other_json_is_a_problem_of_the_file(text):
    found = read(text)
    assert [notice.code for notice in found.notices] == ["file-unread"]


@pytest.mark.parametrize("field", WHOLE)
@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        "x" * 9_999,
        [],
        {},
        [[]],
        [[1, "x", 99]],
        [[9, "x", 0]],
        [["1", 2, 3]],
        [[1, ""], [0, ""]],
        [[-1, ""]],
        [[0, "x\n" * 999]],
    ],
)
def test_wrong_values_are_left_out(field, value):
    note = read(WHOLE | {field: value}).note
    assert all(0 <= heading.line < note.n_lines and 1 <= heading.level <= 6 for heading in note.headings)
    assert [line for line, _ in note.pages] == sorted({line for line, _ in note.pages})
    assert len(note.title) <= 300
    assert all(len(label) <= 300 and "\n" not in label for _, label in note.pages)
    assert note.title
