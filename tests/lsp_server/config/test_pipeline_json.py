"""Pipelines in JSON: valid changes are applied, invalid ones are named with path, value and allowed values."""

import json
import math
from pathlib import Path

import pytest
from attrs import evolve

from lsp_server.config.pipeline_json import CUSTOM, pipeline_named, pipeline_of
from lsp_server.config.settings import resolve
from search.answer.evidence import Field
from search.answer.staleness import Staleness
from search.errors import ConfigError, UnknownName
from search.normalize.scale import Scale
from search.ranking.pipeline import Fusion, Pipeline
from search.ranking.presets import PRESETS, balanced, preset_named, tiered_lexical
from search.ranking.stage_registry import STAGES
from search.sources.neighbours import Neighbours
from search.sources.proximity import Proximity
from search.stages.cut import Cut
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.normalize import Normalize
from search.stages.rerank import Rerank

ROOT = Path(__file__).parents[3]


def test_parts_that_are_not_named_stay_as_in_the_preset():
    found = pipeline_of({"fusion": "rrf", "rrf": {"k": 10}, "semantic": {"scope": "candidates"}}, balanced())
    assert found.name == CUSTOM
    assert found.fusion is Fusion.RRF
    assert found.rrf.k == 10
    assert found.stages == balanced().stages


def test_stages_are_listed_by_name_or_with_their_settings():
    stages = [{"stage": "folder", "cap": 1.3}, "graph", {"stage": "normalize", "scale": "unit"}]
    found = pipeline_of({"stages": stages}, balanced())
    assert found.stages == (Folder(cap=1.3), Graph(), Normalize(scale=Scale.UNIT))


def test_a_part_inside_a_part_can_be_set():
    found = pipeline_of({"lexical": {"model": {"k1": 2.0}}}, balanced())
    assert found.lexical.model == evolve(balanced().lexical.model, k1=2.0)


def test_weights_of_fields_that_are_not_named_stay_as_in_the_preset():
    found = pipeline_of({"lexical": {"model": {"weights": {"title": 10}, "b": {"tags": 0}}}}, balanced())
    before = balanced().lexical.model
    assert found.lexical.model.weights == {**before.weights, Field.TITLE: 10.0}
    assert found.lexical.model.b == {**before.b, Field.TAGS: 0.0}


def test_values_that_are_valid_only_together_are_set_together():
    found = pipeline_of({"staleness": {"agingDays": 400, "staleDays": 800}}, balanced())
    assert found.staleness == Staleness(aging_days=400, stale_days=800)
    linear = evolve(preset_named("graph-spread"), fusion=Fusion.LINEAR, stages=(Cut(),))
    assert pipeline_of({"fusion": "rrf", "stages": []}, linear).fusion is Fusion.RRF


