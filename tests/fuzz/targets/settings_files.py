"""Settings of a vault and of a user, in files and in messages: what is invalid is reported, and searches go on."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from hypothesis import strategies as st

from expansion.lexicon import TABLES
from expansion.tables import packaged
from lsp_server.config.engine_factory import WORDS_FILE, _understand
from lsp_server.config.options import OPTIONS
from lsp_server.config.settings import resolve
from lsp_server.wire.fields import camel
from search.answer.trail import replay
from search.engine import Engine
from search.execution.understanding import Understand
from search.query import Query
from search.ranking.presets import PRESETS, balanced
from search.ranking.stage_registry import STAGES
from search.settings import Settings
from tests.fuzz.target import MAX_INPUT, Target, built_of, data_of, mutated
from vaults import write

VAULT = """
--- oak.md
# Oak
An oak (reciprocal rank fusion, RRF). [[2024-01-05]] #tree
--- Journal/2024-01-05.md
---
type: decision
---
Planted an oak today. [[oak]]
--- elm.md
Fix the oak bug, [[oak]].
"""
QUERIES = ("oak", "oak yesterday 3 days ago in may", "RRF", "how to fix the oak bug", "decision oak", "2024-01-05")


@cache
def root() -> Path:
    """A vault with three notes; each input replaces a file of settings in it."""
    folder = write(Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-")), VAULT)
    (folder / ".obsidian").mkdir()
    (folder / ".vaultseek").mkdir()
    return folder


@cache
def words() -> Understand:
    """The packaged words."""
    return _understand(root())


def _check_answers(settings: Settings, understand: Understand, *, is_all_found: bool = True) -> None:
    """Every query is answered, and the oak is found unless the answer may say otherwise."""
    engine = Engine(root(), settings, understand=understand)
    try:
        for text in QUERIES:
            result = engine.search(Query(text=text))
            assert all(replay(found.hit.trail) == found.hit.score for found in result.hits)
            assert text != "oak" or not is_all_found or "oak.md" in [found.hit.id for found in result.hits], result
        status = engine.status()
        assert is_all_found or status.n_notes + len(status.skipped) >= 3, status
    finally:
        engine.close()


def check_words(data: bytes) -> None:
    """Words of a vault's own may change what a query means, and never hide a word of the query."""
    _with_file(f".vaultseek/{WORDS_FILE}", data[:MAX_INPUT], lambda: _check_answers(Settings(), _understand(root())))


def check_excluded_files(data: bytes) -> None:
    """Obsidian's own settings exclude notes with a reason."""
    _with_file(
        ".obsidian/app.json", data[:MAX_INPUT], lambda: _check_answers(Settings(), words(), is_all_found=False)
    )


def check_daily_notes(data: bytes) -> None:
    """Obsidian's format for the names of daily notes may be anything."""
    _with_file(".obsidian/daily-notes.json", data[:MAX_INPUT], lambda: _check_answers(Settings(), words()))


def _with_file(name: str, data: bytes, check: Any) -> None:
    path = root() / name
    path.write_bytes(data)
    try:
        check()
    finally:
        path.unlink()


def check_options(data: bytes) -> None:
    """What a client sends as settings gives settings with which every query is answered."""
    try:
        raw = json.loads(data[:MAX_INPUT])
    except (ValueError, RecursionError):
        return
    resolved = resolve(raw)
    assert all(isinstance(problem, str) and problem for problem in resolved.problems)
    _check_answers(resolved.search, words(), is_all_found=False)


