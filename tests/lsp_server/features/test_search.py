"""`vaultseek/search` with a scripted engine: parameters, answers and partial answers."""

import pytest
from attrs import evolve

from lsp_server.wire.uris import to_uri
from search.answer.evidence import Field, MatchKind
from search.answer.result import SearchResult
from search.answer.strength import AnchoredCosine, WordStrength, strength_of
from search.answer.trail import Found
from search.notice import Notice, NoticeKind
from search.query import Mode, Query, Scope
from tests.lsp_server.conftest import ANSWER, found

pytestmark = pytest.mark.asyncio


SEARCH = "vaultseek/search"


PARTIAL = evolve(ANSWER, is_complete=False, hits=(), total=0, generation=1)


async def test_a_result_has_everything_that_a_list_shows(ready, vault):
    answer = await ready.result(SEARCH, {"query": "orchid"})
    (result,) = answer.pop("results")
    assert answer == {
        "notices": [],
        "total": 1,
        "mode": "keyword",
        "searchType": "keyword",
        "complete": True,
        "generation": 3,
        "expandedQuery": {"original": "orchid", "terms": ["orchid"]},
        "timings": {"grep": 1.5},
        "vault": to_uri(vault),
    }
    explanation = result.pop("explanation")
    assert result == {
        "id": "plants/orchid.md",
        "uri": to_uri(vault / "plants/orchid.md"),
        "title": "Orchid",
        "score": 0.98,
        "engine": "lexical",
        "sentence": "Its title.",
        "snippets": [
            {
                "text": "😀 orchid",
                "range": {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 14}},
                "highlights": [{"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 14}}],
                "marks": [[3, 9]],
            }
        ],
        "sections": [{"headingPath": ["Care", "Water"], "line": 1}],
        "scoreBreakdown": {"fulltext": 0.016393},
        "relevanceReason": "1 x 0.0164 fulltext x 1.15 folder = 0.0189",
    }
    assert explanation["lexicalMatches"] == [
        {"field": "title", "query": "orchid", "weight": 3.0, "count": 1, "kind": "word"}
    ]
    assert explanation["exactName"] == "Orchid"
    assert explanation["folderBoost"] == {
        "folder": "plants",
        "documentCount": 2,
        "totalCount": 4,
        "boostFactor": 1.15,
    }
    assert explanation["graphConnections"] == {
        "backlinks": 1,
        "coCitations": 0,
        "sharedTags": 1,
        "score": 1.3,
        "boostMultiplier": 1.08,
    }
    assert "semanticScore" not in explanation
    assert "strength" not in explanation
    assert explanation["finalScore"] == 0.98


async def test_a_result_has_its_strength_and_all_numbers_of_its_derivation(ready):
    words = [
        WordStrength("oak", 2.0, 2.0, 0.63, MatchKind.STEM, Field.BODY, "oaks", is_near=True),
        WordStrength("elm", 3.0, 3.0),
    ]
    derivation = strength_of(words, AnchoredCosine(0.5, 0.2, 0.6))
    answer = evolve(ANSWER, hits=(evolve(ANSWER.hits[0], strength=derivation.value, derivation=derivation),))
    ready.script = lambda *_: answer
    (result,) = (await ready.result(SEARCH, {"query": "oak elm"}))["results"]
    assert (result["score"], result["strength"], result["strengthLevel"]) == (0.98, derivation.value, "good")
    assert result["explanation"]["strength"] == {
        "value": derivation.value,
        "words": [
            {
                "word": "oak",
                "idf": 2.0,
                "weight": 2.0,
                "quality": 0.63,
                "match": "stem",
                "field": "body",
                "form": "oaks",
                "isNear": True,
            },
            {"word": "elm", "idf": 3.0, "weight": 3.0, "quality": 0.0, "isNear": False},
        ],
        "coverage": pytest.approx(2 * 0.63 / 5),
        "nearness": pytest.approx(2 * 0.63 / 5),
        "byWords": pytest.approx(2 * 0.63 / 5),
        "cosine": 0.5,
        "floor": 0.2,
        "ceiling": 0.6,
        "byMeaning": pytest.approx(0.7 * 0.75**2),
    }


def replayed(trail):
    """The score as PROTOCOL.md tells a client to compute it."""
    score, has_raw = 0.0, False
    for step in trail:
        match step["kind"]:
            case "found":
                score, has_raw = step["raw"], True
            case "fused":
                score, has_raw = (0.0 if has_raw else score) + step["amount"], False
            case "scaled":
                score *= step["factor"]
            case "replaced":
                score, has_raw = step["value"], False
    return score


async def test_a_client_can_recompute_a_score_from_its_trail(ready):
    (result,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    trail = result["explanation"]["trail"]
    assert [step["kind"] for step in trail] == ["found", "fused", "scaled", "replaced"]
    assert replayed(trail) == result["score"] == result["explanation"]["finalScore"]
    assert replayed(trail[:-1]) == result["explanation"]["baseScore"]


async def test_all_sources_that_found_a_note_are_named(ready):
    both = SearchResult(hits=(found("a.md", Found("lexical", 1.0), Found("semantic", 0.5)),), total=1)
    ready.script = lambda *_: both
    (result,) = (await ready.result(SEARCH, {"query": "a"}))["results"]
    assert result["engine"] == "lexical+semantic"
    assert result["snippets"] == []


@pytest.mark.parametrize(
    ("offered", "agreed", "columns"),
    [
        (None, "utf-16", (5, [3, 9])),
        (["utf-16"], "utf-16", (5, [3, 9])),
        (["utf-8", "utf-16"], "utf-8", (8, [5, 11])),
        (["utf-32"], "utf-32", (4, [2, 8])),
        (["ebcdic"], "utf-16", (5, [3, 9])),
    ],
)
async def test_columns_are_in_the_agreed_encoding(client, vault, offered, agreed, columns):
    """Line 2 is 'é😀 x😀 orchid'; the excerpt starts at its fifth character."""
    general = {"positionEncodings": offered} if offered else {}
    result = await client.initialize(vault, capabilities={"general": general})
    assert result["capabilities"]["positionEncoding"] == agreed
    (hit,) = (await client.result(SEARCH, {"query": "orchid"}))["results"]
    (snippet,) = hit["snippets"]
    assert (snippet["range"]["start"]["character"], *snippet["marks"]) == columns


async def test_columns_of_an_open_note_refer_to_the_text_on_the_screen(ready, vault):
    item = {"uri": to_uri(vault / "plants/orchid.md"), "languageId": "markdown", "version": 1}
    ready.notify("textDocument/didOpen", {"textDocument": {**item, "text": "\n\n😀😀😀😀😀 orchid"}})
    (hit,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    assert hit["snippets"][0]["range"]["start"]["character"] == 8


async def test_a_missing_line_makes_a_column_wrong_but_the_answer_is_given(ready, vault):
    (vault / "plants/orchid.md").unlink()
    (hit,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    assert hit["snippets"][0]["range"]["start"] == {"line": 2, "character": 0}


async def test_options_reach_the_engine(ready, vault):
    options = {
        "maxResults": 5,
        "candidateLimit": 10,
        "folder": "plants",
        "tags": ["#green"],
        "limitTo": ["a.md", to_uri(vault / "plants/orchid.md"), "odd:name.md"],
        "salientTerms": ["epiphyte"],
        "preset": "balanced",
        "mode": "vector",
        "enableSemantic": True,
        "semanticWeight": 0.5,
        "semanticScope": "candidates",
        "rrfK": 30,
        "includeTerms": True,
    }
    answer = await ready.result(SEARCH, {"query": "orchid", "options": options})
    assert answer["notices"] == []
    assert ready.engines[0].queries == [
        Query(
            text="orchid",
            limit=5,
            candidate_limit=10,
            rrf_k=30,
            folder="plants",
            tags=("#green",),
            limit_to=("a.md", "plants/orchid.md", "odd:name.md"),
            salient_terms=("epiphyte",),
            mode=Mode.VECTOR,
            semantic_weight=0.5,
            semantic_scope=Scope.CANDIDATES,
            include_terms=True,
        )
    ]


async def test_disabling_semantic_search_means_mode_keyword(ready):
    await ready.result(SEARCH, {"query": "orchid", "options": {"enableSemantic": False, "mode": "vector"}})
    assert ready.engines[0].queries[0].mode is Mode.KEYWORD


async def test_the_keyword_result_is_sent_before_the_blended_answer(ready):
    """A client that accepts partial results need not wait until notes are embedded."""
    ready.by_words = evolve(ANSWER, mode="keyword", total=7)
    ready.script = lambda *_: evolve(ANSWER, mode="hybrid")
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert answer["mode"] == "hybrid"
    assert [(value["mode"], value["total"]) for value in ready.progress("p")] == [("keyword", 7)]


async def test_the_first_result_is_sent_before_all_its_excerpts_are_made(ready):
    """Only the first one, so that excerpts that a client shows never disappear again."""
    answers = iter([PARTIAL, ANSWER])
    ready.in_brief = evolve(ANSWER, total=9)
    ready.script = lambda *_: next(answers)
    await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert [(value["total"], value["complete"]) for value in ready.progress("p")] == [(9, False), (0, False)]
    assert len(ready.engines[0].patiences) == 2


@pytest.mark.parametrize("number", [1, 100])
async def test_the_bounds_of_a_range_are_allowed(ready, number):
    await ready.result(SEARCH, {"query": "orchid", "options": {"maxResults": number}})
    assert ready.engines[0].queries[0].limit == number


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"colour": "green"}, [("unknown-option", "'colour'")]),
        ({f"x{n}": 1 for n in range(50)}, [("unknown-option", f"'x{n}'") for n in range(10)]),
    ],
)
async def test_an_unknown_option_is_named_in_a_notice(ready, options, codes):
    answer = await ready.result(SEARCH, {"query": "orchid", "options": options})
    assert [(notice["code"], notice["subject"]) for notice in answer["notices"]] == codes
    assert answer["total"] == 1


