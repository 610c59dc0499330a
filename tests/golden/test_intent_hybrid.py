"""The preset intent-hybrid follows designs/2 step by step, with the numbers of that document."""

from datetime import UTC, datetime

import pytest
from attrs import evolve

from embedders import WordEmbedder
from expansion.intent import detect_intent
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, Scaled, replay
from search.engine import Engine
from search.fuse.convergence import reward_convergence
from search.fuse.rrf import fuse_rrf
from search.providers.guarded_reranker import Reranking
from search.query import Query
from search.ranking.presets import intent_hybrid
from search.semantic.settings import Indexing
from search.settings import Settings
from search.stages.length import Length, length_factor
from search.stages.normalize import Normalize
from search.stages.rerank import Rerank
from vaults import codes, ids, write

VAULT = """
--- decisions/Fusion.md
# Fusion
We decided for Reciprocal Rank Fusion (RRF) since it needs no tuning. See [[Scores]] and [[Ranks]].
It was the decision of all, for the reasons that the meeting of the spring wrote down in full.
--- Scores.md
# Scores
RRF adds up what ranks are worth. A long enough note, so that nothing is taken from it for being short. [[Ranks]]
--- Ranks.md
# Ranks
Where a note stands in a list, and nothing else of it; this one is long enough as well, with some words to spare.
--- Stub.md
RRF decision
--- specs/007-auth/Login.md
# Login
The doctor of the automobile; RRF is named here as well, in a note that lies in a folder of its own and is not short.
"""


class Judge:
    """A reranker that prefers passages with the word "rank"."""

    model = "judge"

    def rerank(self, _query, passages, *, budget):
        """Count the word in each passage."""
        budget.check()
        return tuple(float(passage.count("rank")) for passage in passages)


@pytest.fixture
def make(tmp_path):
    """Engines with this preset for one vault."""
    write(tmp_path / "vault", VAULT)
    made = []

    def engine(*, embedder=None, reranker=None, **parts):
        pipeline = evolve(intent_hybrid(), **parts)
        indexing = Indexing(folder=str(tmp_path / "cache"), in_background=False)
        settings = Settings(pipeline=pipeline, indexing=indexing)
        understand = Understanding(lexicon(), zone=UTC)
        made.append(Engine(tmp_path / "vault", settings, embedder=embedder, reranker=reranker, understand=understand))
        return made[-1]

    yield engine
    for one in made:
        one.close()


def trails(engine, query, **options):
    answer = engine.search(Query(text=query, **options))
    return {found.hit.id: found.hit.trail for found in answer.hits}


def test_1_acronyms_and_the_intent_of_a_query_are_recognized():
    """As in the document: "fix login crash after update" has the intent fix_bug with score 5.0."""
    found = detect_intent("fix login crash after update", lexicon().intents)
    assert (found.intent.name, found.score) == ("fix_bug", 5.0)
    assert detect_intent("add user registration feature", lexicon().intents).intent.name == "add_feature"
    assert detect_intent("login", lexicon().intents).intent.name == "understand"
    assert lexicon().intents.threshold == 3.0
    assert "rrf" in lexicon().acronyms


def test_2_three_sources_take_part_words_vectors_and_links(make):
    """The vectors are of two kinds, which share the weight of the document's one."""
    found = trails(make(embedder=WordEmbedder()), "RRF")
    sources = {step.source for trail in found.values() for step in trail if isinstance(step, Fused)}
    assert sources == {"lexical", "semantic", "gist", "activation"}
    assert "Ranks.md" in found, "contains no word of the query: links found it"


def test_3_fusion_has_the_documents_numbers():
    """Vector rank 2, BM25 rank 5, graph rank 1: 0.0561 with weights 1, 1 and 1.5, and 0.0617 with the bonus.

    Here the weights sum to 1 (3.5 in the document), which changes all scores by one factor and no order.
    """
    pipeline = intent_hybrid()
    ranked = {"semantic": 2, "lexical": 5, "activation": 1}
    rankings = {
        source: Ranking.of(
            Hit.found("it" if place == rank else f"{source}{place}", Found(source, -place)) for place in range(1, 7)
        )
        for source, rank in ranked.items()
    }
    weights = {"lexical": 1.0, "semantic": 1.0, "activation": pipeline.activation.weight}
    total = sum(weights.values())
    assert pipeline.semantic.weight == pytest.approx(1 / total)
    fused = fuse_rrf(rankings, weights, k=pipeline.rrf.k)
    rewarded = reward_convergence(fused, pipeline.rrf.convergence)
    (before,) = [hit for hit in fused if hit.id == "it"]
    (after,) = [hit for hit in rewarded if hit.id == "it"]
    assert before.score * total == pytest.approx(0.0561038, abs=5e-8)
    assert after.score * total == pytest.approx(0.0617142, abs=5e-8)
    assert (pipeline.rrf.k, pipeline.rrf.convergence, pipeline.activation.weight) == (60, 0.1, 1.5)


