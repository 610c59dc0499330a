"""Every score can be recomputed from the JSON of its answer alone (`recompute` imports nothing of ours)."""

import json

import orjson
import pytest
from golden.recompute import recomputed
from golden.test_golden_answers import ANSWERS, SEMANTIC_ANSWERS, VAULTS

from embedders import WordEmbedder
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from lsp_server.wire.encode import related_answer, script_context, search_answer, to_json
from search.engine import Engine
from search.ids import NoteId
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings

pytestmark = pytest.mark.slow

QUERIES = sorted({*ANSWERS.values(), *SEMANTIC_ANSWERS.values()})
MEASURED = {"gist", "semantic", "newest", "spread", "pin"}  # sources whose raw score is given, not computed
COMPARED = {"cosine", "notes", "best"}  # what a condition compared, or what another number was derived from
BY_AGE = {"age_days", "days1", "days2", "factor1", "factor2"}  # which of them count depends on the age of the files


def equal(pair):
    claimed, value = pair
    return value == pytest.approx(claimed, rel=1e-6, abs=1e-9)


def steps_of(answer):
    return [step for result in json.loads(answer)["results"] for step in result["explanation"]["trail"]]


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """A function that gives the JSON of an answer; every note has a vector."""
    engines = {}

    def ask(vault, text, **options):
        if vault not in engines:
            indexing = Indexing(folder=str(tmp_path_factory.mktemp("vectors")), in_background=False)
            engines[vault] = Engine(
                VAULTS / vault,
                Settings(indexing=indexing),
                embedder=WordEmbedder(),
                understand=Understanding(lexicon()),
            )
            engines[vault].maintenance().update()
        result = engines[vault].search(Query(text=text, include_terms=True, **options))
        return orjson.dumps(to_json(search_answer(text, result, script_context(VAULTS / vault), ())))

    yield ask
    for engine in engines.values():
        engine.close()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mode", Mode)
def test_each_score_of_the_golden_answers_can_be_recomputed_from_its_json(mode, preset, answer):
    for vault, text in QUERIES:
        found = answer(vault, text, mode=mode, preset=preset)
        assert [pair for pair in recomputed(found) if not equal(pair)] == []
        for step in steps_of(found):
            assert "terms" in step or "arithmetic" in step or step["source"] in MEASURED


def test_each_formula_of_the_golden_answers_is_documented(answer):
    """The optional addends of the graph boost and the numbered ones of other sums are documented by one example."""
    text = (VAULTS.parent / "docs/how-ranking-works.md").read_text(encoding="utf-8")
    seen = {
        step["arithmetic"]["formula"]
        for preset in PRESETS
        for vault, asked in QUERIES
        for step in steps_of(answer(vault, asked, preset=preset))
        if "arithmetic" in step and step.get("by") != "graph" and "2" not in step["arithmetic"]["formula"]
    }
    assert len(seen) > 15
    assert {formula for formula in seen if formula not in text} == set()


def test_the_scores_of_related_notes_can_be_recomputed_too(tmp_path):
    indexing = Indexing(folder=str(tmp_path), in_background=False)
    engine, sources = Engine(VAULTS / "handbook", Settings(indexing=indexing), embedder=WordEmbedder()), set()
    engine.maintenance().update()
    for path in sorted((VAULTS / "handbook").rglob("*.md"))[::4]:
        note = NoteId(path.relative_to(VAULTS / "handbook").as_posix())
        found = orjson.dumps(to_json(related_answer(engine.related(note), script_context(VAULTS))))
        assert [pair for pair in recomputed(found) if not equal(pair)] == []
        fused = [step for step in steps_of(found) if step["kind"] == "fused"]
        assert all("arithmetic" in step for step in fused)
        sources |= {step["source"] for step in fused}
    engine.close()
    assert sources == {"meaning", "words", "links", "citations", "mentions", "tags", "folder"}


def leaves(value, path=()):
    """The paths of all numbers in a JSON value, with their names."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, (*path, at))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(answer, path, change):
    """The answer with another number at that path of its first trail."""
    copy = json.loads(answer)
    *to, last = path
    inner = copy["results"][0]["explanation"]["trail"]
    for key in to:
        inner = inner[key]
    inner[last] = change(inner[last])
    return json.dumps(copy)


def test_a_recomputation_fails_if_any_number_of_the_answer_is_changed(answer):
    seen, noticed = set(), set()
    changes = (lambda x: 1.1 * x + 0.01, lambda x: 0.1 * x)
    for preset in PRESETS:
        for vault, text in QUERIES:
            found = answer(vault, text, preset=preset, limit=1)
            for result in json.loads(found)["results"]:
                for path in leaves(result["explanation"]["trail"]):
                    seen.add(name := path[-1])
                    if name not in noticed and any(
                        not all(map(equal, recomputed(changed(found, path, change)))) for change in changes
                    ):
                        noticed.add(name)
    assert seen > {"k", "rank", "weight", "floor", "gate", "lowest", "highest", "ceiling", "df", "count", "length", "b"}
    assert seen - noticed <= COMPARED | BY_AGE
