"""Reading files and detecting their encoding."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.vault.reader import decode, read_bytes, read_whole
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
    data, info = read_bytes(str(path), limit=100, root=str(tmp_path))
    assert (data, info.st_size) == (b"x" * 100, 5000)
    assert read_bytes(str(path), limit=10_000, root=None)[0] == b"x" * 5000


def test_a_file_that_needs_several_reads_is_read_in_full(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_bytes(b"abcdefg")
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, n_bytes: real(descriptor, min(n_bytes, 3)))
    assert read_bytes(str(path), limit=100, root=str(tmp_path))[0] == b"abcdefg"
    assert read_bytes(str(path), limit=5, root=None)[0] == b"abcde"


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
        read_bytes(str(path), limit=100, root=str(tmp_path))


def test_a_file_of_the_user_may_be_a_link_but_no_pipe(tmp_path):
    (tmp_path / "own.toml").symlink_to(tmp_path / "dotfiles.toml")
    (tmp_path / "dotfiles.toml").write_text("x")
    assert read_bytes(str(tmp_path / "own.toml"), limit=100, root=None)[0] == b"x"
    with pytest.raises(OSError, match="not a regular file"):
        read_bytes(os.devnull, limit=100, root=None)


def test_a_file_with_settings_is_read_as_a_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"x" * 100)
    assert read_whole(str(path), limit=100, root=str(tmp_path)) == b"x" * 100
    with pytest.raises(OSError, match="larger than 99 bytes"):
        read_whole(str(path), limit=99, root=str(tmp_path))


@pytest.fixture(params=["by the open file", "by the path"])
def vault(request, tmp_path, monkeypatch):
    """A vault with a folder, next to a folder with a secret. Only Linux tells the path of an open file."""
    if request.param == "by the path":
        monkeypatch.setattr(os, "readlink", _no_readlink(os.readlink))
    for folder, text in (("vault/notes", b"note"), ("outside", b"secret")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_bytes(text)
    return tmp_path / "vault"


def _no_readlink(real):
    def readlink(path, **options):
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(path)
        return real(path, **options)

    return readlink


def test_a_file_below_a_folder_that_is_a_link_out_of_the_vault_is_refused(vault):
    (vault / "link").symlink_to(vault.parent / "outside")
    with pytest.raises(OSError, match="outside of the vault"):
        read_bytes(str(vault / "link" / "a.md"), limit=100, root=str(vault))
    (vault / "inner").symlink_to("notes")
    assert read_bytes(str(vault / "inner" / "a.md"), limit=100, root=str(vault))[0] == b"note"


@pytest.mark.parametrize("is_swapped_back", [False, True])
def test_a_folder_that_becomes_a_link_while_its_file_is_opened_gives_nothing_away(vault, monkeypatch, is_swapped_back):
    real = os.open

    def open_swapped(path, flags):
        (vault / "notes").rename(vault / "away")
        (vault / "notes").symlink_to(vault.parent / "outside")
        descriptor = real(path, flags)
        if is_swapped_back:
            (vault / "notes").unlink()
            (vault / "away").rename(vault / "notes")
        return descriptor

    monkeypatch.setattr(os, "open", open_swapped)
    with pytest.raises(OSError, match="outside of the vault"):
        read_bytes(str(vault / "notes" / "a.md"), limit=100, root=str(vault))


def test_a_vault_behind_a_link_is_read_also_after_the_link_was_changed(vault):
    link, other = vault.parent / "link", vault.parent / "outside"
    for target, text in ((vault / "notes", b"note"), (other, b"secret")):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        assert read_bytes(str(link / "a.md"), limit=100, root=str(link))[0] == text