def test_3_notes_that_several_sources_found_gain_a_tenth(make):
    trail = trails(make(embedder=WordEmbedder()), "RRF adds up what ranks are worth")["Scores.md"]
    assert Scaled("convergence", 1.1, "found by 3 sources") in trail
    fused = {step.source: step.amount for step in trail if isinstance(step, Fused)}
    assert fused["activation"] == pytest.approx(1.5 / 3.5 / (60 + _rank(trail, "activation")))


def _rank(trail, source):
    return next(step.rank for step in trail if isinstance(step, Fused) and step.source == source)


def test_3_an_intent_raises_notes_of_its_kinds(make):
    found = trails(make(), "why the decision for RRF")
    assert any(isinstance(step, Scaled) and step.by == "kind" for step in found["decisions/Fusion.md"])
    assert not any(isinstance(step, Scaled) and step.by == "kind" for step in found["Scores.md"])


def test_4_the_reranker_orders_the_best_twenty_and_short_notes_get_less(make):
    engine = make(reranker=Judge())
    answer = engine.search(Query(text="RRF"))
    assert ids(answer)[0] == "Scores.md"
    stub = next(found.hit for found in answer.hits if found.hit.id == "Stub.md")
    (penalty,) = [step for step in stub.trail if isinstance(step, Scaled) and step.by == "length"]
    assert penalty.factor == pytest.approx(0.8 + 0.2 * 12 / 100)
    assert next(stage for stage in intent_hybrid().stages if isinstance(stage, Rerank)).top_n == 20
    at = [type(stage) for stage in intent_hybrid().stages]
    assert at.index(Rerank) < at.index(Length) < at.index(Normalize)


@pytest.mark.parametrize(("length", "factor"), [(0, 0.8), (50, 0.9), (100, 1.0), (5000, 1.0)])
def test_4_the_length_penalty_is_linear(length, factor):
    assert length_factor(length, settings=Length()) == pytest.approx(factor)


def test_4_the_reranker_has_the_documents_limits():
    limits = Reranking()
    assert (limits.p95_threshold_ms, limits.cache_ttl_s, limits.cache_size) == (500.0, 300.0, 1000)


def test_bm25_has_the_documents_parameters():
    model = intent_hybrid().lexical.model
    assert (model.k1, next(b for name, b in model.b.items() if name == "body")) == (1.2, 0.75)


def test_a_folder_limits_the_search(make):
    assert set(ids(make().search(Query(text="RRF", folder="specs/007-auth")))) == {"specs/007-auth/Login.md"}


@pytest.mark.parametrize(
    ("off", "sources"),
    [
        ({}, {"lexical", "semantic", "gist", "activation"}),
        ({"activation": None}, {"lexical", "semantic", "gist"}),
        ({"embedder": None}, {"lexical", "activation"}),
        ({"embedder": None, "activation": None}, {"lexical"}),
    ],
)
def test_without_a_source_the_others_still_answer(make, off, sources):
    found = trails(make(**{"embedder": WordEmbedder(), **off}), "RRF")
    assert {step.source for trail in found.values() for step in trail if isinstance(step, Fused)} == sources
    assert "Scores.md" in found
    for trail in found.values():
        assert 0.02 <= replay(trail) <= 0.98


def test_a_failing_model_loses_its_source_and_adds_a_notice(make):
    embedder = WordEmbedder()
    embedder.error = "is asleep"
    answer = make(embedder=embedder).search(Query(text="RRF"))
    assert "Scores.md" in ids(answer)
    assert "semantic-failed" in codes(answer)


def test_the_preset_can_be_chosen_by_name(tmp_path):
    engine = Engine(write(tmp_path, VAULT), now=lambda: datetime(2024, 1, 1, tzinfo=UTC).timestamp())
    assert ids(engine.search(Query(text="RRF", preset="intent-hybrid")))
