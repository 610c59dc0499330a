"""Rows of the Neovim client's lists: the matches of an excerpt are visible at every width."""

import json
import os
import subprocess

import pytest

from tests.e2e.nvim_process import PLUGIN, binaries, needs, version_of

CASES = {
    "words": (
        "Tea, tea and tea. Bag of ice on the limit switch of the shed door, after the storm",
        ["limit", "switch"],
    ),
    "accents": ("é" * 60 + " Öl für die Tür, dann " + "ü" * 60, ["Öl", "Tür"]),
    "wide": ("今日は構造化" * 6 + "知識" + "を学ぶ" * 9, ["知識"]),
    "emoji": ("🎉" * 40 + " oak " + "🎉" * 40, ["oak"]),
    "combining": ("e\u0301" * 80 + " oak e\u0301lan " + "e\u0301" * 30, ["oak", "e\u0301lan"]),
    "start": ("limit switch" + " and more words" * 9, ["limit", "switch"]),
    "end": ("more words and " * 9 + "limit switch", ["limit", "switch"]),
    "no spaces": ("x" * 100 + "limit" + "x" * 100, ["limit"]),
}

SCRIPT = """
local clip, cases = require("vaultseek.clip"), vim.fn.json_decode(vim.env.CASES)
local found = {}
for name, case in pairs(cases) do
  found[name] = {}
  for width = case.least, 230 do
    local text, marks = clip.around(case.text, case.marks, width)
    local shown = {}
    for _, mark in ipairs(marks) do
      table.insert(shown, text:sub(mark[1] + 1, mark[2]))
    end
    table.insert(found[name], { width, vim.fn.strwidth(text), text, shown })
  end
end
vim.fn.writefile({ vim.fn.json_encode(found) }, vim.env.FOUND)
"""


def marks_of(text, words):
    """The places of the words and of every "tea", in bytes, in order."""
    raw = text.encode()
    found = [(raw.index(word.encode()), len(word.encode())) for word in words]
    found += [(at, 3) for at in range(len(raw)) if raw[at : at + 3].lower() == b"tea"]
    return [[at, at + size] for at, size in sorted(found)]


@pytest.fixture(scope="module", params=binaries(), ids=version_of)
def rows(request, tmp_path_factory):
    binary = needs(request.param)
    script = tmp_path_factory.mktemp("rows") / "rows.lua"
    script.write_text(SCRIPT)
    cases = {name: {"text": text, "marks": marks_of(text, words), "least": 20} for name, (text, words) in CASES.items()}
    found = script.with_name("found.json")
    subprocess.run(
        [binary, "--clean", "--headless", "--cmd", f"set rtp+={PLUGIN}", "-c", f"luafile {script}", "-c", "qa!"],
        env={**os.environ, "CASES": json.dumps(cases), "FOUND": str(found)},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(found.read_text())


@pytest.mark.parametrize("name", CASES)
def test_the_matches_are_visible_at_every_width(rows, name):
    text, words = CASES[name]
    for width, cells, shown, marked in rows[name]:
        assert cells <= width, (width, shown)
        assert set(words) <= set(marked), (width, shown)
        assert shown.removeprefix("…").removesuffix("…") in text
