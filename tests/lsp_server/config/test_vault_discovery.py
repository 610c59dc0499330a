"""Which folders may be searched, and which vault a folder belongs to."""

from pathlib import Path

import pytest

from lsp_server.config.vault_discovery import refusal, vault_around

pytestmark = pytest.mark.asyncio


FOLDERS = [
    ("marked", {".obsidian/app.json": "{}"}, ""),
    ("plain notes", {"a.md": ""}, ""),
    ("notes one level down", {"sub/A.MARKDOWN": ""}, ""),
    ("notes two levels down", {"a/b/c.md": ""}, "neither it nor"),
    ("notes of a hidden folder", {".git/c.md": ""}, "neither it nor"),
    ("editor leftovers", {".#a.md": "", "a.md~": ""}, "neither it nor"),
    ("a project", {"main.py": ""}, "neither it nor"),
    ("nothing", {}, "neither it nor"),
]


@pytest.mark.parametrize(("name", "files", "reason"), FOLDERS, ids=[name for name, *_ in FOLDERS])
async def test_a_folder_is_searched_only_if_something_marks_it_as_notes(tmp_path, name, files, reason):
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert refusal(tmp_path, is_consented=False).startswith(reason or "")
    assert bool(refusal(tmp_path, is_consented=False)) == bool(reason)
    assert refusal(tmp_path, is_consented=True) == ""


async def test_a_path_that_is_no_readable_folder_is_refused_with_the_reason(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    assert refusal(tmp_path / "file", is_consented=True) == "it is a file, not a folder"
    assert refusal(tmp_path / "gone", is_consented=True) == "the folder does not exist"
    assert refusal(tmp_path / ("x" * 300), is_consented=True).startswith("it cannot be read: ")

    def denied(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", denied)
    assert refusal(tmp_path, is_consented=True) == "it cannot be read: Permission denied"


async def test_an_unreadable_subfolder_and_an_unknown_home_folder_are_ignored(tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir()

    def denied(_path):
        raise PermissionError

    def unknown():
        raise RuntimeError

    monkeypatch.setattr("os.listdir", denied)
    monkeypatch.setattr(Path, "home", unknown)
    assert refusal(tmp_path, is_consented=False).startswith("neither it nor")


AROUND = [
    ("notes/deep/er", "notes/deep/er", "notes"),
    ("notes", "notes", "notes"),
    ("notes/inner/x", "notes/inner", "notes/inner"),
    ("notes/.trash/x", "notes/.trash/x", "notes/.trash/x"),
    ("plain/x", "plain/x", "plain/x"),
    ("home/project", "home/project", "home/project"),
    ("home", "home", "home"),
]


@pytest.mark.parametrize(("folder", "made", "around"), AROUND, ids=[folder for folder, *_ in AROUND])
async def test_the_vault_around_a_folder_is_the_nearest_one_that_contains_it(
    tmp_path, monkeypatch, folder, made, around
):
    """A home folder can be a vault without meaning that every project below it belongs to that vault."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for marked in ("notes", "notes/inner", "home"):
        (tmp_path / marked / ".obsidian").mkdir(parents=True)
    (tmp_path / made).mkdir(parents=True, exist_ok=True)
    assert vault_around(tmp_path / folder) == tmp_path / around
