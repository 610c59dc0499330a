"""What a parser sent is not trusted: whatever it is, the note has places in its text and short names."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.vault.attachments.extracted import (
    MAX_CHARS,
    MAX_HEADINGS,
    MAX_JSON,
    MAX_PAGES,
    Extracted,
    TextBuilder,
    is_from_json,
    one_line,
    to_json,
)
from search.vault.file import parse_text
from search.vault.kinds.attachment import read_attachment

WHOLE = {
    "text": "oak\nelm",
    "title": "Trees",
    "author": "A. Corn",
    "headings": [[1, "Elm", 1]],
    "pages": [[0, "i"], [1, ""]],
    "size": [640, 480],
    "lost": [],
    "problem": "",
}


def read(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return parse_text(NoteId("a/x.pdf"), text, modified=0.0, size_bytes=9)


def test_a_note_has_all_that_was_found():
    found = read(WHOLE)
    assert (found.body, found.note.title) == ("oak\nelm", "Trees")
    assert found.note.properties == (("author", ("A. Corn",)), ("width", ("640",)), ("height", ("480",)))
    assert [(heading.text, heading.line) for heading in found.note.headings] == [("Elm", 1)]
    assert [found.note.page_at(line) for line in (0, 1, 9)] == [(1, "i"), (2, "2"), (2, "2")]
    assert found.notices == ()


def test_a_file_that_is_not_extracted_yet_has_its_name_and_no_notice():
    found = read("")
    assert (found.note.title, found.body, found.notices) == ("x", "", ())


SOUND = json.dumps(WHOLE)
HOSTILE = {
    "a list": "[]",
    "a number": "1",
    "cut off": SOUND[:-1],
    "more behind it": f"{SOUND} ",
    "deep lists": "[" * 100_000,
    "deep objects": '{"a": ' * 100_000,
    "deep in a field": SOUND.replace("[]", f"[{'[' * 100_000}"),
    "a number of many digits": SOUND.replace("[[0", f"[[{'9' * 5_000}"),
    "a negative line": SOUND.replace("[[0", "[[-1"),
    "a line that is no whole number": SOUND.replace("[[0", "[[1e9"),
    "no number": SOUND.replace("[[0", "[[NaN"),
    "a lone surrogate": SOUND.replace("Trees", "\\ud800"),
    "an escape of another kind": SOUND.replace("Trees", "\\x00"),
    "a control character": SOUND.replace("Trees", "\0"),
    "a size of one side": SOUND.replace("[640, 480]", "[640]"),
    "a field more": SOUND.replace("}", ', "more": []}'),
    "a field twice": SOUND.replace("}", ', "problem": ""}'),
    "a field less": SOUND.replace(', "lost": []', ""),
    "millions of lists": SOUND.replace('"lost": []', f'"lost": [{"[], " * 2_000_000}[]]'),
    "more headings than allowed": SOUND.replace('[[1, "Elm", 1]]', json.dumps([[1, "", 1]] * 20_001)),
    "more pages than allowed": json.dumps(WHOLE | {"pages": [[0, ""]] * 10_001}),
    "more reasons than allowed": json.dumps(WHOLE | {"lost": [""] * 6}),
    "more characters than allowed": json.dumps(WHOLE | {"text": "x" * MAX_JSON}),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_no_sound_parser_sends_is_a_problem_of_the_file_and_not_decoded(text, monkeypatch):
    assert text != SOUND
    monkeypatch.setattr("json.loads", lambda *_: pytest.fail("decoded"))
    found = read(text)
    assert [notice.code for notice in found.notices] == ["file-unread"]


CAPTIONS = st.text(max_size=9).map(one_line)
LINES = st.integers(0, 9)


@given(
    st.builds(
        Extracted,
        text=st.text(max_size=40).map(lambda text: "".join(char for char in text if not "\ud800" <= char <= "\udfff")),
        title=CAPTIONS,
        author=CAPTIONS,
        headings=st.lists(st.tuples(st.integers(1, 6), CAPTIONS, LINES)).map(tuple),
        pages=st.lists(st.tuples(LINES, CAPTIONS)).map(tuple),
        size=st.sampled_from([(), (640, 480)]),
        lost=st.lists(CAPTIONS, max_size=5).map(tuple),
        problem=CAPTIONS,
    )
)
def test_what_a_sound_parser_sends_is_read(found):
    text = to_json(found)
    assert is_from_json(text)
    assert read_attachment(text).title == found.title


def test_the_largest_text_with_the_most_headings_is_within_the_limit():
    builder = TextBuilder()
    builder.add("\U0001f333" * MAX_CHARS)
    for _ in range(MAX_HEADINGS):
        builder.add_heading(6, "\U0001f333" * 49, MAX_CHARS)
    for _ in range(MAX_PAGES):
        builder.add_page("\U0001f333\U0001f333")
    text = to_json(builder.extracted(title="\U0001f333" * 300, author="\U0001f333" * 300))
    assert is_from_json(text)
    assert len(text.encode()) <= MAX_JSON


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
