"""Reading files and detecting their encoding."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.vault.reader import decode, read_bytes
from tests.kit.platforms import needs_named_pipes

TEXT = "Ça va, naïve Ελλάδα? 中文"


@pytest.mark.parametrize(
    ("data", "text", "problem"),
    [
        (b"", "", ""),
        (TEXT.encode(), TEXT, ""),
        (TEXT.encode("utf-8-sig"), TEXT, ""),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), TEXT, ""),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), TEXT, ""),
        (b"\xff\xfe\0\0" + TEXT.encode("utf-32-le"), TEXT, ""),
        (b"\0\0\xfe\xff" + TEXT.encode("utf-32-be"), TEXT, ""),
        (b"\xff\xfe\0\0A\0", "\0A", ""),
        (b"\xff\xfeA\0B", "A\ufffd", "damaged utf-16-le"),
        ("plain text".encode("utf-16-le"), "plain text", "read as utf-16-le"),
        ("plain text".encode("utf-16-be"), "plain text", "read as utf-16-be"),
        (b"a\0b", "a\0b", ""),
        (b"lone \xed\xa0\x80", "lone \ud800", ""),
        ("größer, schöner".encode() + b" \xff", "größer, schöner \ufffd", "damaged utf-8"),
    ],
)
def test_the_encoding_is_detected(data, text, problem):
    decoded = decode(data)
    assert (decoded.text, decoded.problem) == (text, problem)


def test_the_guessed_encoding_of_a_legacy_note_is_reported():
    text = "Der Käufer möchte für die Straße größere Bäume, und zwar schöne, alte Bäume über dem Fluß. " * 5
    decoded = decode(text.encode("cp1252"))
    assert "Straße größere Bäume" in decoded.text
    assert decoded.problem.startswith("read as ")


@given(st.binary(max_size=200))
def test_decoding_never_raises(data):
    assert isinstance(decode(data).text, str)


def test_a_file_is_read_up_to_the_limit(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"x" * 5000)
    data, info = read_bytes(str(path), limit=100)
    assert (data, info.st_size) == (b"x" * 100, 5000)
    assert read_bytes(str(path), limit=10_000)[0] == b"x" * 5000


def test_a_file_that_needs_several_reads_is_read_in_full(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_bytes(b"abcdefg")
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, n_bytes: real(descriptor, min(n_bytes, 3)))
    assert read_bytes(str(path), limit=100)[0] == b"abcdefg"
    assert read_bytes(str(path), limit=5)[0] == b"abcde"


@pytest.mark.parametrize("kind", [pytest.param("pipe", marks=needs_named_pipes), "link", "folder", "nothing"])
def test_a_file_that_is_not_regular_is_refused_without_blocking(tmp_path, kind):
    path = tmp_path / "a.md"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(tmp_path / "b.md")
        (tmp_path / "b.md").write_text("x")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(OSError, match=r"a\.md"):
        read_bytes(str(path), limit=100)
