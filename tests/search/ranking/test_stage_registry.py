"""The table of stages: each settings class has the function that takes it."""

from typing import get_args, get_type_hints

from search.ranking.stage_registry import _RUN, STAGES, Stage


def test_every_stage_has_the_function_that_takes_its_settings():
    assert {*_RUN} == {*get_args(Stage)}
    assert {stage: get_type_hints(run)["settings"] for stage, run in _RUN.items()} == {stage: stage for stage in _RUN}


def test_a_stage_is_called_like_its_settings_class():
    assert {name: stage.__name__.lower() for name, stage in STAGES.items()} == {name: name for name in STAGES}
    assert "cut" in STAGES
