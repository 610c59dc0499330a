"""Each preset along its own document: the flow and the numbers that it names, worked out by hand."""

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.evidence import Evidence
from search.answer.explain import breakdown, relevance_reason
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, replay
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.ranking.presets import graph_linear, graph_spread, neighbour_recency
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.syntax import parse
from search.vault.markdown import parse_note
from vaults import notes_of

DAY = 86_400.0
NOW = 20_000 * DAY


def corpus_of(vault: str, ages=None) -> Corpus:
    corpus = Corpus()
    corpus.update(
        parse_note(NoteId(path), text, modified=NOW - DAY * (ages or {}).get(path, 400))
        for path, text in notes_of(vault).items()
    )
    return corpus


def meaning_of(pipeline, **cosines) -> SemanticScores:
    """What a model would say: of each note the cosines of its passages."""
    sections = Ranking.of(
        Hit.found(
            (NoteId(f"{name}.md"), at),
            Found("semantic", cosine),
            evidence=Evidence(cosine=cosine, semantic_lines=(at, at + 1)),
        )
        for name, found in cosines.items()
        for at, cosine in enumerate(found)
    )
    near = Ranking.of(
        Hit.found(NoteId(f"{name}.md"), Found("semantic", max(found)), evidence=Evidence(cosine=max(found)))
        for name, found in cosines.items()
    )
    return SemanticScores(
        notes=near,
        with_vectors=frozenset(near.ranks),
        passages=sections,
        weight=pipeline.semantic.weight,
        floor=0.2,
        gate=0.6,
    )


def ranked(pipeline, corpus, text, *, meaning=None, limit=10, allowed=None):
    query = Query(text=text, limit=limit)
    request = Request(query=query, parsed=parse(text), pipeline=pipeline, allowed=allowed, now=NOW)
    if meaning is not None:  # of every note
        meaning = evolve(meaning, with_vectors=frozenset(corpus.notes))
    found = rank(request, corpus, scores=meaning)
    assert all(replay(hit.trail) == hit.score for hit in found.ranking)
    return found


def scores(found):
    return {hit.id.removesuffix(".md"): round(hit.score, 6) for hit in found.ranking}


# deploy -> runbook -> far; rollback apart
GARDEN = """--- deploy.md
see [[runbook]]
--- runbook.md
up:: [[far]]
--- far.md
nothing
--- rollback.md
undo undo
--- lone.md
one undo among many other words that make it long
"""
COSINES = {"deploy": [0.9, 0.6, 0.3], "rollback": [0.5]}


# designs/0


def test_graph_linear_adds_seventy_twentyone_and_nine_hundredths():
    corpus = corpus_of(GARDEN)
    found = ranked(graph_linear(), corpus, "undo", meaning=meaning_of(graph_linear(), **COSINES))
    bm25 = {hit.id.removesuffix(".md"): hit.score for hit in found.retrieval.lexical}
    assert scores(found) == {
        "deploy": pytest.approx(0.7 * (0.8 * 0.9 + 0.2 * 0.6) + 0.21 * 1.0),
        "rollback": pytest.approx(0.7 * 0.5 + 0.21 * 1.0 + 0.09 * 1.0),
        "runbook": pytest.approx(0.21 * 1.0),  # one hop
        "far": pytest.approx(0.21 * 0.5),  # two
        "lone": pytest.approx(0.09 * bm25["lone"] / bm25["rollback"], abs=1e-6),
    }
    deploy = found.ranking.hits[0]
    assert len(deploy.evidence.passages) == 3
    assert breakdown(deploy.trail) == {"graphProximity": 1.0, "vectorSimilarity": 0.84}
    assert relevance_reason(deploy.trail) == "0.21 x 1 graphProximity + 0.7 x 0.84 vectorSimilarity = 0.798"