async def test_notices_of_the_engine_come_with_the_answer(ready):
    notice = Notice(NoticeKind.TRUNCATED, "regex-timeout", "The regex took too long.")
    ready.script = lambda *_: evolve(ANSWER, notices=(notice,))
    answer = await ready.result(SEARCH, {"query": "/(a+)+$/"})
    assert answer["notices"] == [{"kind": "truncated", "code": "regex-timeout", "message": "The regex took too long."}]


@pytest.mark.parametrize("text", ["", "x" * 100_000, "nul\0", "\ud800 lone", '"unbalanced', "😀"])
async def test_any_text_is_a_query(ready, text):
    answer = await ready.result(SEARCH, {"query": text})
    assert answer["expandedQuery"]["original"] == text.replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert ready.engines[0].queries[0].text == text


async def test_partial_answers_start_with_matching_names(ready):
    """Each partial answer has the shape of the whole answer and is marked as incomplete."""
    ready.names = evolve(ANSWER, generation=1, total=5)
    ready.by_words = evolve(ANSWER, generation=2, total=6)
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    steps = ready.progress("p")
    assert [(step["total"], step["generation"], step["complete"]) for step in steps] == [(5, 1, False), (6, 2, False)]
    assert (answer["total"], answer["generation"], answer["complete"]) == (1, 3, True)
    assert all(set(step) == set(answer) for step in steps)
    assert all(set(step["results"][0]) == set(answer["results"][0]) for step in steps)


