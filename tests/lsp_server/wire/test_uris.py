"""File URIs to paths and back."""

import os
import unicodedata
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.wire.uris import spelled_on_disk, to_path, to_uri

POSIX = [
    ("file:///notes/a.md", "/notes/a.md"),
    ("file:/notes/a.md", "/notes/a.md"),
    ("FILE://localhost/notes/a.md", "/notes/a.md"),
    ("file:///with%20space/dollar%20%24x%24.md", "/with space/dollar $x$.md"),
    ("file:///with space/dollar $x$.md", "/with space/dollar $x$.md"),
    ("file:///50%25%20%23done%3F.md", "/50% #done?.md"),
    ("file:///100%.md", "/100%.md"),
    ("file:///a.md#heading", "/a.md"),
    ("file:///a.md?x=1", "/a.md"),
    ("file:///%E6%97%A5%E8%A8%98/caf%C3%A9.md", "/日記/café.md"),
    ("file:///日記/cafe\u0301.md", "/日記/cafe\u0301.md"),
    ("file:///notes/./sub/../a.md", "/notes/a.md"),
    ("file:////notes//a.md", "/notes/a.md"),
    ("file:///back%5Cslash.md", "/back\\slash.md"),
    ("file:///", "/"),
]
NO_FILE = [
    "untitled:Untitled-1",
    "vscode-vfs://github/owner/repo/a.md",
    "file://server/share/a.md",
    "file:relative.md",
    "file://",
    "file:///nul%00.md",
    "/notes/a.md",
    "",
]
WINDOWS = [
    ("file:///c%3A/Notes/a%20b.md", "C:/Notes/a b.md"),
    ("file:///C:/Notes/a%20b.md", "C:/Notes/a b.md"),
    ("file:///c:/Notes/a%20b.md", "C:/Notes/a b.md"),
    ("file:///c%3a/", "C:/"),
    ("file:///c:", "C:/"),
    ("file:///c:/a%5Cb.md", "C:/a/b.md"),
    ("file://server/share/a.md", "//server/share/a.md"),
]


@pytest.mark.parametrize(("uri", "path"), POSIX)
def test_a_posix_uri_names_its_path(uri, path):
    assert to_path(uri, flavour=PurePosixPath) == PurePosixPath(path)


@pytest.mark.parametrize("uri", NO_FILE)
def test_a_uri_of_no_file_has_no_path(uri):
    assert to_path(uri, flavour=PurePosixPath) is None


@pytest.mark.parametrize(("uri", "path"), WINDOWS)
def test_a_windows_uri_names_its_path_in_every_spelling(uri, path):
    assert str(to_path(uri, flavour=PureWindowsPath)) == str(PureWindowsPath(path))


def test_a_windows_uri_without_a_drive_names_nothing():
    assert to_path("file:///notes/a.md", flavour=PureWindowsPath) is None


def test_drive_letters_of_either_case_give_the_same_uri():
    assert to_uri(PureWindowsPath("C:/a b")) == to_uri(PureWindowsPath("c:/a b")) == "file:///c:/a%20b"


def test_the_host_of_a_share_s_uri_is_its_server():
    assert to_uri(PureWindowsPath("//server/share/a b.md")) == "file://server/share/a%20b.md"


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1).filter(
    lambda name: name not in (".", "..")
)


@given(st.lists(NAMES, max_size=4))
def test_a_path_survives_a_round_trip_through_its_uri(names):
    path = PurePosixPath("/", *names)
    assert to_path(to_uri(path), flavour=PurePosixPath) == path
    assert to_uri(path).isascii()


@given(st.binary(min_size=1, max_size=12).filter(lambda name: b"/" not in name and b"\0" not in name))
def test_a_name_that_is_not_utf_8_survives_a_round_trip(name):
    path = PurePosixPath("/", "in", os.fsdecode(b"x" + name))
    assert to_path(to_uri(path), flavour=PurePosixPath) == path


WINDOWS_NAMES = st.text(st.characters(exclude_characters='/\\:*?"<>|\0'), min_size=1).filter(
    lambda name: name.strip(". ") != ""
)


@given(st.sampled_from("abXYZ"), st.lists(WINDOWS_NAMES, max_size=4))
def test_a_windows_path_survives_a_round_trip_through_its_uri(drive, names):
    path = PureWindowsPath(f"{drive}:/", *names)
    assert to_path(to_uri(path), flavour=PureWindowsPath) == path


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_uri_is_normalized_after_one_round_trip(rest):
    path = to_path("file:///" + rest, flavour=PurePosixPath)
    if path is not None:
        assert to_path(to_uri(path), flavour=PurePosixPath) == path


def test_the_default_flavour_is_that_of_the_system(tmp_path):
    assert to_path(to_uri(tmp_path)) == PurePath(tmp_path)


def test_a_name_is_used_in_its_unicode_form_on_disk(tmp_path: Path):
    """An editor can send NFC for a file whose name is stored in NFD."""
    decomposed = tmp_path / unicodedata.normalize("NFD", "Phénomène.md")
    decomposed.touch()
    assert spelled_on_disk(tmp_path / unicodedata.normalize("NFC", "Phénomène.md")) == decomposed
    assert spelled_on_disk(decomposed) == decomposed
    assert spelled_on_disk(tmp_path / "new é.md") == tmp_path / "new é.md"
    assert spelled_on_disk(Path("/")) == Path("/")


def test_a_lone_surrogate_names_no_file_but_still_has_a_uri():
    """JSON can contain a lone surrogate, so a client can send one in a name."""
    assert to_path("file:///\ud800.md", flavour=PurePosixPath) is None
    assert to_uri(PurePosixPath("/\ud800.md")) == "file:///%ED%A0%80.md"
    assert to_uri(PurePosixPath("/\udcff\ud800")) == "file:///%ED%B3%BF%ED%A0%80"