def _names(part: Any, before: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """The path of each field of a settings class on the wire, with its value."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for attribute in attrs.fields(type(part)):
        value = getattr(part, attribute.name)
        path = (*before, camel(attribute.name))
        found += _names(value, path) if attrs.has(type(value)) else [(path, value)]
    return found


FIELDS = [(("pipeline", *path), value) for path, value in _names(balanced())] + [
    ((name,), value) for name in OPTIONS for value in (None,)
]
VALUES = st.one_of(
    st.sampled_from((None, True, False, 0, 1, -1, 0.5, 2, 10, 64, 1000, 1e400, float("nan"), "", "x", "rrf", "linear", [], {}, [""], ["oak"])),
    st.sampled_from((*PRESETS, *STAGES, "keyword", "vector", "vault", "candidates", "minmax", "zscore", ["#tree", "*.md", "a/**/b"])),
    st.lists(st.one_of(st.sampled_from(tuple(STAGES)), st.sampled_from(tuple(STAGES)).map(lambda name: {"stage": name})), max_size=5),
    st.floats(0, 20),
    st.integers(0, 100),
)


def _nested(chosen: list[tuple[tuple[tuple[str, ...], Any], Any]]) -> bytes:
    """Fields with values as one object."""
    whole: dict[str, Any] = {}
    for (path, _), value in chosen:
        inside = whole
        for name in path[:-1]:
            inside = inside[name] = inside[name] if isinstance(inside.get(name), dict) else {}
        inside[path[-1]] = value
    return json.dumps(whole, default=str).encode()


options = st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), max_size=5).map(_nested)
OPTION_SEEDS = tuple(
    json.dumps(value).encode()
    for value in (
        *({"preset": preset} for preset in PRESETS),
        {"pipeline": {"fusion": "rrf", "stages": ["title", {"stage": "folder", "cap": 1.1}]}, "include": ["*.md"]},
        {"embedding": {"baseUrl": "http://127.0.0.1:1/v1", "model": "m"}, "vaults": ["~", "/x"], "rrfK": 5},
        [],
    )
)
TOML = (
    *(f"[{name}]\n" for name in TABLES),
    *(f"[{name}.{key}]\n" for name in TABLES for key in packaged(name).values if isinstance(packaged(name).values[key], dict)),
    *("[kinds.own]\n", "[dates.xx]\n", "[intents.own]\n", 'RRF = ["oak tree"]\n', "threshold = 0\n", "threshold = -1e9\n", "x = []\n"),
    *('values = ["oak"]\n', 'tags = ["tree", ""]\n', 'folders = ["Journal"]\n', 'primary = ["oak", "*", ""]\n', 'secondary = ["fix bug"]\n'),
    *("kinds = {decision = 2}\n", "weights = {lexical = 0.1}\n", 'ago = "{n} {unit} oak"\n', 'ago = "{"\n', 'ordinals = ["", "("]\n'),
    *('offsets = {oak = 1, "" = -1}\n', 'offsets = {x = 99999999999}\n', "offsets = {y = 1.5}\n", 'units = {day = ["oak", ""]}\n'),
    *('months = [["oak"]]\n', "months = []\n", 'weekdays = [["x", "("]]\n', 'in = ["oak"]\n', 'numbers = ["oak"]\n', 'of = [""]\n'),
    *('last = ["oak"]\n', "a = 2024-01-05\n", "a = inf\n", "a.b.c = 1\n", '"" = {}\n', "[[x]]\n", "#", '"', "'''", "\\u0000", "=", "\0", "\udcff"),
)
JSON = (
    *("{", "}", "[", "]", ",", ":", '"', "null", "true", "1e999", "[" * 500, '"userIgnoreFilters":', '["oak"]', '["/o.k/"]', '["/(a|a)*$/"]'),
    *('["/[/"]', '[""]', '["//"]', "[1]", '"format":', '"folder":', '"YYYY-MM-DD"', '"[[YYYY]"', '"MMMM Do, dddd [at] x"', '"' + "Y" * 200 + '"'),
    *('"Journal"', '"../.."', '"/"', '"\\ud800"', '"\\u0000"', '{"userIgnoreFilters":["Journal/"]}', '{"format":"DDDD"}', "\ufeff", "//x\n"),
)
APP = (b'{"userIgnoreFilters":["Journal/","/el.$/","oak"]}', b'{"userIgnoreFilters":["/((a*)*)*$/","/(?<x>o)/"]}')
DAILY = (b'{"folder":"Journal","format":"YYYY/MM/[x]YYYY-MM-DD ddd Do"}', b'{"folder":"/","format":"[","template":"x"}')
WORDS = tuple(
    data_of(text)
    for text in (
        '[acronyms]\nRRF = ["oak tree"]\n[kinds.own]\nvalues = ["decision"]\n[intents.own]\nprimary = ["oak*"]\nkinds = {own = 2}\n',
        '[dates.en]\noffsets = {oak = 1}\nago = "{n} {unit} oak"\nordinals = ["(", ""]\n',
        '[dates.xx]\nmonths = [["oak"]]\nunits = {day = ["oak"]}\nlast = ["fix"]\n',
    )
)
TARGETS = (
    Target("words", check_words, st.one_of(built_of(TOML, most=8), mutated(WORDS)), TOML, lambda: WORDS, n_examples=80),
    Target("excluded_files", check_excluded_files, st.one_of(built_of(JSON), mutated(APP)), JSON, lambda: APP, n_examples=60),
    Target("daily_notes", check_daily_notes, st.one_of(built_of(JSON), mutated(DAILY)), JSON, lambda: DAILY, n_examples=60),
    Target("options", check_options, st.one_of(options, options, mutated(OPTION_SEEDS)), JSON, lambda: OPTION_SEEDS, n_examples=80),
)
