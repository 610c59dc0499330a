"""Related notes, the sidebar, index commands and Telescope."""


def test_related_notes_can_be_requested_for_a_note_a_heading_and_a_selection(nvim, vault):
    nvim.edit(vault / "Here.md")
    for command, about in (("VaultRelated", "Here"), ("VaultRelated Below", "Below"), ("3,5VaultRelated", "line 2")):
        nvim.command(command)
        shown = nvim.picker()
        assert shown["lines"][:2] == ["0.50  Cousin  linked  ", f"      cites {about}"]
        nvim.keys("<C-c>")
        nvim.wait("require('vaultseek.picker').snapshot() == nil")
    params = nvim.received("vaultseek/related")[-1]
    assert params["range"] == {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 8}}


def test_the_sidebar_follows_the_note_opens_results_and_closes(nvim, vault):
    side = "vim.api.nvim_buf_get_lines(vim.fn.winbufnr(2), 0, -1, false)"
    nvim.edit(vault / "Here.md")
    nvim.command("VaultSidebar")
    nvim.wait(f"vim.fn.winnr('$') == 2 and #{side} > 4")
    assert nvim.lua(f"return {side}") == [
        "Here",
        "",
        "Cousin  linked",
        "  cites Here",
        "Nephew",
        "  shares two tags with Here",
    ]
    assert nvim.received("vaultseek/related")[-1]["linked"] == "last"
    assert nvim.lua("return {vim.fn.expand('%:t'), vim.fn.winwidth(2)}") == ["Here.md", 40]
    nvim.edit(vault / "There.md")
    nvim.wait(f"{side}[4] == '  cites There'")
    nvim.command("help")
    nvim.command("close")
    assert nvim.lua(f"return {side}[4]") == "  cites There", "help is no note"
    nvim.keys("<C-w>", "l", "5", "G", "K")
    nvim.wait_screen("shares two tags with There", "Nephew.md")
    nvim.keys("<CR>")
    nvim.wait("vim.fn.expand('%:t') == 'Nephew.md' and vim.fn.winnr() == 1")
    assert nvim.lua("return vim.fn.line('.')") == 3
    nvim.wait(f"{side}[4] == '  cites Nephew'")
    nvim.command("VaultSidebar")
    assert nvim.lua("return vim.fn.winnr('$')") == 1
    nvim.command("tabnew | VaultSidebar")
    nvim.command("quit")
    nvim.wait("vim.fn.tabpagenr('$') == 1", because="the sidebar, alone in its tab, goes as well")


def test_indexing_shows_progress_that_can_be_cancelled(nvim, vault):
    nvim.edit(vault / "Here.md")
    nvim.lua("_G.shown = {}; require('vaultseek.message').show_progress = function(text) table.insert(shown, text) end")
    nvim.command("VaultIndex")
    nvim.wait("#shown == 2")
    assert nvim.lua("return shown") == ["Embedding notes ", "Embedding notes 40 % 2 of 5 notes"]
    nvim.command("VaultIndex rebuild")
    nvim.wait_message("an index command is still running")
    nvim.command("VaultIndex cancel")
    nvim.wait_received("$/cancelRequest", 1)
    nvim.command("VaultIndex nonsense")
    assert "is not one of update, rebuild, clear, gc, cancel" in nvim.wait_message("nonsense")[-1]
    assert nvim.lua("return vim.fn.getcompletion('VaultIndex re', 'cmdline')") == ["rebuild"]


TELESCOPE = """
local picked
package.preload["telescope"] = function()
  return {register_extension = function(module) return module end}
end
local function action() return {replace = function(self, run) self.run = run end} end
local actions = {
  select_default = action(), select_horizontal = action(), select_vertical = action(), select_tab = action(),
  close = function() picked.finder.close() end}
package.preload["telescope.actions"] = function() return actions end
package.preload["telescope.actions.state"] = function()
  return {get_selected_entry = function() return picked.entries[1] end}
end
package.preload["telescope.config"] = function() return {values = {grep_previewer = function() end}} end
package.preload["telescope.sorters"] = function() return {empty = function() end} end
package.preload["telescope.pickers"] = function()
  return {new = function(_, definition)
    return {find = function()
      picked = definition
      definition.attach_mappings(0)
      _G.ask = function(prompt)
        picked.entries, picked.completed = {}, false
        local function process(entry) table.insert(picked.entries, entry) end
        definition.finder(prompt, process, function() picked.completed = true end)
      end
      _G.picked = picked
      ask(definition.default_text)
    end}
  end}
end
"""


def test_telescope_shows_the_same_answers(fresh, vault):
    """Telescope is replaced by the few functions that the extension calls."""
    nvim = fresh()
    nvim.lua(TELESCOPE)
    nvim.edit(vault / "Here.md")
    nvim.lua("require('telescope._extensions.vaultseek').exports.vaultseek({query = 'There'})")
    nvim.wait("picked and picked.completed")
    assert nvim.lua("return {picked.entries[1].display, picked.entries[1].lnum}") == ["0.50  There  text of There", 3]
    nvim.lua("ask('alone')")
    nvim.wait("picked.completed and picked.entries[1].ordinal == 'alone.md'")
    nvim.lua("require('telescope.actions').select_default.run()")
    assert nvim.lua("return {vim.fn.expand('%:t'), vim.fn.line('.')}") == ["alone.md", 3]


def test_without_telescope_the_built_in_picker_opens(nvim, vault):
    nvim.edit(vault / "Here.md")
    nvim.lua("require('vaultseek').search('There', {ui = 'telescope'})")
    assert nvim.picker()["ids"] == ["There.md"]
    nvim.wait_message("Telescope is not installed")
