"""The Neovim client in real Neovims with the real server: tests send keys and check windows, lines and cursors."""

import os
import re
import signal

import pytest

from tests.e2e.nvim_process import Nvim, each_nvim, make_vault, needs, version_of, write_command

WARTUNG = "Kuppel/Wartung (neu) #1 100%.md"
NOTES = {
    ".obsidian/app.json": "{}",
    WARTUNG: "# Wartung\n\nGrüße 😀 und Öl: der Zahnkranz knirscht im März.\n\n## Danach\n\nSiehe [[Linsen]].\n",
    "Linsen.md": "# Linsen\n\nJede Linse wird mit Watte geputzt, nie mit Öl.\n\n[[Optik/Achromat]]\n",
    "Optik/Achromat.md": "---\naliases: [Zweilinser]\n---\n# Achromat\n\nZwei Linsen aus verschiedenem Glas.\n",
    "Optik/Apochromat.md": "# Apochromat\n\nDrei Linsen, noch teurer als der Achromat.\n",
    "Tagebuch.md": "# Tagebuch\n\nHeute war es bewölkt.\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    return make_vault(tmp_path_factory.mktemp("vaults") / "Büro #2 & 50%", NOTES)


@each_nvim
def running(request, tmp_path_factory):
    binary = needs(request.param)
    path = write_command(tmp_path_factory.mktemp("bin") / "with blank", "-m", "lsp_server")
    editor = Nvim(binary, tmp_path_factory.mktemp("nvim"), path=path)
    editor.version = version_of(binary)
    yield editor
    editor.leave()


@pytest.fixture
def nvim(running):
    running.tidy()
    yield running
    running.check_no_error()


def cursor(nvim):
    return nvim.lua("return {vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.expand('<cword>')}")


def the_server_runs(nvim):
    """Neovim's own functions do not wait for a server that is starting, so wait here."""
    nvim.command("VaultSearch! linse")
    nvim.wait("#vim.fn.getqflist() > 0 and vim.bo.buftype == 'quickfix'")
    nvim.command("cclose | call setqflist([], 'f')")


def test_a_query_is_answered_while_it_is_typed(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch")
    nvim.type("achro")
    shown = nvim.picker("s.query == 'achro' and s.phase == 'done'")
    assert shown["ids"][0] == "Optik/Achromat.md"
    assert "Achromat  Optik" in shown["lines"][0]
    nvim.type("mat teurer")
    shown = nvim.picker("s.query == 'achromat teurer' and s.phase == 'done'")
    assert shown["ids"][0] == "Optik/Apochromat.md"
    assert any("noch teurer" in line for line in shown["lines"])
    nvim.wait_screen("> achromat teurer", "Apochromat  Optik", "Drei Linsen, noch teurer")


def test_matches_are_highlighted_and_the_note_is_previewed(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch zahnkranz")
    shown = nvim.picker()
    assert "Grüße 😀 und Öl: der Zahnkranz knirscht im März." in shown["side"]
    marked = nvim.lua(
        "local texts = {}; local space = vim.api.nvim_get_namespaces().vaultseek;"
        " for _, win in ipairs(vim.api.nvim_list_wins()) do local buf = vim.api.nvim_win_get_buf(win);"
        " for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, space, 0, -1, {details = true})) do"
        " if mark[4].hl_group == 'VaultseekMatch' then"
        " local line = vim.api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, false)[1];"
        " table.insert(texts, line:sub(mark[3] + 1, mark[4].end_col)) end end end; return texts"
    )
    assert marked == ["Zahnkranz", "Zahnkranz"], "once among the results, once in the note"


def test_enter_opens_the_note_with_the_cursor_on_the_match(nvim, vault):
    """The name has blanks, parentheses, `#` and `%`; the line has umlauts and an emoji before the match."""
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch")
    nvim.type("zahnkranz")
    nvim.picker()
    nvim.keys("<CR>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil and vim.fn.expand('%:t') ~= 'Tagebuch.md'")
    assert cursor(nvim) == ["Wartung (neu) #1 100%.md", 3, "Zahnkranz"]
    assert nvim.lua("return vim.api.nvim_get_mode().mode") == "n"
    nvim.keys("<C-o>")
    nvim.wait("vim.fn.expand('%:t') == 'Tagebuch.md'", because="the way back")


@pytest.mark.parametrize(("key", "windows", "tabs"), [("<C-x>", 2, 1), ("<C-v>", 2, 1), ("<C-t>", 1, 2)])
def test_a_note_opens_in_a_split_or_a_tab(nvim, vault, key, windows, tabs):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch zahnkranz")
    nvim.picker()
    nvim.keys(key)
    nvim.wait("require('vaultseek.picker').snapshot() == nil and vim.fn.expand('%:t') ~= 'Tagebuch.md'")
    assert cursor(nvim)[1:] == [3, "Zahnkranz"]
    assert nvim.lua("return {vim.fn.winnr('$'), vim.fn.tabpagenr('$')}") == [windows, tabs]
    is_vertical = nvim.lua("return vim.fn.winwidth(0) < vim.o.columns")
    assert is_vertical == (key == "<C-v>")


def test_the_score_of_a_result_is_explained(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch achromat")
    shown = nvim.picker()
    nvim.keys("<C-n>")
    nvim.picker("s.selected == 2")
    nvim.keys("<C-e>")
    side = nvim.picker("s.side[2] == s.ids[2]")["side"]
    assert side[1] == shown["ids"][1]
    assert any("lexical found it with" in line for line in side)
    assert any("normalize: minmax" in line for line in side)
    assert any("achromat, weight " in line for line in side)
    assert any(re.fullmatch(r" *strength 0\.\d+", line) for line in side)
    nvim.keys("<C-e>")
    nvim.picker("s.side[2] ~= s.ids[2]")


def test_results_go_to_the_quickfix_list(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch zahnkranz")
    nvim.picker()
    nvim.keys("<C-q>")
    nvim.wait("vim.bo.buftype == 'quickfix'")
    first = nvim.lua("local i = vim.fn.getqflist()[1]; return {vim.fn.bufname(i.bufnr), i.lnum, i.col, i.text}")
    assert first[0].endswith(WARTUNG.split("/")[1])
    assert first[1:] == [
        3,
        len("Grüße 😀 und Öl: der ".encode()) + 1,
        "Grüße 😀 und Öl: der Zahnkranz knirscht im März.",
    ]
    nvim.keys("<CR>")
    nvim.wait("vim.bo.buftype == ''")
    assert cursor(nvim)[1:] == [3, "Zahnkranz"]


def test_a_bang_sends_results_straight_to_the_quickfix_list(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.command("VaultSearch! zahnkranz")
    nvim.wait("#vim.fn.getqflist() > 0 and vim.fn.getqflist({title = 1}).title == 'Vault: zahnkranz'")


def test_vim_ui_select_can_show_the_results(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.lua(
        "local kept = vim.ui.select; vim.ui.select = function(items, options, choose)"
        " vim.ui.select = kept; _G.labels = vim.tbl_map(options.format_item, items); choose(items[1]) end;"
        " require('vaultseek').search('zahnkranz', {ui = 'select'})"
    )
    nvim.wait("_G.labels and vim.fn.line('.') == 3")
    assert nvim.lua("return labels[1]") == "Wartung  Grüße 😀 und Öl: der Zahnkranz knirscht im März."
    assert cursor(nvim)[1:] == [3, "Zahnkranz"]


def test_unsaved_text_is_found(nvim, vault):
    nvim.edit(vault / "Tagebuch.md")
    nvim.keys("G", "o")
    nvim.type("Ein Quastenflosser!")
    nvim.keys("<Esc>")
    nvim.wait("vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
    nvim.command("VaultSearch quastenflosser")
    shown = nvim.picker()
    assert shown["ids"][0] == "Tagebuch.md"
    assert "Ein Quastenflosser!" in shown["side"]
    assert "Quastenflosser" not in (vault / "Tagebuch.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("query", "words"),
    [("linsen", ["Rank 1 of", "lexical found it with"]), ("linsen -watte", ["Not among the", "filter excludes it"])],
)
def test_why_explains_whether_a_note_is_found(nvim, vault, query, words):
    nvim.edit(vault / "Linsen.md")
    nvim.command(f"VaultWhy {query}")
    nvim.wait_screen(*words)
    assert nvim.lua("return vim.fn.expand('%:t')") == "Linsen.md", "the cursor stays"


def test_the_health_check_passes(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    nvim.command("VaultSearch! linse")
    nvim.wait("#vim.fn.getqflist() > 0")
    nvim.command("wincmd p")
    nvim.command("checkhealth vaultseek")
    text = "\n".join(nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))
    assert "Büro #2 & 50%: ready, 5 notes" in text
    assert "ERROR" not in text
    assert "WARNING" not in text


def test_indexing_shows_progress(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    nvim.lua(
        "_G.progress = {}; local m = require('vaultseek.message');"
        " m.show_progress = function(text) table.insert(progress, text) end"
    )
    nvim.command("VaultIndex rebuild")
    assert "vaultseek: 4 notes embedded." in nvim.wait_message("embedded")
    assert nvim.lua("return progress[1]").startswith("Embedding all notes again")
    nvim.command("VaultIndex clear")
    assert "vaultseek: All vectors deleted." in nvim.wait_message("deleted")


def test_one_server_answers_for_two_vaults(nvim, vault, tmp_path):
    other = make_vault(
        tmp_path / "Zweiter", {".obsidian/app.json": "{}", "Fund.md": "# Fund\n\nein Zahnkranz aus Ton\n"}
    )
    nvim.edit(vault / "Linsen.md")
    nvim.command("VaultSearch zahnkranz")
    assert nvim.picker()["ids"][0] == WARTUNG
    nvim.keys("<C-c>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil")
    nvim.edit(other / "Fund.md")
    nvim.command("VaultSearch zahnkranz")
    assert nvim.picker()["ids"] == ["Fund.md"]
    names = "vim.tbl_map(function(c) return c.name end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())"
    assert nvim.lua(f"return {names}") == ["vaultseek"]


def test_settings_reach_the_server(nvim, vault):
    """A change applies to one of the next queries; the first one may still use the old settings."""

    def n_found():
        nvim.command("VaultSearch linsen")
        n_ids = len(nvim.picker()["ids"])
        nvim.keys("<C-c>")
        nvim.wait("require('vaultseek.picker').snapshot() == nil")
        return n_ids

    nvim.edit(vault / "Linsen.md")
    try:
        nvim.lua("require('vaultseek').setup({settings = {maxResults = 1}})")
        assert any(n_found() == 1 for _ in range(50))
    finally:
        nvim.lua("require('vaultseek').setup()")
    assert any(n_found() > 1 for _ in range(50))


def test_hover_shows_the_target_of_a_link(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    the_server_runs(nvim)
    nvim.lua("vim.fn.search('Achromat')")
    nvim.command("lua vim.lsp.buf.hover()")
    nvim.wait_screen("Zwei Linsen aus verschiedenem Glas")


def test_a_definition_is_a_note_s_file(nvim, vault):
    nvim.edit(vault / "Optik/Achromat.md")
    nvim.edit(vault / "Linsen.md")
    the_server_runs(nvim)
    nvim.lua("vim.fn.search('Achromat')")
    nvim.command("lua vim.lsp.buf.definition()")
    nvim.wait("vim.fn.expand('%:t') == 'Achromat.md'")


def test_references_are_the_links_to_a_note(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    the_server_runs(nvim)
    nvim.lua("vim.fn.search('Achromat')")
    nvim.command("lua vim.lsp.buf.references({includeDeclaration = false})")
    nvim.wait("(vim.fn.getqflist()[1] or {text = ''}).text == '[[Optik/Achromat]]'")


def test_workspace_symbols_are_notes(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    the_server_runs(nvim)
    nvim.command("lua vim.lsp.buf.workspace_symbol('apochr')")
    nvim.wait("(vim.fn.getqflist()[1] or {text = ''}).text:find('Apochromat', 1, true)")


def test_a_vault_and_a_symbolic_link_to_it_are_one_vault(nvim, vault, tmp_path):
    (tmp_path / "link").symlink_to(vault)
    nvim.edit(tmp_path / "link/Linsen.md")
    nvim.command("VaultSearch zahnkranz")
    assert nvim.picker()["ids"][0] == WARTUNG
    nvim.keys("<CR>")
    nvim.wait("vim.fn.expand('%:t') == 'Wartung (neu) #1 100%.md'")
    assert cursor(nvim)[1:] == [3, "Zahnkranz"]


def test_related_notes_come_with_a_reason(nvim, vault):
    nvim.edit(vault / "Optik/Achromat.md")
    nvim.command("VaultRelated")
    shown = nvim.picker()
    assert "Linsen.md" in shown["ids"]
    assert "linked" in next(line for line in shown["lines"] if "Linsen" in line)
    nvim.type("apo")
    assert nvim.picker("s.query == 'apo' and s.phase == 'done'")["ids"] == ["Optik/Apochromat.md"]
    nvim.keys("<CR>")
    nvim.wait("vim.fn.expand('%:t') == 'Apochromat.md'")


def test_the_sidebar_follows_the_note(nvim, vault):
    nvim.edit(vault / "Optik/Achromat.md")
    nvim.command("VaultSidebar")
    nvim.wait_screen("Apochromat")
    nvim.edit(vault / "Linsen.md")
    line = "vim.api.nvim_buf_get_lines(vim.fn.winbufnr(2), 0, 1, false)[1]"
    nvim.wait(f"{line} == 'Linsen'")
    nvim.wait_screen("Achromat  linked")


def test_a_killed_server_is_reported_and_started_again(nvim, vault):
    """The new server also knows unsaved text."""
    nvim.edit(vault / "Tagebuch.md")
    nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, {'Ein Schnabeltier!'})")
    nvim.command("VaultSearch schnabeltier")
    nvim.picker()
    nvim.keys("<C-c>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil")
    children = nvim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())")
    os.kill(children[0], signal.SIGKILL)
    found = nvim.wait_message("the server stopped")
    assert any("signal 9" in text and "the next search starts it again" in text for text in found)
    nvim.command("VaultSearch schnabeltier")
    assert nvim.picker()["ids"][0] == "Tagebuch.md"


def test_a_server_killed_while_the_picker_is_open_is_replaced_at_the_next_key(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    nvim.command("VaultSearch watte")
    nvim.picker()
    children = nvim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())")
    os.kill(children[0], signal.SIGKILL)
    nvim.wait_message("the server stopped")
    nvim.type(" öl")
    assert nvim.picker("s.phase == 'done' and s.query == 'watte öl'")["ids"][0] == "Linsen.md"


def test_the_server_is_restarted_on_command(nvim, vault):
    nvim.edit(vault / "Linsen.md")
    nvim.command("VaultSearch! linse")
    nvim.wait("#vim.fn.getqflist() > 0")
    nvim.command("VaultRestart")
    assert nvim.wait_message("restarted") == ["vaultseek: the server was restarted"]
