"""`vaultseek context`: what it prints, and what it refuses."""

import json

import attrs
import pytest

from lsp_server.cli import context
from lsp_server.wire.fields import InRange
from lsp_server.wire.types import ContextParams
from search.analysis.token_estimate import estimate_tokens
from search.answer.context import DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS


def test_passages_stand_under_their_places_and_the_last_line_says_what_was_covered(run):
    ran = run("context", "oak", "stands")
    assert ran.code == 0
    assert "\n[2] " in ran.out
    assert ran.out.startswith("[1] ")
    assert ran.out.splitlines()[-1].startswith("Shown: 4 passages of 4 notes; found: 4 notes.")


def test_json_has_verbatim_passages_with_their_places(run, tmp_path):
    answer = json.loads(run("context", "oak", "--json", "--max-tokens", "200").out)
    assert estimate_tokens(answer["text"]) == answer["tokens"] <= answer["maxTokens"] == 200
    assert answer["passages"]
    for passage in answer["passages"]:
        text = (tmp_path / passage["id"]).read_bytes().decode()
        assert text[passage["start"] : passage["end"]] == passage["text"]


def test_nothing_in_a_note_or_its_name_controls_the_terminal(run, tmp_path):
    (tmp_path / "a\x1b[31m\n[9] b.md").write_bytes("rowanberry\u200b \x1b[2J\x07\r\nred".encode())
    ran = run("context", "rowanberry")
    assert "[1] a\\x1b[31m\\x0a[9] b.md:1\nrowanberry\\u200b \\x1b[2J\\x07\nred\n" in ran.out
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("value", ["0", "99", "1000000000", "9" * 5_000, "-1", "many", "1.5", ""])
def test_a_budget_out_of_range_is_an_error_of_one_line(run, value):
    ran = run("context", "oak", f"--max-tokens={value}")
    assert (ran.code, ran.out) == (2, "")
    assert "a whole number from 100 to 1,000,000" in ran.err
    assert ran.err.count("\n") == 1


def test_an_unknown_folder_or_tag_is_named(run):
    ran = run("context", "oak", "--folder", "nowhere", "--tag", "tre")
    assert (ran.code, ran.out) == (1, "Nothing was found.\n")
    assert "no folder ‘nowhere’" in ran.err
    assert "tree" in ran.err


@pytest.mark.parametrize(
    "query", ["oak " * 25_000, "the of and", "-oak", "(((", "AND"], ids=["long", "stop", "-", "(", "AND"]
)
def test_any_question_is_answered(run, query):
    ran = run("context", query)
    assert ran.code in {0, 1}
    assert ran.out.splitlines()[-1].startswith(("Shown: ", "Nothing was found."))


def test_an_empty_question_or_a_missing_vault_is_an_error(run, tmp_path):
    assert run("context", " ").code == 2
    ran = run("context", "oak", "--vault", str(tmp_path / "gone"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_the_limits_of_a_context_are_the_same_on_every_way_to_it():
    allowed = (context.MIN_TOKENS, context.MAX_TOKENS)
    assert allowed == (MIN_TOKENS, MAX_TOKENS)
    assert attrs.fields(ContextParams).max_tokens.validator == InRange(*allowed)
    assert context.DEFAULT_TOKENS == ContextParams(query="").max_tokens == DEFAULT_TOKENS
