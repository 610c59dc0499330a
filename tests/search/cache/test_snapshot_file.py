"""The file of a snapshot is read whole or not at all."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.cache.snapshot_file import read_sections, split_list, write_sections

SECTIONS = {"words": b"oak elm " * 20, "empty": b"", "notes": [b"", b"one", b"two" * 50], "none": []}


def sections_in(path, made_by="me"):
    found = read_sections(path, made_by)
    return None if found is None else {name: _like(name, data) for name, data in found.items()}


def _like(name, data):
    return split_list(data) if isinstance(SECTIONS[name], list) else data


def test_a_file_is_read_as_it_was_written_and_replaces_the_one_before(tmp_path):
    path = tmp_path / "new" / "v.snapshot"
    write_sections(path, "me", {"words": b"old"}.items())
    write_sections(path, "me", SECTIONS.items())
    assert sections_in(path) == SECTIONS
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["v.snapshot"]


def test_what_another_program_wrote_is_not_read(tmp_path):
    write_sections(tmp_path / "v", "me", SECTIONS.items())
    assert read_sections(tmp_path / "v", "another") is None


def test_a_missing_file_a_folder_and_another_file_are_no_snapshot(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("# A note\n" * 50)
    (tmp_path / "empty").touch()
    for name in ("missing", "folder", "text", "empty"):
        assert read_sections(tmp_path / name, "me") is None


def test_a_file_that_is_cut_anywhere_or_has_one_wrong_byte_anywhere_is_no_snapshot(tmp_path):
    path = tmp_path / "v"
    write_sections(path, "me", SECTIONS.items())
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        assert read_sections(path, "me") is None, at
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :])
        assert sections_in(path) in (None, SECTIONS), at  # a byte of the checksum's text may mean the same
        assert at < whole.index(b"\n") or read_sections(path, "me") is None, at


def test_sections_of_two_files_or_without_one_of_them_are_no_snapshot(tmp_path):
    path = tmp_path / "v"
    write_sections(path, "me", [("one", [b"a"]), ("two", [b"b"])])
    first = path.read_bytes()
    write_sections(path, "me", [("one", [b"c"]), ("two", [b"d"])])
    second = path.read_bytes()
    at = [first.rindex(b"\n", 0, first.index(name)) + 1 for name in (b'"one"', b'"two"')]
    path.write_bytes(first[: at[1]] + second[at[1] :])
    assert read_sections(path, "me") is None
    path.write_bytes(first[: at[0]] + first[at[1] :])
    assert read_sections(path, "me") is None


def test_a_section_is_compressed_before_the_next_is_made(tmp_path, monkeypatch):
    happened = []

    def sections():
        for name in ("one", "two"):
            happened.append(name)
            yield name, name.encode()

    compress = zlib.compress
    monkeypatch.setattr(zlib, "compress", lambda data, level: happened.append(data) or compress(data, level))
    write_sections(tmp_path / "v", "me", sections())
    assert happened == ["one", b"one", "two", b"two"]


def test_a_file_is_begun_when_all_sections_are_made(tmp_path):
    """A second writer would remove a file that is begun."""

    def sections():
        yield "one", b"1"
        write_sections(tmp_path / "v", "me", [("two", b"2")])

    write_sections(tmp_path / "v", "me", sections())
    assert read_sections(tmp_path / "v", "me") == {"one": b"1"}


def test_a_file_that_cannot_be_written_leaves_the_earlier_one_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "v"
    write_sections(path, "me", SECTIONS.items())

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="No space"):
        write_sections(path, "me", {"words": b"new"}.items())
    monkeypatch.undo()
    assert sections_in(path) == SECTIONS
    assert [file.name for file in tmp_path.iterdir()] == ["v"]


def test_a_folder_that_is_a_file_is_an_error_that_says_so(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        write_sections(tmp_path / "file" / "v", "me", SECTIONS.items())


@given(st.lists(st.binary(max_size=50), max_size=20), st.binary(max_size=200))
def test_any_bytes_come_back(tmp_path_factory, items, data):
    path = tmp_path_factory.mktemp("any") / "v"
    write_sections(path, "me", {"items": items, "data": data}.items())
    found = read_sections(path, "me")
    assert split_list(found["items"]) == items
    assert found["data"] == data