def test_graph_linear_moves_the_weight_where_full_text_finds_nothing():
    found = ranked(graph_linear(), corpus_of(GARDEN), "absent", meaning=meaning_of(graph_linear(), **COSINES))
    assert scores(found) == {
        "deploy": pytest.approx(0.7 * 0.84 + 0.3),
        "rollback": pytest.approx(0.7 * 0.5 + 0.3),
        "runbook": pytest.approx(0.3),
        "far": pytest.approx(0.15),
    }


def test_graph_linear_follows_only_the_links_it_is_told_to():
    pipeline = graph_linear().following(link_types=("up",))
    assert "runbook" not in scores(
        ranked(pipeline, corpus_of(GARDEN), "absent", meaning=meaning_of(pipeline, **COSINES))
    )
    near = graph_linear().following(depth=1)
    assert "far" not in scores(ranked(near, corpus_of(GARDEN), "absent", meaning=meaning_of(near, **COSINES)))


def test_graph_linear_without_vectors_is_full_text_alone():
    found = ranked(graph_linear(), corpus_of(GARDEN), "undo")
    assert list(scores(found)) == ["rollback", "lone"]
    assert found.ranking.hits[0].score == 1.0
    assert not found.has_semantic


def test_graph_linear_takes_ten_candidates_for_each_result():
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30))
    found = ranked(graph_linear(), corpus_of(notes), "undo", limit=2)
    assert len(found.fused) == 20


# designs/1


def test_graph_spread_fuses_by_rank_spreads_and_cuts():
    """Deploy 1st by vector, rollback 1st and deploy... by words: the numbers of each step."""
    corpus = corpus_of(GARDEN)
    found = ranked(graph_spread(), corpus, "undo", meaning=meaning_of(graph_spread(), **COSINES), limit=5)
    fused = {hit.id: hit.score for hit in found.fused}
    assert fused["rollback.md"] == pytest.approx(0.5 / 61 + 0.5 / 62)
    assert fused["deploy.md"] == pytest.approx(0.5 / 61)
    assert fused["lone.md"] == pytest.approx(0.5 / 62)
    top = fused["rollback.md"]
    deploy = fused["deploy.md"] / top
    assert scores(found) == {"rollback": 1.0, "deploy": pytest.approx(deploy, abs=1e-6)}  # .8 * .504 is under .5
    assert "lone" not in scores(found)  # .496


def test_graph_spread_keeps_the_best_way_and_no_more_than_the_seeds():
    corpus = corpus_of(
        "--- a.md\nundo undo [[c]]\n--- b.md\nundo [[c]] and more\n--- c.md\nx\n--- d.md\nundo with many more words\n"
    )
    found = ranked(graph_spread(), corpus, "undo", limit=2)
    assert scores(found) == {"a": 1.0, "b": round(61 / 62, 6), "c": 0.8}
    assert [name for name, _ in found.after] == ["normalize", "spread", "cut"]


@pytest.mark.parametrize("text", ["getUserById", "user by", "get user"])
def test_graph_spread_finds_the_parts_of_camel_case(text):
    assert "a" in scores(ranked(graph_spread(), corpus_of("--- a.md\ncall getUserById here\n"), text))


def test_graph_spread_looks_only_for_words_that_carry_meaning():
    corpus = corpus_of("--- a.md\nthe with from would\n--- b.md\nfor loops\n")
    assert scores(ranked(graph_spread(), corpus, "the loops from would")) == {"b": 1.0}
    assert scores(ranked(graph_spread(), corpus, "for")) == {"b": 1.0}
    assert scores(ranked(graph_spread(), corpus, "would")) == {"a": 1.0}  # nothing else was asked


