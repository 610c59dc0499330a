"""The preset `neighbour-recency` follows its document, designs/4: the flow and its numbers, computed by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.trail import Found, Fused
from search.ids import NoteId
from search.index.corpus import Corpus
from search.ranking.presets import neighbour_recency
from search.vault.markdown import parse_note
from tests.search.ranking.flows import COSINES, DAY, GARDEN, NOW, corpus_of, meaning_of, ranked, scores


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