BAD = [
    ([], "pipeline", "an object"),
    ({"sauces": 1}, "pipeline.sauces", "one of grep, lexical"),
    ({"lexical": 3}, "pipeline.lexical", "an object"),
    ({"lexical": {"weight": -1}}, "pipeline.lexical.weight", "0..10"),
    ({"lexical": {"model": {"k1": 99}}}, "pipeline.lexical.model.k1", "0..10"),
    ({"rrf": {"k": "sixty"}}, "pipeline.rrf.k", "a whole number"),
    ({"linear": {"scales": {"lexical": "best"}}}, "pipeline.linear.scales", "minmax"),
    ({"fusion": "magic"}, "pipeline.fusion", "linear, rrf"),
    ({"lexical": {"weight": 0}, "semantic": {"weight": 0}}, "pipeline.sources", "a weight above 0"),
    ({"stages": "folder"}, "pipeline.stages", "a list"),
    ({"stages": ["folder", "folding"]}, "pipeline.stages[1]", "one of " + ", ".join(STAGES)),
    ({"stages": [{"cap": 2}]}, "pipeline.stages[0]", "one of cut"),
    ({"stages": [{"stage": "folder", "cap": 0.5}]}, "pipeline.stages[0].cap", "1..10"),
    ({"stages": [{"stage": "folder", "hat": 0.5}]}, "pipeline.stages[0].hat", "one of minNotes"),
    ({"stages": [{"stage": "folder", "isAlone": True}]}, "pipeline.stages[0].isAlone", "one of minNotes"),
    ({"stages": [{"stage": "spread", "decay": 1.5}]}, "pipeline.stages[0].decay", "0..1"),
    ({"stages": [{"stage": "spread", "depth": 99}]}, "pipeline.stages[0].depth", "0..5"),
    ({"stages": [{"stage": "spread", "decays": {"up": 2}}]}, "pipeline.stages[0].decays", "0..1 for each"),
    ({"stages": [{"stage": "recency", "tiers": [[30, 1.1], [7, 1.2]]}]}, "pipeline.stages[0].tiers", "pairs of days"),
    ({"proximity": {"depth": 99}}, "pipeline.proximity.depth", "0..5"),
    ({"neighbours": {"discount": 1}}, "pipeline.neighbours.discount", "0..1"),
    ({"fusion": "rrf", "stages": ["cut", "normalize"]}, "pipeline.stages[0]", "a place after normalize"),
    ({"stages": ["graph", "rerank"]}, "pipeline.stages[0]", "a place after rerank"),
    ({"stages": ["kind", "rerank"]}, "pipeline.stages[0]", "a place after rerank"),
    ({"stages": [{"stage": "kind", "cap": 9}]}, "pipeline.stages[0].cap", "1..2"),
    ({"stages": [{"stage": "rerank", "topN": 1}]}, "pipeline.stages[0].topN", "2..100"),
    ({"stages": [{"stage": "dates", "factor": 9}]}, "pipeline.stages[0].factor", "1..2"),
    ({"acronyms": {"share": 2}}, "pipeline.acronyms.share", "0..1"),
    ({"activation": {"decay": 1.5}}, "pipeline.activation.decay", "0..1"),
    ({"lexical": {"model": {"weights": {"title": -1}}}}, "pipeline.lexical.model.weights", "0..100 for each"),
    ({"lexical": {"model": {"weights": {"title": math.nan}}}}, "pipeline.lexical.model.weights", "0..100 for each"),
    (
        {"lexical": {"model": {"weights": dict.fromkeys(Field, 0)}}},
        "pipeline.lexical.model.weights",
        "a weight above 0 for at least one field",
    ),
    ({"lexical": {"model": {"b": {"body": 2}}}}, "pipeline.lexical.model.b", "0..1 for each"),
    ({"lexical": {"model": {"b": ["body"]}}}, "pipeline.lexical.model.b", "an object"),
    ({"stages": [{"stage": "spread", "decays": ["up"]}]}, "pipeline.stages[0].decays", "an object"),
    ({"linear": {"scales": {"lexicall": "unit"}}}, "pipeline.linear.scales", "one of the sources lexical, semantic"),
    ({"staleness": {"agingDays": 400}}, "pipeline.staleness.staleDays", "400..36500"),
    ({"rrf": {"convergence": 2}}, "pipeline.rrf.convergence", "0..1"),
]


@pytest.mark.parametrize(("raw", "path", "allowed"), BAD)
def test_an_invalid_value_is_named_with_its_path(raw, path, allowed):
    with pytest.raises(ConfigError) as caught:
        pipeline_of(raw, balanced())
    assert caught.value.path.startswith(path)
    assert allowed in caught.value.allowed


@pytest.mark.parametrize(("raw", "path", "allowed"), BAD)
def test_an_invalid_value_in_settings_is_reported_and_the_preset_stays(raw, path, allowed):
    found = resolve({"pipeline": raw})
    (problem,) = found.problems
    assert problem.startswith(f"vaultseek.{path}")
    assert found.search.pipeline == balanced()


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (
            {"lexical": {"model": {"glueInText": 0.5}}},
            ("vaultseek.pipeline.lexical.model.glueInText: there is no such setting; its new name is stopWordsInText"),
        ),
        (
            {"stages": ["normalize", {"stage": "spread", "isAlone": True}]},
            ("vaultseek.pipeline.stages[1].isAlone: there is no such setting; its new name is dropsUnreached"),
        ),
    ],
)
def test_the_old_name_of_a_renamed_setting_is_reported_with_the_new_name(raw, problem):
    assert resolve({"pipeline": raw}).problems == (problem,)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"lexicl": {}}, "pipeline.lexicl: there is no such setting; did you mean lexical?"),
        ({"rrf": {"weight": 1}}, "pipeline.rrf.weight: there is no such setting; allowed is one of k"),
        ({"lexical": {"model": {"PartWeight": 1}}}, "partWeight?"),
        (
            {"stages": [{"stage": "spread", "seds": 3}]},
            "pipeline.stages[0].seds: there is no such setting; did you mean",
        ),
        ({"zzz": [1, 2]}, "pipeline.zzz: there is no such setting; allowed is one of grep, lexical, "),
    ],
)
def test_an_unknown_name_is_blamed_and_not_its_value(raw, problem):
    with pytest.raises(UnknownName) as refused:
        pipeline_of(raw, balanced())
    assert problem in str(refused.value)
    assert "is not allowed" not in str(refused.value)


