"""Each preset follows its document: the flow and its numbers, computed by hand."""

from math import log

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.evidence import Evidence, Field, GraphEvidence
from search.answer.explain import breakdown, relevance_reason
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, Replaced, Scaled, replay
from search.ids import NoteId
from search.index.corpus import Corpus
from search.normalize.minmax import to_minmax
from search.query import Query
from search.ranking.presets import balanced, graph_linear, graph_spread, neighbour_recency, tiered_lexical
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.ranking.retrieval import retrieve
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.normalize import Normalize
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
    """Scores as from a model: for each note the cosines of its passages."""
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


# deploy -> runbook -> far; rollback has no links
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


def test_graph_linear_weighs_meaning_seventy_links_twenty_one_and_words_nine_hundredths():
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


def test_graph_linear_gives_the_weight_of_words_to_links_if_full_text_finds_nothing():
    found = ranked(graph_linear(), corpus_of(GARDEN), "absent", meaning=meaning_of(graph_linear(), **COSINES))
    assert scores(found) == {
        "deploy": pytest.approx(0.7 * 0.84 + 0.3),
        "rollback": pytest.approx(0.7 * 0.5 + 0.3),
        "runbook": pytest.approx(0.3),
        "far": pytest.approx(0.15),
    }


def test_graph_linear_follows_only_the_requested_links():
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
    """Deploy is first by meaning and rollback first by words; the numbers of each step follow."""
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


def test_graph_spread_counts_the_best_path_and_spreads_from_the_seeds_only():
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
    assert scores(ranked(graph_spread(), corpus, "would")) == {"a": 1.0}  # the query has no other word


