"""What semantic search finds, how it ranks it, and how it is shown."""

import os

import pytest
from kit.attachments import pdf

from embedders import WordEmbedder
from search.answer.explain import render_trail
from search.answer.trail import Found, Fused, replay
from search.ids import NoteId
from search.query import Mode, Query, Scope
from search.ranking import retrieval
from search.semantic.settings import AutoIndex
from search.sources.gist import Gist
from vaults import ids, search, write

LONG_AGO = 1_600_000_000


def test_a_note_is_found_that_shares_no_word_with_the_query(make):
    result = search(make(), "car")
    assert ids(result)[0] == "Garage.md"
    assert result.mode == "hybrid"
    assert result.total == 1
    (found,) = result.hits
    assert found.sentence == "Similar in meaning."
    assert found.hit.evidence.cosine > 0.3
    assert found.hit.evidence.semantic_lines == (0, 2)
    assert [snippet.text for snippet in found.snippets] == ["The automobile needs oil."]
    assert [section.heading_path for section in found.sections] == [("Garage",)]
    assert replay(found.hit.trail) == found.hit.score


def test_keyword_search_does_not_find_it(make):
    result = search(make(), "car", mode=Mode.KEYWORD)
    assert ids(result) == []
    assert result.mode == "keyword"


def test_vector_mode_ranks_by_meaning_only(make):
    result = search(make(), "oil motorcar", mode=Mode.VECTOR)
    assert ids(result)[0] == "Garage.md"
    assert all(found.hit.evidence.nearest is not None for found in result.hits)
    steps = [step for found in result.hits for step in found.hit.trail if isinstance(step, Fused)]
    assert {step.source for step in steps} == {"semantic", "gist"}


def test_a_page_is_found_by_its_meaning(make, vault):
    (vault / "Manual.pdf").write_bytes(pdf("On lamps", "An automobile stands there", "The doctor left"))
    os.utime(vault / "Manual.pdf", (LONG_AGO, LONG_AGO))
    engine = make()
    engine.refresh()
    engine.indexer.extraction.wait()
    hits = search(engine, "car", mode=Mode.VECTOR).hits
    (snippet,) = next(found.snippets for found in hits if found.hit.id == "Manual.pdf")
    assert (snippet.page, snippet.text) == (2, "An automobile stands there")


def test_other_pages_with_the_same_text_have_vectors_of_their_own(make, vault):
    path = vault / "Manual.pdf"
    for at, pages in enumerate((("On lamps\nAn automobile",), ("On lamps", "An automobile"))):
        path.write_bytes(pdf(*pages))
        os.utime(path, (LONG_AGO + at, LONG_AGO + at))
        engine = make()
        engine.refresh()
        engine.indexer.extraction.wait()
        assert engine.seen_text(NoteId("Manual.pdf")) == "On lamps\nAn automobile"
        hits = search(engine, "car", mode=Mode.VECTOR).hits
        (found,) = (found for found in hits if found.hit.id == "Manual.pdf")
        assert found.hit.evidence.semantic_lines == (at, 2)
        engine.close()


def test_scope_candidates_returns_only_notes_with_a_word_of_the_query(make):
    engine = make()
    assert set(ids(search(engine, "doctor motorcar"))) == {"Health.md", "Garage.md"}
    assert ids(search(engine, "doctor motorcar", semantic_scope=Scope.CANDIDATES)) == ["Health.md"]


def test_the_weight_in_a_query_overrides_the_models_weight(make):
    hits = search(make(), "oil car", semantic_weight=0.1).hits
    found = next(found.hit for found in hits if found.hit.id == "Garage.md")
    weights = {step.source: step.weight for step in found.trail if isinstance(step, Fused)}
    share = Gist().share
    assert weights == pytest.approx({"lexical": 0.9, "semantic": 0.1 * (1 - share), "gist": 0.1 * share})


def test_filters_apply_to_semantic_matches(make):
    engine = make()
    assert ids(search(engine, "car", folder="Notes")) == []
    assert ids(search(engine, "car -path:Garage")) == []
    assert ids(search(engine, "motorcar path:Garage")) == ["Garage.md"]


def test_an_exact_title_comes_first_whatever_is_similar(make, vault):
    write(vault, "--- car.md\nNothing here.")
    assert ids(search(make(), "car"))[0] == "car.md"


def test_explain_covers_a_note_that_only_semantic_search_finds(make):
    engine = make()
    search(engine, "car")
    reason = engine.explain(Query(text="car"), "Garage.md")
    assert (reason.rank, reason.step) == (1, "ranked")
    assert reason.found.hit.evidence.cosine is not None


def test_the_keyword_answer_comes_before_the_hybrid_one(make):
    answers = []
    result = make().search(Query(text="oil car"), on_answer=answers.append)
    (first,) = answers
    assert first.mode == "keyword"
    assert all(found.hit.evidence.cosine is None for found in first.hits)
    assert result.mode == "hybrid"


def test_keyword_mode_gives_no_early_answer(make):
    answers = []
    make().search(Query(text="oil", mode=Mode.KEYWORD), on_answer=answers.append)
    assert answers == []


