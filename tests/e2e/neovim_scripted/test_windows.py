"""Windows: the picker leaves nothing behind and fits any screen."""

import pytest


def test_closing_the_picker_leaves_nothing_behind(nvim, vault):
    count = "return {#vim.api.nvim_list_bufs(), #vim.api.nvim_list_wins(), vim.fn.expand('%:t'), vim.fn.col('.')}"
    nvim.edit(vault / "Here.md")
    nvim.keys("w")
    before = nvim.lua(count)
    for leave in (["<C-c>"], ["<Esc>", "<Esc>"], ["<Esc>", "q"], ["<Esc>", ":q<CR>"]):
        nvim.command("VaultSearch alone")
        nvim.picker()
        nvim.keys(*leave)
        nvim.wait("require('vaultseek.picker').snapshot() == nil")
        assert nvim.lua(count) == before, leave
        assert nvim.lua("return vim.api.nvim_get_mode().mode") == "n"
    assert nvim.lua("return #vim.api.nvim_get_autocmds({group = 'Vaultseek'})") > 0
    assert not nvim.lua("return (pcall(vim.api.nvim_get_autocmds, {group = 'VaultseekPicker'}))")


def test_leaving_the_picker_s_window_does_not_move_the_cursor_back(nvim, vault):
    nvim.edit(vault / "Here.md")
    nvim.command("vsplit")
    nvim.command("VaultSearch hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.keys("<Esc>", ":1wincmd w<CR>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil")
    nvim.say("hold", "late")
    assert nvim.lua("return {vim.fn.winnr(), vim.fn.expand('%:t'), #vim.api.nvim_list_wins()}") == [1, "Here.md", 2]


@pytest.mark.parametrize(("columns", "lines"), [(60, 14), (30, 8), (12, 3), (12, 2), (200, 50)])
def test_the_picker_fits_any_screen(nvim, vault, columns, lines):
    nvim.search(vault, "There")
    nvim.picker()
    nvim.request("nvim_ui_try_resize", columns, lines)
    try:
        nvim.wait(f"vim.o.columns == {columns}")
        nvim.picker("#s.lines > 0")
        boxes = nvim.lua(
            "local all = {}; local function plain(n) return type(n) == 'table' and n[false] or n end;"
            " for _, win in ipairs(vim.api.nvim_list_wins()) do local c = vim.api.nvim_win_get_config(win);"
            " local edge = c.border ~= nil and c.border ~= 'none' and 2 or 0;"
            " local box = {plain(c.row), plain(c.col), c.width, c.height, edge};"
            " if c.relative ~= '' then table.insert(all, box) end end;"
            " return all"
        )
        assert len(boxes) >= 2
        for row, column, width, height, edge in boxes:
            assert column + width + edge <= columns
            assert row + height + edge <= max(lines, 3)
        nvim.keys("<C-e>")
        nvim.picker("s.has_side")
        nvim.keys("<CR>")
        nvim.wait("vim.fn.expand('%:t') == 'There.md'")
    finally:
        nvim.request("nvim_ui_try_resize", 110, 32)
        nvim.wait("vim.o.columns == 110")


def test_a_screen_that_is_too_small_is_reported(nvim, vault):
    nvim.request("nvim_ui_try_resize", 40, 3)
    nvim.wait("vim.o.lines == 3")
    try:
        for key, words in (("<C-q>", "no room to show it"), ("<C-x>", "no room for another window")):
            nvim.search(vault, "There")
            nvim.picker()
            nvim.keys(key)
            assert words in nvim.wait_message("no room")[-1]
    finally:
        nvim.request("nvim_ui_try_resize", 110, 32)
        nvim.wait("vim.o.columns == 110")
    assert nvim.lua("return vim.fn.expand('%:t')") == "There.md", "it is shown all the same"


def test_the_highlights_survive_a_change_of_colour_scheme(nvim):
    names = nvim.lua("return require('vaultseek.highlight').names()")
    for background, scheme in (("light", "default"), ("dark", "desert")):
        nvim.command(f"set background={background} | colorscheme {scheme}")
        undefined = (
            "return vim.tbl_filter(function(n) return vim.fn.hlID(n) == vim.fn.synIDtrans(vim.fn.hlID(n)) end, ...)"
        )
        assert nvim.lua(undefined, names) == []
    nvim.command("hi VaultseekMatch guifg=#ff0000 | lua require('vaultseek.highlight').define()")
    assert "ff0000" in nvim.lua("return vim.api.nvim_exec('hi VaultseekMatch', true)"), "a user's own goes first"
    nvim.command("hi clear | lua require('vaultseek.highlight').define()")


def test_text_pasted_into_the_prompt_becomes_one_line(nvim, vault):
    nvim.search(vault)
    nvim.request("nvim_paste", "There\nand", False, -1)
    assert nvim.picker()["query"] == "There and"


def test_a_modified_note_that_cannot_be_hidden_stays_on_the_screen(nvim, vault):
    nvim.edit(vault / "Here.md")
    nvim.keys("x")
    nvim.wait("vim.bo.modified")
    nvim.command("set nohidden")
    try:
        nvim.command("VaultSearch There")
        nvim.picker()
        nvim.keys("<CR>")
        nvim.wait("vim.fn.expand('%:t') == 'There.md' and vim.fn.winnr('$') == 2")
    finally:
        nvim.command("set hidden")
