"""Calls of tools without a protocol: bad arguments become one sentence each."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.assistants import VAULT

from lsp_server.mcp.catalogue import TOOLS, Refusal, call
from lsp_server.mcp.resource import read
from lsp_server.mcp.vaults import ServedVault, Vaults
from search.budget import UNLIMITED
from search.engine import Engine
from vaults import write


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
    ("read_note", {"path": "Telescope.md", "max_tokens": 0}, "allowed is a whole number from 200 to 20,000"),
    ("read_note", {"path": "Telescope.md", "max_tokens": 10**9}, "allowed is a whole number from 200 to 20,000"),
    ("vault_status", {"vault": "x"}, "there is no argument 'vault'; this tool has none"),
)


@pytest.mark.parametrize(("name", "arguments", "sentence"), BAD_CALLS)
def test_a_bad_call_becomes_one_sentence(vaults, name, arguments, sentence):
    answer = call(vaults, name, arguments, UNLIMITED)
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


WRITTEN = ("Garden/Apple", "Apple", "{root}/Garden/Apple.md", "vaultseek://note/Garden/Apple.md", " /Garden/Apple.md ")
WRITTEN += ("[[Apple]]", "[[Garden/Apple|apples]]", "Garden/Apple.md:3", "Garden/Apple.md:1-3", "Apple#Apple")


@pytest.mark.parametrize("path", WRITTEN)
def test_a_note_is_found_however_a_model_writes_its_path(vaults, path):
    path = path.replace("{root}", vaults.all[0].root.as_posix())
    for tool, more in (("read_note", {}), ("explain_result", {"query": "apple"})):
        answer = call(vaults, tool, {"path": path, **more}, UNLIMITED)
        assert not isinstance(answer, Refusal), answer
        assert answer.data["path"] == "Garden/Apple.md"


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")
@pytest.mark.parametrize(
    "name", ["two  blanks.md", "line\nend.md", "esc\x1b[2J.md", "back\\slash.md", "a:3.md", "rev\u202e.md"]
)
def test_a_path_in_an_answer_leads_back_to_its_note(tmp_path, name):
    (tmp_path / name).write_text("A quince.", encoding="utf-8")
    vaults = Vaults((ServedVault("notes", tmp_path, Engine),))
    found = call(vaults, "search_notes", {"query": "quince"}, UNLIMITED)
    assert not isinstance(found, Refusal)
    (result,) = found.data["results"]
    assert "\n" not in result["path"]
    answer = call(vaults, "read_note", {"path": result["path"]}, UNLIMITED)
    assert not isinstance(answer, Refusal), answer
    assert answer.data["text"] == "1| A quince."
    vaults.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3),
)
NAMES = sorted({parameter.name for tool in TOOLS for parameter in tool.parameters})


@given(st.sampled_from([tool.name for tool in TOOLS]), st.dictionaries(st.sampled_from(NAMES) | st.text(), JSON))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_arguments_are_answered_or_refused_in_one_line(vaults, name, arguments):
    answer = call(vaults, name, arguments, UNLIMITED)
    if isinstance(answer, Refusal):
        assert "internal error" not in answer.sentence
        assert "\n" not in answer.sentence
        assert len(answer.sentence) <= 600