def test_graph_spread_follows_added_changed_and_removed_notes():
    corpus = corpus_of("--- a.md\nundo [[b]]\n--- b.md\nx\n")
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "b": 0.8}
    corpus.update([parse_note(NoteId("a.md"), "undo")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0}
    corpus.update([parse_note(NoteId("c.md"), "[[a]]")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "c": 0.8}
    corpus.remove([NoteId("a.md")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {}


# designs/3

# 3 of 5 notes of kitchen/ and 3 of 10 of attic/ contain the word; attic/l0 and l1 are linked from attic/l2.
HOUSE = "".join(f"--- kitchen/k{n}.md\n{'undo' if n < 3 else 'other'} {'more ' * n}\n" for n in range(5)) + "".join(
    f"--- attic/l{n}.md\n{'undo' if n < 3 else 'other'} {'more ' * (5 + n)}{'[[l0]] [[l1]]' if n == 2 else ''}\n"
    for n in range(10)
)


def compared_with(corpus, text, *, limit=10, suggestions=()):
    """The notes that are compared with the query by meaning."""
    query = Query(text=text, limit=limit)
    pipeline = tiered_lexical()
    request = Request(query=query, parsed=parse(text), pipeline=pipeline, semantic=pipeline.semantic)
    return retrieve(request, corpus, suggestions=suggestions).compared


def ranked_tiered(corpus, text, *, limit=10, **cosines):
    """Ranked by words and meaning, with these cosines from the model."""
    pipeline, compared = tiered_lexical(), compared_with(corpus, text, limit=limit)
    meaning = meaning_of(pipeline, **{name: [cosine] for name, cosine in cosines.items() if f"{name}.md" in compared})
    return ranked(pipeline, corpus, text, meaning=meaning, limit=limit)


def test_tiered_lexical_fuses_by_rank_with_weights_of_forty_for_words_and_sixty_for_meaning():
    pipeline = tiered_lexical()
    corpus = corpus_of("--- a.md\nundo undo undo\n--- b.md\nundo undo\n--- c.md\nundo\n--- d.md\nnothing\n")
    found = ranked_tiered(corpus, "undo", c=0.5, b=0.4, d=0.9)
    assert (pipeline.semantic.weight, pipeline.rrf.k) == (0.6, 60)
    fused = {
        "b.md": 0.4 / (60 + 2) + 0.6 / (60 + 2),
        "c.md": 0.4 / (60 + 3) + 0.6 / (60 + 1),
        "a.md": 0.4 / (60 + 1),
    }
    assert {hit.id: hit.score for hit in found.fused} == pytest.approx(fused)
    boosted = {note: 1.15 * score for note, score in fused.items()}  # 3 of the 4 notes of the top folder match
    low, high = boosted["a.md"], boosted["c.md"]
    assert scores(found) == {
        "c": 0.98,
        "b": pytest.approx(0.02 + 0.96 * (boosted["b.md"] - low) / (high - low), abs=1e-6),
        "a": 0.02,
    }


def test_tiered_lexical_gives_words_the_whole_weight_without_vectors():
    found = ranked(tiered_lexical(), corpus_of("--- a.md\nundo undo\n--- b.md\nundo\n--- x/c.md\n-\n"), "undo")
    assert {hit.id: hit.score for hit in found.fused} == pytest.approx({"a.md": 1 / 61, "b.md": 1 / 62})


def test_tiered_lexical_has_the_field_weights_of_its_document():
    assert tiered_lexical().lexical.model.weights == {
        Field.TITLE: 3.0,
        Field.PATH: 1.5,
        Field.TAGS: 1.5,
        Field.HEADINGS: 1.5,
        Field.LINKS: 1.5,
        Field.PROPERTIES: 1.5,
        Field.BODY: 1.0,
    }


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_tiered_lexical_takes_twice_the_results_from_words_and_from_meaning(limit):
    """Meaning and words have opposite orders, so no note is among the best of both."""
    corpus = corpus_of("".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30)))
    assert len(ranked(tiered_lexical(), corpus, "undo", limit=limit).fused) == 2 * limit
    both = ranked_tiered(corpus, "undo", limit=limit, **{f"n{n:02}": 0.3 + 0.02 * n for n in range(30)}).fused
    best = [*range(2 * limit), *range(30 - 2 * limit, 30)]
    assert sorted(hit.id for hit in both) == [f"n{n:02}.md" for n in best]


def test_tiered_lexical_searches_by_meaning_only_among_the_candidates():
    """It searches all candidates, up to 500, including those beyond the best twenty by words."""
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30))
    corpus = corpus_of(notes + "--- other.md\nnothing\n")
    assert sorted(compared_with(corpus, "undo")) == [f"n{n:02}.md" for n in range(30)]
    found = ranked_tiered(corpus, "undo", n29=0.9, other=0.9)
    assert scores(found)["n29"] == 0.98
    assert "other" not in scores(found)
    assert tiered_lexical().grep.candidate_limit == 500


def test_tiered_lexical_counts_notes_that_only_suggested_words_find_among_the_candidates():
    corpus = corpus_of("--- a.md\nundo\n--- b.md\nrevert\n--- c.md\nnothing\n")
    assert compared_with(corpus, "undo", suggestions=("revert",)) == ["a.md", "b.md"]


def test_tiered_lexical_boosts_a_folder_if_two_fifths_of_its_notes_match():
    """Examples of the document: 3 of 5 notes give 1.15, 3 of 10 notes give no boost."""
    found = ranked(tiered_lexical(), corpus_of(HOUSE), "undo")
    after = dict(found.after)
    assert list(after) == ["folder", "graph", "normalize"]
    factors = {hit.id: hit.score / found.fused.hits[found.fused.ranks[hit.id] - 1].score for hit in after["folder"]}
    assert factors == pytest.approx(
        {f"kitchen/k{n}.md": 1.15 for n in range(3)} | {f"attic/l{n}.md": 1.0 for n in range(3)}
    )


def test_tiered_lexical_boosts_every_match_of_a_folder_however_weak():
    """2 of 5 notes match, the second one barely: 1 + (log2(3) - 1) * sqrt(2 / 5) = 1.37, so 1.15 for both."""
    vault = "--- a/1.md\n# Undo\n--- a/2.md\nundo" + " more" * 50 + "\n--- a/3.md\n-\n--- a/4.md\n-\n--- a/5.md\n-\n"
    found = ranked(tiered_lexical(), corpus_of(vault), "undo")
    assert [Scaled("folder", 1.15, "2 of 5 notes in a/ match") in hit.trail for hit in found.ranking] == [True, True]
    assert (
        Scaled("folder", 1.15, "2 of 5 notes in a/ match")
        not in ranked(balanced(), corpus_of(vault), "undo").ranking.hits[1].trail
    )