async def test_a_vault_that_is_still_read_gives_a_partial_answer_and_then_the_whole(ready):
    answers = iter([PARTIAL, PARTIAL, ANSWER])
    ready.script = lambda *_: next(answers)
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    partial, again = ready.progress("p")
    assert partial == again
    assert (partial["complete"], partial["generation"], partial["results"]) == (False, 1, [])
    assert (answer["complete"], answer["generation"], len(answer["results"])) == (True, 3, 1)
    assert set(partial) == set(answer)
    assert ready.engines[0].patiences == [0.2, 0.5, 1.0]


async def test_a_vault_that_is_read_for_long_is_waited_for_at_last(ready):
    ready.script = lambda *_: PARTIAL if ready.engines[0].patiences[-1] is not None else ANSWER
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert (answer["complete"], len(ready.progress("p"))) == (True, len(ready.engines[0].patiences) - 1)


async def test_a_vault_that_was_read_gives_one_answer(ready):
    await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert ready.progress("p") == []
    assert ready.engines[0].patiences == [0.2]


async def test_a_client_without_partial_results_waits_and_gets_the_notes_read_so_far(ready):
    ready.script = lambda *_: PARTIAL
    answer = await ready.result(SEARCH, {"query": "orchid"})
    assert answer["complete"] is False
    assert ready.engines[0].patiences == [3.0]


async def test_an_unknown_preset_is_refused(ready):
    error = await ready.error(SEARCH, {"query": "orchid", "options": {"preset": "spread"}})
    assert error["code"] == -32602
    assert "params.options.preset: 'spread' is not allowed; allowed is one of balanced" in error["message"]
    assert error["message"].endswith("did you mean graph-spread?")
