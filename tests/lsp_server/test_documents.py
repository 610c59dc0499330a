"""Text synchronization: the server's text is the editor's, character for character."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from lsp_server.documents import Document, Documents, read_lines
from lsp_server.wire.lines import PositionEncoding, split_lines, to_index
from search.ids import NoteId
from tests.kit.platforms import needs_named_pipes

UTF16 = PositionEncoding.UTF16


def change(start, end, text):
    return lsp.TextDocumentContentChangePartial(
        range=lsp.Range(start=lsp.Position(*start), end=lsp.Position(*end)), text=text
    )


def opened(text, uri="file:///vault/note.md"):
    documents = Documents()
    documents.open(lsp.TextDocumentItem(uri=uri, language_id="markdown", version=1, text=text))
    return documents


def check(before, edit, after, encoding=UTF16):
    documents = opened(before)
    assert documents.change("file:///vault/note.md", 2, [edit], encoding)
    document = documents.get("file:///vault/note.md")
    assert document.text == after
    assert list(document.lines) == split_lines(after)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("", change((0, 0), (0, 0), "hello"), "hello"),
        ("one\ntwo\nthree", change((1, 0), (1, 3), "2"), "one\n2\nthree"),
        ("one\ntwo\nthree", change((0, 3), (2, 0), " "), "one three"),
        ("one\r\ntwo\rthree", change((2, 0), (2, 0), "x"), "one\r\ntwo\rxthree"),
        ("a\rb\nc", change((1, 0), (1, 1), ""), "a\r\nc"),
        ("a\rc", change((1, 0), (1, 0), "\n"), "a\r\nc"),
        ("a\r", change((1, 0), (1, 0), "\n"), "a\r\n"),
        ("zebra\u2028sep 😀 end\nnext", change((0, 12), (0, 12), "!"), "zebra\u2028sep 😀! end\nnext"),
        ("a\x85b\x0cc\x0bd\u2029e\nsecond", change((1, 0), (1, 6), "2nd"), "a\x85b\x0cc\x0bd\u2029e\n2nd"),
        ("no end", change((0, 999), (0, 999), "!"), "no end!"),
        ("line\nno end", change((9, 0), (9, 5), "!"), "line\nno end!"),
        ("short\nlong line", change((0, 99), (1, 0), ""), "shortlong line"),
        ("swapped", change((0, 4), (0, 2), "X"), "swXped"),
        ("all", lsp.TextDocumentContentChangeWholeDocument(text="new\r\ntext"), "new\r\ntext"),
    ],
)
def test_an_edit_results_in_the_editor_s_text(before, edit, after):
    check(before, edit, after)


@pytest.mark.parametrize(
    ("encoding", "column"),
    [(PositionEncoding.UTF8, 7), (PositionEncoding.UTF16, 4), (PositionEncoding.UTF32, 3)],
    ids=str,
)
def test_columns_count_in_the_agreed_encoding(encoding, column):
    check("é😀x", change((0, column - 1), (0, column), "y"), "é😀y", encoding)


def test_a_column_inside_a_character_means_its_beginning():
    check("😀", change((0, 1), (0, 1), "x"), "x😀")


TEXT = st.text(st.sampled_from("ab😀é\r\n\u2028\x85\x0c"), max_size=25)


PLACE = st.tuples(st.integers(0, 6), st.integers(0, 8))


def naive_offset(text, line, column, encoding):
    starts, at = [0], 0
    while at < len(text):
        step = 2 if text.startswith("\r\n", at) else 1
        if text[at] in "\r\n":
            starts.append(at + step)
        at += step
    if line >= len(starts):
        return len(text)
    end = starts[line]
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    return starts[line] + to_index(text[starts[line] : end], column, encoding)


@given(TEXT, st.lists(st.tuples(PLACE, PLACE, TEXT), max_size=4), st.sampled_from(list(PositionEncoding)))
def test_edits_agree_with_edits_of_a_single_string(text, edits, encoding):
    """The reference implementation finds offsets by walking through the whole text."""
    document = Document("file:///n.md", 1, text)
    for start, end, new in edits:
        low, high = sorted((naive_offset(text, *start, encoding), naive_offset(text, *end, encoding)))
        text = text[:low] + new + text[high:]
        document = document.edited(change(start, end, new), 2, encoding)
    assert document.text == text
    assert list(document.lines) == split_lines(text)


def test_an_edit_of_a_big_note_touches_only_its_line(monkeypatch):
    """Untouched lines are the same objects, and only the edited line is split again."""
    big = "".join(f"line {n} of a big note 😀\n" for n in range(50_000))
    document = Document("file:///n.md", 1, big)
    assert len(document.lines) == 50_001
    split = []
    monkeypatch.setattr("lsp_server.documents.split_lines", lambda text: split.append(text) or split_lines(text))
    edited = document.edited(change((25_000, 0), (25_000, 4), "LINE"), 2, UTF16)
    assert split == []
    edited.lines  # noqa: B018 - computes them
    assert split == ["LINE 25000 of a big note 😀\n"]
    assert all(old is new for old, new in zip(document.lines, edited.lines, strict=True) if not new.startswith("LINE"))


def test_changes_apply_in_their_order_and_keep_the_version():
    documents = opened("ab")
    documents.change("file:///vault/note.md", 7, [change((0, 0), (0, 0), "x"), change((0, 1), (0, 2), "")], UTF16)
    assert documents.get("file:///vault/note.md").text == "xb"
    assert documents.get("file:///vault/note.md").version == 7


def test_a_change_to_a_text_that_is_not_open_is_refused():
    assert not Documents().change("file:///vault/note.md", 2, [change((0, 0), (0, 0), "x")], UTF16)


def test_differently_spelled_uris_of_a_file_are_one_document():
    documents = opened("text", "file:///vault/a%20b.md")
    assert documents.get("file:///vault/a b.md").text == "text"
    documents.close("file:///vault/./a%20b.md")
    assert list(documents) == []
    documents.close("file:///vault/never-open.md")


def test_an_untitled_text_has_no_path():
    documents = opened("draft", "untitled:Untitled-1")
    assert documents.get("untitled:Untitled-1").path is None


def test_a_byte_order_mark_takes_no_column():
    assert opened("\ufeffabc").get("file:///vault/note.md").text == "abc"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"\xef\xbb\xbfone\r\ntwo", ("one\r\n", "two")),
        (b"caf\xe9\n", ("café\n", "")),
        (b"0123456789abcdef", ("0123456789",)),
    ],
)
def test_every_note_can_be_read_for_columns(tmp_path, content, lines):
    (tmp_path / "note.md").write_bytes(content)
    (tmp_path / "link.md").symlink_to("note.md")
    for note in ("note.md", "link.md"):
        assert read_lines(tmp_path, NoteId(note), limit_bytes=10 if lines == ("0123456789",) else 100) == lines


def test_what_is_no_note_of_the_vault_has_no_lines(tmp_path: Path):
    vault = tmp_path / "vault"
    vault.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (vault / ".#note.md").symlink_to("user@host.1051")
    (vault / "out.md").symlink_to("../secret.md")
    (vault / "folder").symlink_to("..")
    for note in (".#note.md", "gone.md", ".", "out.md", "folder/secret.md"):
        assert read_lines(vault, NoteId(note), limit_bytes=10) == ()


@needs_named_pipes
def test_a_pipe_named_like_a_note_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    assert read_lines(tmp_path, NoteId("pipe.md"), limit_bytes=10) == ()


def test_edits_are_applied_when_the_lines_are_first_needed(monkeypatch):
    """The event loop applies nothing, however long the text is; a worker applies all edits in their order."""
    split = []
    monkeypatch.setattr("lsp_server.documents.split_lines", lambda text: split.append(text) or split_lines(text))
    documents = opened("ab")
    for version in range(2, 3_000):
        documents.change("file:///vault/note.md", version, [change((0, 1), (0, 1), "x")], UTF16)
    assert split == []
    assert documents.get("file:///vault/note.md").text == f"a{'x' * 2_998}b"


@pytest.mark.parametrize("size", [10, 300_000])
@pytest.mark.parametrize("unit", ["\n", "oak\n", "oak\ntree", "oak"])
def test_long_text_is_split_like_a_short_one(unit, size):
    text = unit * size
    assert split_lines(text) == [line + "\n" for line in text.split("\n")[:-1]] + [text.split("\n")[-1]]