def weak_notes(text):
    """Thirty notes that each contain one word of a query, among eight others."""
    return "\n".join(f"--- weak/{n}.md\n{text} a{n} b{n} c{n} d{n} e{n} f{n} g{n} h{n}" for n in range(30))


def test_a_sure_semantic_match_outranks_thirty_weak_keyword_matches(make, vault):
    """Each of thirty notes contains one word of four; one note means the whole query, in other words."""
    write(vault, f"{weak_notes('cheap and')}\n--- Sure.md\nAutomobile physician nearby.")
    engine = make(n_first=100, patience_s=60.0)
    result = search(engine, "cheap motorcar physician nearby", limit=40)
    place = ids(result).index("Sure.md")
    assert place == 0
    sure, weakest = result.hits[place], result.hits[-1]
    assert 0.0 < weakest.hit.score < sure.hit.score < 1.0
    sources = {step.source for step in sure.hit.trail if isinstance(step, Found)}
    assert sources == {"lexical", "semantic", "gist"}


def test_a_sure_semantic_match_without_any_keyword_is_among_the_first_three(make, vault):
    write(vault, f"{weak_notes('cheap car')}\n--- Sure.md\nAutomobile doctor.")
    result = search(make(n_first=100, patience_s=60.0), "motorcar physician cheap", limit=40)
    assert "Sure.md" in ids(result)[:3]


TWO_LAMPS = """
--- Best.md
oil lamp
--- Other.md
oil lamp automobile garage doctor monday wood brick
"""


def test_a_note_without_vectors_is_not_ranked_lower_for_it(make, vault):
    """Its keyword score stands in for the missing semantic score, at the ratio of notes with vectors."""
    write(vault, TWO_LAMPS)
    engine = make(auto_index=AutoIndex.NEVER)
    engine.refresh()
    engine.semantic.maintenance.note_embedder.embed("Other.md")
    result = search(engine, "oil lamp")
    best, other = (next(found.hit for found in result.hits if found.hit.id == id_) for id_ in ("Best.md", "Other.md"))
    assert ids(result).index("Best.md") < ids(result).index("Other.md")
    assert best.evidence.cosine is None
    assert other.evidence.cosine > 0
    trail = str(render_trail(best.trail))
    assert "missing-vectors: its text has no vectors yet, so its semantic score is estimated" in trail
    assert replay(best.trail) == best.score
    engine.maintenance().update()
    assert not any("missing-vectors" in str(found.hit.trail) for found in search(engine, "oil lamp").hits)


def test_an_edited_note_is_not_ranked_by_its_outdated_vectors(make, vault):
    write(vault, TWO_LAMPS)
    engine = make(auto_index=AutoIndex.NEVER)
    engine.refresh()
    engine.maintenance().update()
    (vault / "Best.md").write_text("oil lamp of brass")
    best = next(found.hit for found in search(engine, "oil lamp").hits if found.hit.id == "Best.md")
    assert best.evidence.cosine is None
    assert "missing-vectors" in str(best.trail)


@pytest.fixture
def lookups(monkeypatch):
    """The texts of the keyword searches that were run."""
    texts = []

    def retrieve_lexical(request, *rest, **options):
        texts.append(request.query.text)
        return real(request, *rest, **options)

    real = retrieval.retrieve_lexical
    monkeypatch.setattr(retrieval, "retrieve_lexical", retrieve_lexical)
    return texts


def test_a_hybrid_answer_runs_one_keyword_search(make, lookups):
    result = search(make(), "oil")
    assert result.mode == "hybrid"
    assert set(ids(result)) == {"Garage.md", "Notes/Oil.md"}
    assert lookups == ["oil"]


def test_keyword_search_runs_again_if_a_note_changes_while_others_are_embedded(make, lookups):
    engine = None

    def change(_text):
        engine.open_buffer("Notes/Oil.md", "Sand for the hourglass.")

    engine = make(WordEmbedder(on_passage=change))
    assert "Notes/Oil.md" not in ids(search(engine, "lamp"))
    assert lookups[:2] == ["lamp", "lamp"]


def test_similarity_is_a_reason_only_above_the_model_s_floor(make, vault):
    write(vault, "--- Far.md\ncar zebra stripes wander over one wide savanna under tall\n")
    hits = search(make(), "car oil", mode=Mode.VECTOR).hits
    similar = {found.hit.id: found.derivation.by_meaning >= 0.05 for found in hits}
    assert set(similar.values()) == {True, False}
    for found in hits:
        assert ("Hardly similar" in found.sentence or "imilar" not in found.sentence) != similar[found.hit.id]


def test_only_the_first_of_several_answers_is_sent_before_all_excerpts_are_made(make, vault):
    """The blended answer, which replaces the one by words, has all of them."""
    write(vault, "".join(f"--- {number:02}.md\nSome oil in a car.\n" for number in range(14)))
    steps = []
    answer = make().search(Query(text="oil car"), on_answer=steps.append, on_first=steps.append)
    assert [all(found.snippets for found in step.hits) for step in (*steps, answer)] == [False, True, True]