def test_tiered_lexical_boosts_the_targets_of_links_after_folders():
    """l0 and l1: one backlink, and one note that cites both: 1 + 0.1 * ln(1 + 1 + 0.5)."""
    found = ranked(tiered_lexical(), corpus_of(HOUSE), "undo")
    factor = 1 + 0.1 * log(1 + 1.0 + 0.5)
    hits = {hit.id: hit for hit in found.ranking}
    for note in ("attic/l0.md", "attic/l1.md"):
        assert hits[note].evidence.graph == GraphEvidence(1, 1, 0, 1.5, pytest.approx(factor))
    assert hits["attic/l2.md"].evidence.graph is None
    raw = {hit.id: hit.score for hit in found.fused}
    boosted = [raw[note] * (1.15 if "kitchen" in note else factor if note != "attic/l2.md" else 1.0) for note in hits]
    assert [hit.score for hit in found.ranking] == pytest.approx(list(to_minmax(boosted)))
    assert isinstance(hits["attic/l0.md"].trail[-1], Replaced)


def test_tiered_lexical_counts_shared_tags_and_links_back_and_forth():
    """Each has a backlink and a tag in common: 1 + 0.1 * ln(1 + 1 + 0.3)."""
    vault = "--- x/a.md\nundo undo [[b]] #tree\n--- y/b.md\nundo and more of it [[a]] #tree\n--- c.md\n-\n"
    found = ranked(tiered_lexical(), corpus_of(vault), "undo")
    factor = pytest.approx(1 + 0.1 * log(1 + 1.0 + 0.3))
    evidence = GraphEvidence(1, 0, 1, 1.3, factor)
    assert [hit.evidence.graph for hit in found.ranking] == [evidence, evidence]


def test_tiered_lexical_in_hybrid_search_counts_only_links_from_notes_with_a_high_cosine():
    """The gate is .6. `a` is the best by words but its cosine is below the gate, so its link does not count."""
    corpus = corpus_of("--- a.md\nundo undo undo [[c]]\n--- b.md\nundo undo [[c]]\n--- c.md\nundo\n" + "--- x.md\n-\n")
    by_both = {hit.id: hit.evidence.graph for hit in ranked_tiered(corpus, "undo", a=0.59, b=0.6, c=0.7).ranking}
    by_words = {hit.id: hit.evidence.graph for hit in ranked(tiered_lexical(), corpus, "undo").ranking}
    assert by_both["c.md"].backlinks == 1
    assert by_words["c.md"].backlinks == 2


def test_tiered_lexical_counts_the_links_of_the_best_ten_notes():
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n} [[n00]]\n" for n in range(15))
    found = ranked(tiered_lexical(), corpus_of(notes), "undo")
    assert found.ranking.hits[0].evidence.graph.backlinks == 9


def test_tiered_lexical_has_the_parts_of_its_document_and_no_others():
    """No reranker, other forms of words, corrections, dates or exact names."""
    pipeline = tiered_lexical()
    assert [type(stage) for stage in pipeline.stages] == [Folder, Graph, Normalize]
    assert (pipeline.stems.weight, pipeline.typos.weight) == (0.0, 0.0)
    parts = (pipeline.concepts, pipeline.sections, pipeline.proximity, pipeline.neighbours, pipeline.activation)
    assert parts == (None,) * 5
    assert scores(ranked(pipeline, corpus_of(GARDEN), "rollbakc")) == {}
    assert scores(ranked(balanced(), corpus_of(GARDEN), "rollbakc")) == {"rollback": 0.5}


# designs/4


def test_neighbour_recency_fuses_three_rankings_and_boosts_fresh_notes():
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
