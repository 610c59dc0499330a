"""Files that are no text: the system's program opens them, and the page is told."""

import pytest

OPEN = """
local opened, told = {}, {}
local ui_open, notify = vim.ui.open, vim.notify
vim.ui.open = function(path) table.insert(opened, path) return {}, nil end
vim.notify = function(text) table.insert(told, text) end
local start = { line = 0, character = 0 }
local range = { start = start, ["end"] = start }
local snippet = { text = "x", range = range, highlights = {}, fragment = "page=12", page = 12 }
local item = { uri = vim.uri_from_fname(...), title = "x", snippets = { snippet } }
local open = require("vaultseek.open")
open.open(open.place_of(item, "utf-16"), "edit")
require("vaultseek.quickfix").fill({ item }, "x", "utf-16")
local text = vim.fn.getqflist()[1].text
vim.cmd("cclose")
vim.ui.open, vim.notify = ui_open, notify
return { opened, told, text }
"""


@pytest.mark.parametrize("name", ["paper.pdf", "-rf https:evil $(x).PDF"])
def test_a_pdf_is_left_to_the_system_and_its_page_is_told(nvim, vault, name):
    path = vault / name
    path.write_bytes(b"%PDF-1.7")
    told = f"vaultseek: {name}#page=12 is opened with the system's program"
    assert nvim.lua(OPEN, str(path)) == [[str(path)], [told], "#page=12 x"]


@pytest.mark.parametrize("name", ["run.exe", "program", "a.pdf.jar", "a.docm"])
def test_what_could_be_a_program_is_left_to_no_program(nvim, vault, name):
    path = vault / name
    path.write_bytes(b"MZ\0\0")
    opened, told, _ = nvim.lua(OPEN, str(path))
    assert (len(opened), told) == (
        0,
        [f"vaultseek: {name} is not opened, since a file of its type could be a program itself"],
    )