def test_graph_spread_follows_notes_that_come_change_and_go():
    corpus = corpus_of("--- a.md\nundo [[b]]\n--- b.md\nx\n")
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "b": 0.8}
    corpus.update([parse_note(NoteId("a.md"), "undo")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0}
    corpus.update([parse_note(NoteId("c.md"), "[[a]]")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "c": 0.8}
    corpus.remove([NoteId("a.md")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {}


# designs/4


def test_neighbour_recency_fuses_three_lists_and_lifts_what_is_fresh():
    corpus = corpus_of(GARDEN, ages={"rollback.md": 20, "lone.md": 3})
    found = ranked(neighbour_recency(), corpus, "undo", meaning=meaning_of(neighbour_recency(), **COSINES))
    one, weak = 1 / 2.2, 0.2 / 2.2
    fused = {hit.id: hit.score for hit in found.fused}
    assert fused["rollback.md"] == pytest.approx(one / 61 + one / 62)
    assert fused["deploy.md"] == pytest.approx(one / 61)
    assert fused["lone.md"] == pytest.approx(one / 62)
    assert fused["runbook.md"] == pytest.approx(weak / 61)
    assert "far.md" not in fused  # two links away
    top = 1.1 * fused["rollback.md"]
    assert scores(found) == {
        "rollback": 1.0,
        "lone": pytest.approx(1.2 * fused["lone.md"] / top, abs=1e-6),
        "deploy": pytest.approx(fused["deploy.md"] / top, abs=1e-6),
        "runbook": pytest.approx(fused["runbook.md"] / top, abs=1e-6),
    }
    runbook = found.ranking.hits[-1]
    assert runbook.trail[:2] == (
        Found("neighbours", 0.9),
        Fused("neighbours", 1, pytest.approx(weak), pytest.approx(weak / 61)),
    )


@pytest.mark.parametrize(("top_n", "top_k"), [(1, 10), (5, 10), (6, 12), (25, 50), (100, 200)])
def test_neighbour_recency_takes_ten_or_twice_the_results_of_each_source(top_n, top_k):
    assert neighbour_recency().pool.size(top_n) == top_k


NAMES = [f"n{n}" for n in range(14)]
vaults = st.fixed_dictionaries(
    {name: st.tuples(st.booleans(), st.lists(st.sampled_from(NAMES), max_size=3), st.integers(0, 40)) for name in NAMES}
)
cosines = st.dictionaries(st.sampled_from(NAMES), st.lists(st.floats(0.2, 1.0), min_size=1, max_size=1), max_size=14)


@settings(max_examples=40, deadline=None)
@given(vaults, cosines, st.integers(1, 8))
def test_neighbour_recency_keeps_its_six_invariants(vault, near, top_n):
    corpus = Corpus()
    corpus.update(
        parse_note(
            NoteId(f"{name}.md"),
            f"{'undo' if has_word else 'x'} {' '.join(f'[[{to}]]' for to in targets)}",
            modified=NOW - age * DAY,
        )
        for name, (has_word, targets, age) in vault.items()
    )
    pipeline = neighbour_recency()
    found = ranked(pipeline, corpus, "undo", meaning=meaning_of(pipeline, **near), limit=top_n)
    shown = found.ranking.top(top_n)
    top_k = max(10, 2 * top_n)
    assert len(shown) <= top_n  # 1
    fused = [(hit, step.source) for hit in found.fused for step in hit.trail if isinstance(step, Fused)]
    for source in ("lexical", "semantic", "neighbours"):  # 2
        assert sum(by == source for _, by in fused) <= top_k
    assert all(0.0 <= hit.score <= 1.0 for hit in shown)  # 3
    assert not shown.hits or shown.hits[0].score == 1.0
    assert [hit.score for hit in shown] == sorted((hit.score for hit in shown), reverse=True)  # 4
    assert pipeline.pool.size(top_n) == top_k >= 10  # 5
    assert len({hit.id for hit in shown}) == len(shown)  # 6
    found_itself = {hit.id: hit.score for hit, by in fused if by != "neighbours"}
    for hit in found.fused:
        if hit.id not in found_itself:
            assert hit.evidence.link is not None
            assert hit.score < found_itself[NoteId(hit.evidence.link.origin)]
