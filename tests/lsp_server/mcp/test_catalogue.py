"""Calls of tools without a protocol: bad arguments become one sentence each."""

import pytest

from lsp_server.mcp.catalogue import Failure, call
from lsp_server.mcp.vaults import OpenVault, Vaults
from search.budget import UNLIMITED
from search.engine import Engine
from vaults import write

VAULT = """
--- Telescope.md
---
tags: [optics]
aliases: [Big Eye]
---
# Telescope

The mirror of the telescope is washed in June.

## Focus

Turn the knob slowly.
--- Garden/Apple.md
# Apple

Apples are picked in October.
"""


@pytest.fixture
def vaults(tmp_path):
    opened = Vaults((OpenVault("notes", write(tmp_path, VAULT), Engine),))
    yield opened
    opened.close()


BAD_CALLS: tuple[tuple[str, dict[str, object], str], ...] = (
    ("serch_notes", {"query": "x"}, "there is no tool 'serch_notes'; did you mean search_notes?"),
    ("search_notes", {}, "the argument query is missing"),
    ("search_notes", {"query": 5}, "query: 5 is not allowed; allowed is a text"),
    ("search_notes", {"query": " "}, "a text that is not empty"),
    ("search_notes", {"query": "x" * 100_000}, "allowed is a text of at most 2,000 characters"),
    ("search_notes", {"query": "x", "limit": 51}, "limit: 51 is not allowed; allowed is a whole number from 1 to 50"),
    ("search_notes", {"query": "x", "limit": True}, "allowed is a whole number"),
    ("search_notes", {"query": "x", "mode": "fuzzy"}, "allowed is one of hybrid, keyword, vector"),
    ("search_notes", {"query": "x", "tags": [1]}, "tags: [1] is not allowed; allowed is a list of at most 20 texts"),
    ("search_notes", {"query": "x", "cursor": "10-abc"}, "belongs to another query"),
    ("search_notes", {"query": "x", "limits": 5}, "there is no argument 'limits'; did you mean limit?"),
    ("read_note", {"path": "Telescop"}, "there is no note 'Telescop'; similar are Telescope.md"),
    ("read_note", {"path": "../../etc/passwd"}, "there is no note"),
    ("read_note", {"path": "/etc/passwd"}, "there is no note"),
    ("read_note", {"path": "Telescope.md", "heading": "Fokus"}, "did you mean Focus?"),
    ("read_note", {"path": "Telescope.md", "lines": "90-"}, "a range within the 11 lines of Telescope.md"),
    ("read_note", {"path": "Telescope.md", "lines": "all"}, 'a range such as "10-40"'),
    ("read_note", {"path": "Telescope.md", "max_tokens": 0}, "allowed is a whole number from 100 to 20,000"),
    ("read_note", {"path": "Telescope.md", "max_tokens": 10**9}, "allowed is a whole number from 100 to 20,000"),
    ("vault_status", {"vault": "x"}, "there is no argument 'vault'; this tool has none"),
)


@pytest.mark.parametrize(("name", "given", "sentence"), BAD_CALLS)
def test_a_bad_call_becomes_one_sentence(vaults, name, given, sentence):
    answer = call(vaults, name, given, UNLIMITED)
    assert isinstance(answer, Failure)
    assert sentence in answer.sentence
    assert "\n" not in answer.sentence


def test_null_means_the_default(vaults):
    answer = call(vaults, "search_notes", {"query": "apples", "folder": None, "limit": None}, UNLIMITED)
    assert not isinstance(answer, Failure)
    assert answer.data["total"] == 1
