"""Every file of a vault is a regular file inside it: no pipe, socket, device or link stalls a search or leads out."""

import json
import os
import socket
from contextlib import closing
from pathlib import Path

import pytest

from lsp_server.config.engine_factory import engine_of
from search.engine import Engine
from search.ids import NoteId
from search.query import Mode, Query
from search.settings import Settings
from search.vault.daily import DailyNotes, read_daily_notes
from tests.kit.platforms import needs_named_pipes
from vaults import ask, codes, ids, write

pytestmark = pytest.mark.timeout(20)  # a pipe that is opened blocks for ever

NOTES = "--- a.md\noak\n--- private/b.md\noak"
SETTINGS = {
    ".vaultseek/words.toml": '[acronyms]\nSU = ["sugar"]\n',
    ".obsidian/app.json": json.dumps({"userIgnoreFilters": ["private/"]}),
    ".obsidian/daily-notes.json": json.dumps({"format": "DD.MM.YYYY"}),
}
NOTICE = {".vaultseek/words.toml": "words-unusable", ".obsidian/app.json": "app-json-unreadable"}


def a_pipe(file, _text):
    os.mkfifo(file)


def a_socket(file, _text):
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(file.parent)  # the path of a socket is limited to some hundred bytes
        try:
            listener.bind(file.name)
        finally:
            os.chdir(here)


def a_device(file, _text):
    file.symlink_to("/dev/zero")


def a_folder(file, _text):
    file.mkdir()


def a_link_out(file, text):
    outside = file.parents[2] / "outside"
    outside.mkdir()
    (outside / file.name).write_text(text)
    file.symlink_to(outside / file.name)


def a_folder_linked_out(file, text):
    outside = file.parents[2] / "outside"
    outside.mkdir()
    (outside / file.name).write_text(text)
    file.parent.rmdir()
    file.parent.symlink_to(outside)


def an_endless_file(file, text):
    with file.open("w") as opened:
        opened.write(text)
        opened.truncate(2**40)


KINDS = (
    pytest.param(a_pipe, marks=needs_named_pipes),
    pytest.param(a_socket, marks=needs_named_pipes),
    pytest.param(a_device, marks=needs_named_pipes),
    a_folder,
    a_link_out,
    a_folder_linked_out,
    an_endless_file,
)


def searched(root):
    """The notes that a search finds, and the codes of all notices of the answer and the vault."""
    with closing(engine_of(root, Settings())) as engine:
        answer = engine.search(Query(text="oak", mode=Mode.KEYWORD))
        return set(ids(answer)), {*codes(answer), *(notice.code for notice in engine.status().notices)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_vault_that_are_no_regular_file_inside_it_are_not_read(tmp_path, name, kind):
    root = tmp_path / "vault"
    root.mkdir()
    write(root, NOTES)
    file = root / name
    file.parent.mkdir()
    kind(file, SETTINGS[name])
    notes, notices = searched(root)
    assert notes == {"a.md", "private/b.md"}
    assert notices == {NOTICE[name]} if name in NOTICE else not notices
    assert read_daily_notes(root) == DailyNotes()


@pytest.mark.parametrize("name", SETTINGS)
def test_regular_settings_are_read(tmp_path, name):
    write(tmp_path, f"{NOTES}\n--- {name}\n{SETTINGS[name]}")
    notes, notices = searched(tmp_path)
    assert not notices
    assert ("private/b.md" in notes) is (name != ".obsidian/app.json")
    assert (read_daily_notes(tmp_path).format == "DD.MM.YYYY") is (name == ".obsidian/daily-notes.json")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not an_endless_file])
def test_what_is_called_like_a_note_and_is_none_is_not_found(tmp_path, kind):
    root = tmp_path / "vault"
    (root / "folder").mkdir(parents=True)
    write(root, NOTES)
    kind(root / "folder" / "c.md", "oak")
    assert set(ask(Engine(root), "oak")) == {"a.md", "private/b.md"}


@pytest.mark.parametrize("kind", [a_link_out, a_folder_linked_out])
def test_a_closed_buffer_of_a_file_outside_is_not_read_from_there(tmp_path, kind):
    """An editor can open a file through a folder that is a link; the vault does not end up with the file's text."""
    root = tmp_path / "vault"
    (root / "folder").mkdir(parents=True)
    write(root, NOTES)
    kind(root / "folder" / "c.md", "oak and a secret")
    engine = Engine(root)
    engine.open_buffer(NoteId("folder/c.md"), "oak")
    engine.close_buffer(NoteId("folder/c.md"))
    assert set(ask(engine, "oak")) == {"a.md", "private/b.md"}
    assert ask(engine, "secret") == []