def test_a_link_source_can_be_switched_on_and_off():
    assert pipeline_of({"neighbours": {}}, balanced()).neighbours == Neighbours()
    assert pipeline_of({"proximity": {"depth": 1}}, balanced()).proximity == Proximity(depth=1)
    assert pipeline_of({"neighbours": None}, preset_named("neighbour-recency")).neighbours is None


def test_a_boost_after_a_rerank_is_allowed():
    assert pipeline_of({"stages": ["rerank", "graph"]}, balanced()).stages == (Rerank(), Graph())


def test_a_pipeline_with_an_invalid_order_is_refused_at_construction():
    with pytest.raises(ConfigError, match="rerank"):
        Pipeline(name="x", stages=(Folder(), Rerank()))


def test_options_change_the_preset_that_was_chosen():
    found = resolve({"preset": "balanced", "pipeline": {"stages": ["title"]}, "candidateLimit": 20, "fusion": "rrf"})
    assert not found.problems
    assert found.search.pipeline.fusion is Fusion.RRF
    assert found.search.pipeline.grep.candidate_limit == 20
    assert len(found.search.pipeline.stages) == 1


@pytest.mark.parametrize("name", PRESETS)
def test_the_defaults_that_vs_code_sends_leave_each_preset_as_it_is(name):
    manifest = json.loads((ROOT / "editor-client/vscode/package.json").read_text(encoding="utf-8"))
    properties = manifest["contributes"]["configuration"][-1]["properties"]
    sent = {key.removeprefix("vaultseek."): schema["default"] for key, schema in properties.items()}
    found = resolve({**sent, "preset": name})
    assert not found.problems
    assert found.search.pipeline == preset_named(name)


def test_an_unknown_preset_is_refused_with_all_names_and_the_nearest():
    (problem,) = resolve({"preset": "spread"}).problems
    allowed = f"one of {', '.join(PRESETS)}; did you mean graph-spread?"
    assert problem == f"vaultseek.preset: 'spread' is ignored; allowed is {allowed}"
    with pytest.raises(ConfigError) as caught:
        pipeline_named("spread", None)
    assert caught.value.allowed == allowed


def test_an_unknown_preset_that_resembles_no_preset_gets_no_suggestion():
    with pytest.raises(ConfigError) as caught:
        preset_named("quick")
    assert caught.value.allowed == f"one of {', '.join(PRESETS)}"


def test_tiered_lexical_by_name_is_the_pipeline_of_its_document():
    found = resolve({"preset": "tiered-lexical"}).search
    assert found.pipeline == tiered_lexical()
    assert found.pipeline.fusion is Fusion.RRF
    assert resolve({}).search.pipeline == resolve({"preset": "balanced"}).search.pipeline == balanced()


def test_on_the_command_line_changes_are_json_or_a_json_file(tmp_path):
    parts = json.dumps({"stages": ["title"]})
    file = tmp_path / "pipeline.json"
    file.write_text(parts, encoding="utf-8")
    only_titles = pipeline_of({"stages": ["title"]}, balanced())
    assert pipeline_named(None, parts) == pipeline_named(None, str(file)) == only_titles
    assert pipeline_named(None, None) == balanced()
    for bad in ("", "{", "[" * 100_000, str(tmp_path / "none.json")):
        with pytest.raises(ConfigError, match="a JSON object or the path"):
            pipeline_named(None, bad)


@pytest.mark.parametrize("value", ["[]", " [1]", "3", '"stages"', "null"])
def test_other_json_on_the_command_line_is_refused_as_no_object(value):
    with pytest.raises(ConfigError, match="allowed is an object"):
        pipeline_named(None, value)


def test_an_empty_preset_is_refused_with_all_names():
    with pytest.raises(ConfigError) as caught:
        pipeline_named("", None)
    assert caught.value.allowed == f"one of {', '.join(PRESETS)}"


@pytest.mark.parametrize(
    ("changes", "nearest"),
    [
        ({"stagse": []}, "stages"),
        ({"stages": ["foldr"]}, "folder"),
        ({"stages": [{"stage": "recensy"}]}, "recency"),
        ({"lexical": {"model": {"k_1": 1}}}, "k1"),
        ({"fusion": "linaer"}, "linear"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(changes, nearest):
    with pytest.raises(ConfigError, match=f"did you mean {nearest}"):
        pipeline_of(changes, balanced())


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_has_the_name_in_the_table(name):
    assert preset_named(name).name == name
