"""Which folders may be searched, and which vault a folder belongs to."""

from pathlib import Path

import pytest

from lsp_server.config.vault_discovery import refusal, vault_around

pytestmark = pytest.mark.asyncio


FOLDERS = [
    ("marked", {".obsidian/app.json": "{}"}, ""),
    ("plain notes", {"a.md": ""}, ""),
    ("notes one level down", {"sub/A.MARKDOWN": ""}, ""),
    ("notes two levels down", {"a/b/c.md": ""}, "it holds no Markdown"),
    ("notes of a hidden folder", {".git/c.md": ""}, "it holds no Markdown"),
    ("editor leftovers", {".#a.md": "", "a.md~": ""}, "it holds no Markdown"),
    ("a project", {"main.py": ""}, "it holds no Markdown"),
    ("nothing", {}, "it holds no Markdown"),
]


@pytest.mark.parametrize(("name", "files", "reason"), FOLDERS, ids=[name for name, *_ in FOLDERS])
async def test_a_folder_is_searched_on_a_sign_only(tmp_path, name, files, reason):
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert refusal(tmp_path, is_consented=False).startswith(reason or "")
    assert bool(refusal(tmp_path, is_consented=False)) == bool(reason)
    assert refusal(tmp_path, is_consented=True) == ""


async def test_what_is_no_folder_says_what_it_is(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    assert refusal(tmp_path / "file", is_consented=True) == "it is a file, not a folder"
    assert refusal(tmp_path / "gone", is_consented=True) == "the folder does not exist"
    assert refusal(tmp_path / ("x" * 300), is_consented=True).startswith("it cannot be read: ")

    def denied(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", denied)
    assert refusal(tmp_path, is_consented=True) == "it cannot be read: Permission denied"


async def test_a_subfolder_that_cannot_be_listed_and_an_unknown_home_do_no_harm(tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir()

    def denied(_path):
        raise PermissionError

    def unknown():
        raise RuntimeError

    monkeypatch.setattr("os.listdir", denied)
    monkeypatch.setattr(Path, "home", unknown)
    assert refusal(tmp_path, is_consented=False).startswith("it holds no Markdown")


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
async def test_the_vault_around_a_folder_is_the_nearest_that_it_is_a_part_of(
    tmp_path, monkeypatch, folder, made, around
):
    """The home folder may be a vault, but what lies below it was not meant by that."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for marked in ("notes", "notes/inner", "home"):
        (tmp_path / marked / ".obsidian").mkdir(parents=True)
    (tmp_path / made).mkdir(parents=True, exist_ok=True)
    assert vault_around(tmp_path / folder) == tmp_path / around
