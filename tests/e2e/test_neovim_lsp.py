"""`vim.lsp.enable("vaultseek")` in a real Neovim 0.11 or newer, with the real server."""

import re

import pytest

from tests.e2e.nvim_process import PLUGIN, Nvim, binaries, make_vault, needs, version_of, write_command

NOTES = {
    ".obsidian/app.json": "{}",
    "Linsen.md": "# Linsen\n\nJede Linse wird geputzt.\n\n[[Optik/Achromat]]\n",
    "Optik/Achromat.md": "# Achromat\n\nZwei Linsen aus verschiedenem Glas.\n",
    "Tagebuch.md": "# Tagebuch\n\nKeine Linsen heute.\n",
}
CLIENTS = "vim.lsp.get_clients({name = 'vaultseek'})"
SEARCH = f"local c = {CLIENTS}[1]; local r = c:request_sync('vaultseek/search', {{query = 'linsen'}}, 30000)"


def new_enough(binary):
    return [int(part) for part in re.findall(r"\d+", version_of(binary))[:2]] >= [0, 11]


@pytest.fixture(scope="module", params=[one for one in binaries() if one and new_enough(one)] or [None], ids=version_of)
def binary(request):
    return needs(request.param)


@pytest.fixture
def vault(tmp_path):
    return make_vault(tmp_path / "vault", NOTES)


@pytest.fixture
def start(binary, tmp_path):
    """Start Neovim with some Lua in front of everything else."""
    started = []

    def run(before):
        path = write_command(tmp_path / f"bin{len(started)}", "-m", "lsp_server")
        started.append(Nvim(binary, tmp_path / f"nvim{len(started)}", path=path, before=before))
        return started[-1]

    yield run
    for editor in started:
        editor.check_no_error()
        editor.leave()


def test_an_enabled_server_starts_for_a_note_with_the_settings(start, vault):
    nvim = start(
        "vim.g.loaded_vaultseek = true;"
        " vim.lsp.config('vaultseek', {settings = {vaultseek = {mode = 'keyword', maxResults = 1}}});"
        " vim.lsp.enable('vaultseek')"
    )
    nvim.edit(vault / "Optik/Achromat.md")
    nvim.wait(f"#{CLIENTS} == 1 and {CLIENTS}[1].initialized")
    assert nvim.lua(f"return {CLIENTS}[1].root_dir") == str(vault)
    found = nvim.lua(f"{SEARCH}; return vim.tbl_map(function(one) return one.id end, r.result.results)")
    assert found == ["Linsen.md"]
    nvim.edit(vault / "Linsen.md")
    nvim.wait(f"#vim.lsp.get_clients({{name = 'vaultseek', bufnr = 0}}) == 1 and #{CLIENTS} == 1")


def test_an_enabled_server_without_settings_has_the_defaults(start, vault):
    """An empty Lua table would be sent as a list."""
    nvim = start("vim.g.loaded_vaultseek = true; vim.lsp.enable('vaultseek')")
    nvim.edit(vault / "Linsen.md")
    nvim.wait(f"#{CLIENTS} == 1 and {CLIENTS}[1].initialized")
    assert nvim.lua(f"{SEARCH}; return #r.result.results") == 3
    assert nvim.messages() == []


def test_a_note_outside_every_vault_starts_no_enabled_server(start, vault, tmp_path):
    nvim = start("vim.g.loaded_vaultseek = true; vim.lsp.enable('vaultseek')")
    (tmp_path / "alone.md").write_text("# Alone\n")
    nvim.edit(tmp_path / "alone.md")
    nvim.edit(vault / "Linsen.md")
    nvim.wait("#vim.lsp.get_clients({name = 'vaultseek', bufnr = 0}) > 0")
    assert nvim.lua(f"return #{CLIENTS}") == 1
    assert nvim.lua(f"return vim.tbl_count({CLIENTS}[1].attached_buffers)") == 1


def test_no_enabled_server_starts_next_to_the_plugin_s(start, vault):
    """Also where the plugin has another root than the marker's, so that Neovim sees two different servers."""
    (vault / "Optik/.obsidian").mkdir()
    nvim = start("vim.lsp.enable('vaultseek')")
    nvim.lua("require('vaultseek').setup({vaults = {...}})", str(vault))
    nvim.edit(vault / "Optik/Achromat.md")
    nvim.command("VaultSearch! achromat")
    nvim.wait("#vim.fn.getqflist() > 0 and vim.bo.buftype == 'quickfix'")
    nvim.edit(vault / "Tagebuch.md")
    nvim.wait(f"vim.tbl_count({CLIENTS}[1].attached_buffers) == 2")
    assert nvim.lua(f"return #{CLIENTS}") == 1


def test_the_plugin_starts_its_own_server_after_an_enabled_one(start, vault):
    """It would wait for ever for a client that does not call it."""
    nvim = start("vim.g.loaded_vaultseek = true; vim.lsp.enable('vaultseek')")
    nvim.edit(vault / "Linsen.md")
    nvim.wait(f"#{CLIENTS} == 1 and {CLIENTS}[1].initialized")
    nvim.lua("vim.g.loaded_vaultseek = nil; vim.cmd('runtime plugin/vaultseek.lua')")
    nvim.command("VaultSearch! achromat")
    nvim.wait("#vim.fn.getqflist() > 0 and vim.bo.buftype == 'quickfix'")


def test_the_entry_for_nvim_lspconfig_is_that_of_the_plugin(start):
    nvim = start("vim.g.loaded_vaultseek = true")
    ours, theirs = (
        nvim.lua(
            "local one = dofile(...); return {one.cmd, one.filetypes, one.root_markers}",
            str(PLUGIN / folder / "lsp/vaultseek.lua"),
        )
        for folder in (".", "submit/nvim-lspconfig")
    )
    assert theirs == ours == [["vaultseek", "serve"], ["markdown"], [".obsidian"]]
