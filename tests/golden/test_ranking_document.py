"""docs/how-ranking-works.md against the program: its presets, formulas and example are true."""

import json
import math
import re
from pathlib import Path

import orjson
import pytest

from lsp_server.wire.encode import script_context, search_answer, to_json
from search.answer.explain import render_trail
from search.engine import Engine
from search.query import Mode, Query
from search.ranking.pipeline import Fusion
from search.ranking.presets import PRESETS
from search.ranking.stage_registry import stage_name

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/how-ranking-works.md").read_text(encoding="utf-8")
ASKED = Query(text="dome shutter", mode=Mode.KEYWORD, limit=2, include_terms=True)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def result():
    vault = ROOT / "vault_fixtures/handbook"
    return Engine(vault).search(ASKED)


@pytest.mark.parametrize("name", PRESETS)
def test_the_table_of_presets_is_that_of_the_program(name):
    pipeline = PRESETS[name]()
    links = [source for source in ("proximity", "neighbours", "activation") if getattr(pipeline, source) is not None]
    fusion = "by rank" if pipeline.fusion is Fusion.RRF else "by score"
    stages = ", ".join(map(stage_name, pipeline.stages)) or "none"
    row = f"| {', '.join(('lexical', 'semantic', *links))} | {fusion} | {stages} |"
    assert re.search(rf"^\| `{name}`[^|]* {re.escape(row)}$", TEXT, re.MULTILINE)


def test_the_trail_of_the_example_is_what_the_program_prints(result):
    (shown,) = blocks("text")
    assert shown.splitlines() == list(render_trail(result.hits[1].hit.trail))


def numbers_in(value):
    """All numbers of a JSON value."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [number for part in inner for number in numbers_in(part)]
    return [value] if isinstance(value, int | float) else []


def test_each_line_of_arithmetic_in_the_example_gives_a_number_of_the_answer(result):
    encoded = orjson.dumps(to_json(search_answer(ASKED.text, result, script_context(ROOT), ())))
    trail = json.loads(encoded)["results"][1]["explanation"]["trail"]
    known, names = numbers_in(trail), {"log": math.log, "log2": math.log2, "sqrt": math.sqrt, "min": min}
    known.append(trail[1]["amount"] * trail[2]["factor"])  # the score between two steps
    lines = [line for block in blocks("python") for line in block.splitlines()]
    assert len(lines) == 6
    for line in lines:
        name, formula, shown = re.fullmatch(r"(\w+) = (.*?) +# ([\d.]+)", line).groups()
        names[name] = eval(formula, {"__builtins__": {}}, names)  # noqa: S307 our own document
        assert names[name] == pytest.approx(float(shown), abs=5e-4)
        assert any(number == pytest.approx(names[name], rel=1e-3) for number in known)
