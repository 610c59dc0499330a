# ruff: noqa: D102  doubles of users
"""The Neovim client with a scripted server: order of answers, cancelling, messages, windows and options."""

import json
import re

import pytest

from tests.e2e.nvim_process import PLUGIN, ROOT, Nvim, each_nvim, needs, write_command
from tests.e2e.test_neovim import make_vault

SCRIPT = ROOT / "tests/e2e/scripted_server.py"
NAMES = ("Here", "There", "Cousin", "Nephew", "alone")
SAY = "require('vaultseek.launch').call(require('vaultseek.server').running(), 'notify', 'test/say', ...)"


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    notes = {f"{name}.md": f"# {name}\n\ntext of {name}\n\n## Below\n\nend\n" for name in NAMES}
    return make_vault(tmp_path_factory.mktemp("scripted") / "notes", {".obsidian/app.json": "{}", **notes})


class Scripted(Nvim):
    """A Neovim whose server follows a script."""

    def __init__(self, binary, folder, **more):
        self.log = folder / "log.jsonl"
        super().__init__(binary, folder, path=write_command(folder / "bin", SCRIPT, self.log), **more)

    def received(self, method):
        """The parameters of all messages of a method that the server received."""
        whole, _, _ = self.log.read_text(encoding="utf-8").rpartition("\n")  # the server may be writing the last line
        lines = [json.loads(line) for line in whole.splitlines()]
        return [line.get("params") for line in lines if line.get("method") == method]

    def wait_received(self, method, count):
        while len(found := self.received(method)) < count:
            self.wait("true")
            self._listen(0.02)
        return found

    def say(self, query, *titles, generation=1, partial=False):
        words = {"query": query, "titles": list(titles), "generation": generation, "partial": partial}
        self.lua(SAY, words)

    def search(self, vault, query=""):
        self.edit(vault / "Here.md")
        self.command(f"VaultSearch {query}")


@each_nvim
def running(request, tmp_path_factory):
    binary = needs(request.param)
    editor = Scripted(binary, tmp_path_factory.mktemp("nvim") / "here")
    yield editor
    editor.leave()


@pytest.fixture
def nvim(running):
    running.tidy()
    running.log.touch()
    running.log.write_text("", encoding="utf-8")
    running.lua("require('vaultseek').setup()")
    yield running
    running.check_no_error()


@pytest.fixture
def fresh(running, request, tmp_path):
    """A factory of Neovims of the same version, each with its own script and options."""
    started = []

    def start(**more):
        binary = running.process.args[0]
        started.append(Scripted(binary, tmp_path / f"nvim{len(started)}", **more))
        return started[-1]

    yield start
    for editor in started:
        editor.leave()


# --- asking


def test_each_key_cancels_the_running_search(nvim, vault):
    nvim.search(vault)
    for query in ("hold", "hold1", "hold12"):
        nvim.type(query[-1] if query != "hold" else query)
        nvim.picker(f"s.query == '{query}' and s.phase == 'asking'")
        while query not in [params["query"] for params in nvim.received("vaultseek/search")]:
            nvim.picker("true")
    assert len(nvim.received("$/cancelRequest")) == 2
    nvim.keys("<C-c>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil")
    nvim.wait_received("$/cancelRequest", 3)


def test_keys_in_quick_succession_send_one_search(nvim, vault):
    nvim.lua("require('vaultseek').setup({debounce_ms = 300})")
    nvim.search(vault)
    nvim.type("quick")
    nvim.picker("s.phase == 'done' and s.query == 'quick'")
    assert [params["query"] for params in nvim.received("vaultseek/search")][-1] == "quick"
    assert len(nvim.received("vaultseek/search")) < 3


def test_partial_answers_are_shown_and_replaced_and_older_ones_dropped(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "by name", generation=2, partial=True)
    assert nvim.picker("s.phase == 'partial'")["ids"] == ["by name.md"]
    nvim.wait_screen("1/1 …")
    nvim.say("hold", "stale", generation=1, partial=True)
    nvim.say("hold", "by name", "by text", generation=3, partial=True)
    assert nvim.picker("#s.ids == 2")["phase"] == "partial"
    nvim.say("hold", "by text", "by name", "by meaning", generation=3)
    assert nvim.picker()["ids"] == ["by text.md", "by name.md", "by meaning.md"]
    nvim.say("hold", "too late", generation=4, partial=True)
    nvim.type("er")
    assert nvim.picker("s.query == 'holder'")["ids"] == ["by text.md", "by name.md", "by meaning.md"]


def test_an_answer_to_an_older_query_is_ignored(nvim, vault):
    nvim.search(vault, "hold1")
    nvim.wait_received("vaultseek/search", 1)
    nvim.type("x")
    nvim.wait_received("vaultseek/search", 2)
    nvim.say("hold1x", "new", generation=1)
    assert nvim.picker()["ids"] == ["new.md"]
    nvim.say("hold1", "old", generation=9, partial=True)
    nvim.say("hold1", "old", generation=9)
    answered = (
        "local r = require('vaultseek.client').request('vaultseek/search', {query = 'x', vault = ...}, {folder = '/'},"
    )
    nvim.lua(f"{answered} function() _G.answered = true end)", vault.as_uri())
    nvim.wait("answered", because="the answer behind both")
    assert nvim.picker()["ids"] == ["new.md"]


