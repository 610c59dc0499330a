"""What the client says: notices, missing and failing servers, invalid options."""

import pytest

from tests.e2e.nvim_process import SCRIPTED_SERVER, write_command


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", ["<CR>    open the note", "<C-e>   why it is here"]),
        ("nothing", ["No notes found.", "0/0"]),
        ("fail", ["The folder is not searched: it is your home.", "no answer"]),
        ("warn", ["A word of caution.", "1/1"]),
    ],
)
def test_the_picker_shows_notices_and_messages(nvim, vault, query, words):
    nvim.search(vault, query)
    shown = nvim.picker("s.phase == 'done' or s.phase == 'failed' or s.phase == 'blank'")
    assert words[0] in " ".join(shown["lines"])
    nvim.wait_screen(words[1])
    nvim.keys("<CR>" if query in ("nothing", "fail") else "<C-c>")
    nvim.wait("vim.fn.expand('%:t') == 'Here.md' or vim.api.nvim_get_mode().mode == 'i'")


def test_a_note_outside_any_vault_starts_no_search(nvim, tmp_path):
    nvim.lua("vim.cmd('cd ' .. ...)", str(tmp_path))
    (tmp_path / "loose.md").write_text("# Loose\n", encoding="utf-8")
    nvim.edit(tmp_path / "loose.md")
    nvim.command("VaultSearch x")
    assert "no vault found" in nvim.wait_message("no vault found")[0]
    nvim.command("VaultRelated")
    nvim.wait_message("this is not a note in a vault")


def test_a_missing_server_is_reported_once_with_how_to_install_it(fresh, vault):
    nvim = fresh(before="require('vaultseek').setup({cmd = {'vaultseek-that-is-not-there', 'serve'}})")
    nvim.edit(vault / "Here.md")
    nvim.edit(vault / "There.md")
    found = nvim.wait_message("vaultseek-that-is-not-there")
    assert len(found) == 1
    assert "pip install" in found[0]
    assert ":help vaultseek-install" in found[0]
    nvim.command("VaultSearch x")
    assert "was not found. Install" in " ".join(nvim.picker("s.phase == 'failed'")["lines"])


def test_a_server_that_dies_at_once_is_not_started_at_each_key(fresh, vault, tmp_path):
    path = write_command(tmp_path / "dying", SCRIPTED_SERVER, tmp_path / "log", "die")
    nvim = fresh(before=f"require('vaultseek').setup({{cmd = {{'{path / 'vaultseek'}'}}}})")
    nvim.edit(vault / "Here.md")
    nvim.wait_message("the server stopped")
    nvim.command("VaultSearch")
    nvim.type("abc")
    nvim.picker("s.query == 'abc' and s.phase == 'failed'")
    nvim.wait_screen("the server does not start")
    assert (tmp_path / "log").read_text(encoding="utf-8").count("start") == 1


@pytest.mark.parametrize(("version", "older"), [("0.0.9", "the server"), ("0.10.0", "the plugin")])
def test_a_server_of_another_version_is_reported_once_with_which_to_update(fresh, vault, tmp_path, version, older):
    path = write_command(tmp_path / "other", SCRIPTED_SERVER, tmp_path / "log", version)
    nvim = fresh(before=f"require('vaultseek').setup({{cmd = {{'{path / 'vaultseek'}'}}}})")
    nvim.edit(vault / "Here.md")
    (found,) = nvim.wait_message("some features may not work")
    assert f"has version {version}" in found
    assert f"update {older}" in found
    nvim.command("VaultSearch x")
    assert "x" in " ".join(nvim.picker("s.phase == 'done'")["lines"])


def test_invalid_options_are_reported_in_one_message_and_keep_their_defaults(nvim):
    nvim.lua(
        "require('vaultseek').setup({debounce_ms = -1, ui = 'popup', nonsense = 1, cmd = {},"
        " picker = {width = 2, keys = {open = 7, tab = false}}, sidebar = 'left', snippets = 3})"
    )
    found = (
        "vaultseek: options: cmd must be a list of strings; debounce_ms must be between 0 and 2000;"
        " nonsense is not an option; picker.keys.open must be a key, a list of keys or false;"
        " picker.width must be between 0.1 and 1; sidebar must be a table;"
        " ui must be one of picker, select, quickfix, telescope"
    )
    assert nvim.messages() == [found]
    kept = nvim.lua(
        "local c = require('vaultseek.config').current; return {c.ui, c.snippets, c.picker.keys.tab, c.cmd}"
    )
    assert kept == ["picker", 3, False, ["vaultseek", "serve"]]


def test_options_set_right_after_a_late_start_are_used(fresh, vault, tmp_path):
    """Some package managers load the plugin together with the first note."""
    path = write_command(tmp_path / "elsewhere", SCRIPTED_SERVER, tmp_path / "log")
    nvim = fresh(before="vim.g.loaded_vaultseek = true; vim.env.PATH = '/usr/bin:/bin'")
    nvim.edit(vault / "Here.md")
    nvim.lua(
        "vim.g.loaded_vaultseek = nil; vim.cmd('runtime plugin/vaultseek.lua');"
        " require('vaultseek').setup({cmd = {...}, autostart = true})",
        str(path / "vaultseek"),
    )
    nvim.command("VaultSearch There")
    assert nvim.picker()["ids"] == ["There.md"]
    assert nvim.messages() == []
    opened = [line for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines() if "didOpen" in line]
    assert len(opened) == 1


def test_without_autostart_the_first_command_starts_the_server(fresh, vault):
    nvim = fresh(before="require('vaultseek').setup({autostart = false})")
    nvim.edit(vault / "Here.md")
    assert not nvim.lua("return require('vaultseek.server').running()")
    nvim.command("VaultSearch There")
    assert nvim.picker()["ids"] == ["There.md"]
    assert len(nvim.received("textDocument/didOpen")) == 1
