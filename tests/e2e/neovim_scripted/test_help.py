"""The help file agrees with the plugin."""

import re

from tests.e2e.nvim_process import PLUGIN


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