def test_the_selected_note_stays_selected_when_results_are_replaced(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "There", "Cousin", partial=True)
    nvim.picker("#s.ids == 2")
    nvim.keys("<C-n>")
    nvim.picker("s.selected == 2")
    nvim.say("hold", "Nephew", "There", "alone", "Cousin")
    assert nvim.picker()["selected"] == 4
    nvim.keys("<CR>")
    nvim.wait("vim.fn.expand('%:t') == 'Cousin.md'")


# --- words


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
    path = write_command(tmp_path / "dying", SCRIPT, tmp_path / "log", "die")
    nvim = fresh(before=f"require('vaultseek').setup({{cmd = {{'{path / 'vaultseek'}'}}}})")
    nvim.edit(vault / "Here.md")
    nvim.wait_message("the server stopped")
    nvim.command("VaultSearch")
    nvim.type("abc")
    nvim.picker("s.query == 'abc' and s.phase == 'failed'")
    nvim.wait_screen("the server does not start")
    assert (tmp_path / "log").read_text(encoding="utf-8").count("start") == 1


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
    path = write_command(tmp_path / "elsewhere", SCRIPT, tmp_path / "log")
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


# --- windows


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


# --- related notes, index, Telescope


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


def test_the_arithmetic_of_a_strength_has_a_line_for_each_fact(nvim):
    words = """{
      {word = 'oak', weight = 2, quality = 0.63, match = 'stem', form = 'oaks', field = 'body', isNear = true},
      {word = 'yesterday', weight = 5, quality = 0.8, match = 'meant', isNear = false},
      {word = 'elm', weight = 3, quality = 0, isNear = false}}"""
    numbers = "value = 0.6, coverage = 0.5, nearness = 0.25, byWords = 0.45, byMeaning = 0.3"
    meaning = "cosine = 0.5, floor = 0.2, ceiling = 0.6"

    def lines(strength):
        return nvim.lua(f"return require('vaultseek.explain').strength({strength})")

    facts = [
        "oak, weight 2: stem oaks in body, quality 0.63, near the others",
        "yesterday, weight 5: meant, quality 0.8",
        "elm, weight 3: no match, quality 0",
        "words 0.45: coverage 0.5, nearness 0.25",
        "meaning 0.3: cosine 0.5 between 0.2 and 0.6",
        "strength 0.6",
    ]
    assert lines(f"{{words = {words}, {numbers}, {meaning}}}") == facts
    assert lines(f"{{words = {words}, {numbers}}}") == [*facts[:4], facts[5]]
    assert lines("{exactName = 'Oak', words = {}, value = 1}") == ["the query is the name “Oak”", "strength 1"]
    assert nvim.lua("return #require('vaultseek.explain').strength(nil)") == 0
    shown = "return require('vaultseek.render').strength({strength = %s})"
    assert [nvim.lua(shown % strength) for strength in ("0.5", "1", "nil")] == ["0.50", "1.00", "    "]


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


# --- the help file


def test_the_help_has_a_tag_for_every_command_option_and_highlight(running, tmp_path):
    text = (PLUGIN / "doc/vaultseek.txt").read_text(encoding="utf-8")
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc/vaultseek.txt").write_text(text, encoding="utf-8")
    running.tidy()
    running.lua("vim.cmd('helptags ' .. ...)", str(tmp_path / "doc"))
    tags = {line.split("\t")[0] for line in (tmp_path / "doc/tags").read_text(encoding="utf-8").splitlines()}
    plugin = (PLUGIN / "plugin/vaultseek.lua").read_text(encoding="utf-8")
    commands = re.findall(r'^command\("(\w+)"', plugin, re.MULTILINE)
    assert {f":{name}" for name in commands} <= tags
    assert set(running.lua("return require('vaultseek.highlight').names()")) <= tags
    options = running.lua("return vim.tbl_keys(require('vaultseek.config').defaults)")
    assert {f"vaultseek-{name}" for name in options} <= tags
    foreign = sorted(set(re.findall(r"\|([^|\s]+)\|", text)) - tags)
    unknown = "return vim.tbl_filter(function(tag) return #vim.fn.getcompletion(tag, 'help') == 0 end, ...)"
    assert running.lua(unknown, foreign) == []
    assert max(map(len, text.splitlines())) <= 80


def test_the_help_shows_the_current_defaults(running):
    text = (PLUGIN / "doc/vaultseek.txt").read_text(encoding="utf-8")
    shown = text.split('require("vaultseek").setup(')[1].split(")\n<")[0]
    same = "return vim.deep_equal(loadstring('return ' .. ...)(), require('vaultseek.config').defaults)"
    assert running.lua(same, shown)


def test_the_overview_lists_every_module():
    overview = (PLUGIN.parent / "README.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (PLUGIN / "lua/vaultseek").glob("*.lua")} - {"init"}
    assert {name for name in modules if f"`{name}`" not in overview} == set()
