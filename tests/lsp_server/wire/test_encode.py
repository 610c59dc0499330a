"""Answers as JSON."""

from lsp_server.wire.encode import search_answer_json
from search.answer.ranking import Hit
from search.answer.result import FoundNote, SearchResult, Snippet
from search.answer.trail import Found


def test_the_answer_for_scripts_counts_columns_in_characters(tmp_path):
    def answer(name):
        note = FoundNote(
            hit=Hit.found(name, Found("lexical", 1.0)), title="T", sentence="S", snippets=(Snippet("x", 0, 4),)
        )
        return search_answer_json(SearchResult(hits=(note,)), tmp_path, query="q")

    assert b'"start":{"line":0,"character":4}' in answer("a.md")
    assert '"id":"\N{REPLACEMENT CHARACTER}.md"'.encode() in answer("\udcff.md")
    assert b"/%FF.md" in answer("\udcff.md")
