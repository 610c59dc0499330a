"""Answers as JSON."""

import json

import attrs
import orjson
import pytest

from lsp_server.wire.encode import script_context, search_answer, to_json
from lsp_server.wire.types import STEP_KINDS, WireExplanation, wire_fields
from search.answer.evidence import Evidence, Field, FieldMatch, FolderEvidence, GraphEvidence, MatchKind
from search.answer.ranking import Hit
from search.answer.result import FoundNote, SearchResult, Snippet
from search.answer.trail import Found, Fused, Replaced, Scaled
from search.notice import Notice, NoticeKind


def encoded(root, *hits, **parts):
    notes = tuple(FoundNote(hit=hit, title="T", sentence="S", snippets=(Snippet("x", 0, 4),)) for hit in hits)
    return orjson.dumps(to_json(search_answer("q", SearchResult(hits=notes, **parts), script_context(root), ())))


def test_the_answer_for_scripts_counts_columns_script_context(tmp_path):
    assert b'"start":{"line":0,"character":4}' in encoded(tmp_path, Hit.found("a.md", Found("lexical", 1.0)))


def test_a_lone_surrogate_becomes_the_replacement_character_except_in_a_uri(tmp_path):
    answer = encoded(tmp_path, Hit.found("\udcff.md", Found("lexical", 1.0)))
    assert '"id":"\N{REPLACEMENT CHARACTER}.md"'.encode() in answer
    assert b"/%FF.md" in answer
    assert to_json(FieldMatch(Field.BODY, "a", 1.0, form="\udcff"))["form"] == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            FieldMatch(Field.TITLE, "oak", 3.0),
            {"field": "title", "query": "oak", "weight": 3.0, "count": 1, "kind": "word"},
        ),
        (
            FieldMatch(Field.BODY, "oak", 1.0, 2, MatchKind.STEM, is_suggested=True, form="oaks"),
            {
                "field": "body",
                "query": "oak",
                "weight": 1.0,
                "count": 2,
                "kind": "stem",
                "suggested": True,
                "form": "oaks",
            },
        ),
        (
            FolderEvidence("plants", 2, 4, 1.15),
            {"folder": "plants", "documentCount": 2, "totalCount": 4, "boostFactor": 1.15},
        ),
        (
            GraphEvidence(1, 2, 3, 2.9, 1.1),
            {"backlinks": 1, "coCitations": 2, "sharedTags": 3, "score": 2.9, "boostMultiplier": 1.1},
        ),
        (Found("lexical", 0.0), {"kind": "found", "source": "lexical", "raw": 0.0}),
        (
            Fused("lexical", 1, 1.0, 0.0),
            {"kind": "fused", "source": "lexical", "rank": 1, "weight": 1.0, "amount": 0.0},
        ),
        (Scaled("folder", 1.1, ""), {"kind": "scaled", "by": "folder", "factor": 1.1, "why": ""}),
        (Replaced("normalize", 0.0, ""), {"kind": "replaced", "by": "normalize", "value": 0.0, "why": ""}),
        (Notice(NoticeKind.SKIPPED, "a", "b"), {"kind": "skipped", "code": "a", "message": "b"}),
        (Notice(NoticeKind.SKIPPED, "a", "b", "c"), {"kind": "skipped", "code": "a", "message": "b", "subject": "c"}),
    ],
)
def test_a_value_of_the_core_has_these_fields_in_this_order(value, expected):
    """Empty optional fields are omitted; zeros and other empty texts are not."""
    assert list(to_json(value).items()) == list(expected.items())


def test_optional_fields_keep_their_place_between_others(tmp_path):
    hit = Hit.found("a.md", Found("lexical", 1.0), evidence=Evidence(cosine=0.0, exact_name="A"))
    explanation = json.loads(encoded(tmp_path, hit))["results"][0]["explanation"]
    assert list(explanation) == ["lexicalMatches", "exactName", "semanticScore", "baseScore", "finalScore", "trail"]


def test_every_step_of_a_trail_has_a_kind():
    (steps,) = [field.type for field in wire_fields(WireExplanation) if field.name == "trail"]
    assert set(STEP_KINDS) == set(steps.__args__[0].__args__)
    assert all(attrs.has(step) for step in STEP_KINDS)


def test_no_control_character_of_a_note_reaches_an_editor(tmp_path):
    evil = "a\x1b[31m\x07\x9b\x7f\u202eb\tc"
    hit = Hit.found("e\x1bvil.md", Found("lexical", 1.0))
    snippet = Snippet(evil, 3, 0, ((0, 1), (10, 11)))
    note = FoundNote(hit=hit, title=evil, sentence=evil, snippets=(snippet,))
    result = SearchResult(hits=(note,), notices=(Notice(NoticeKind.SKIPPED, "x", evil),))
    answer = to_json(search_answer(evil, result, script_context(tmp_path), ()))
    shown = "a\ufffd[31m\ufffd\ufffd\ufffd\ufffdb\tc"
    found = answer["results"][0]
    assert [found["title"], found["sentence"], answer["notices"][0]["message"]] == [shown] * 3
    assert (found["snippets"][0]["text"], found["snippets"][0]["marks"]) == (shown, [(0, 1), (10, 11)])
    assert (found["id"], found["uri"]) == ("e\ufffdvil.md", f"{tmp_path.as_uri()}/e%1Bvil.md")
