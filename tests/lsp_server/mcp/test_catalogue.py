"""Calls of tools without a protocol: bad arguments become one sentence each."""

import pytest

from lsp_server.mcp.catalogue import Refusal, call
from lsp_server.mcp.resource import read
from lsp_server.mcp.vaults import ServedVault, Vaults
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
    opened = Vaults((ServedVault("notes", write(tmp_path, VAULT), Engine),))
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
    assert isinstance(answer, Refusal)
    assert sentence in answer.sentence
    assert "\n" not in answer.sentence


def test_null_means_the_default(vaults):
    answer = call(vaults, "search_notes", {"query": "apples", "folder": None, "limit": None}, UNLIMITED)
    assert not isinstance(answer, Refusal)
    assert answer.data["total"] == 1


def test_a_bug_in_one_call_becomes_a_sentence(vaults, monkeypatch, capsys):
    def fail(*_given):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(vaults.all[0], "_open_engine", fail)
    answer = call(vaults, "vault_status", {}, UNLIMITED)
    assert answer == Refusal("internal error (ZeroDivisionError); try other arguments")
    assert "ZeroDivisionError: secret" in capsys.readouterr().err


def test_a_resource_names_the_vault_where_there_are_several(vaults, tmp_path):
    more = Vaults((*vaults.all, ServedVault("more", write(tmp_path / "more", "--- Oak tree.md\nAn oak.\n"), Engine)))
    found = read(more, "vaultseek://note/more/Oak%20tree.md", UNLIMITED)
    assert "1| An oak." in str(found)
    assert "must begin with a vault, which is one of notes, more" in str(
        read(more, "vaultseek://note/Oak%20tree.md", UNLIMITED)
    )
    more.close()
    answer = call(more, "vault_status", {"vault": "more"}, UNLIMITED)
    assert answer == Refusal("the server is ending")


@pytest.mark.parametrize(
    "path", ["Garden/Apple", "garden apple", "{root}/Garden/Apple.md", "vaultseek://note/Garden/Apple.md"]
)
def test_a_note_is_found_however_a_model_writes_its_path(vaults, path):
    written = path.replace("{root}", vaults.all[0].root.as_posix()).replace("garden apple", "Apple")
    answer = call(vaults, "read_note", {"path": written}, UNLIMITED)
    assert not isinstance(answer, Refusal), answer
    assert answer.data["path"] == "Garden/Apple.md"
