"""Settings that a client sends: what is invalid is reported, and every query is answered with the others."""

import json
from typing import Any

import attrs
from hypothesis import strategies as st

from lsp_server.config.options import OPTIONS
from lsp_server.config.settings import resolve
from lsp_server.wire.fields import camel
from search.ranking.presets import PRESETS, balanced
from search.ranking.stage_registry import STAGES
from tests.fuzz.target import MAX_INPUT, Target, corpus, mutated
from tests.fuzz.targets.settings_files import check_answers, words


def check_options(data: bytes) -> None:
    """What a client sends as settings gives settings with which every query is answered."""
    try:
        raw = json.loads(data[:MAX_INPUT])
    except (ValueError, RecursionError):
        return
    resolved = resolve(raw)
    assert all(isinstance(problem, str) and problem for problem in resolved.problems)
    check_answers(resolved.search, words(), is_all_found=False)


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
stage = st.sampled_from(tuple(STAGES))
NAMES = (*PRESETS, *STAGES, "keyword", "vector", "vault", "candidates", "minmax", "zscore", "rrf", "linear")
VALUES = st.one_of(
    st.sampled_from((None, True, False, 0, 1, -1, 0.5, 2, 10, 64, 1000, 1e400, float("nan"), "", "x")),
    st.sampled_from((*NAMES, [], {}, [""], ["oak"], ["#tree", "*.md", "a/**/b"])),
    st.lists(st.one_of(stage, stage.map(lambda name: {"stage": name})), max_size=5),
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
WORDS = tuple(json.dumps(name) for name in (*(path[-1] for path, _ in FIELDS), *NAMES))
TARGETS = (
    Target("options", check_options, st.one_of(options, options, mutated(corpus("options"))), WORDS, n_examples=120),
)
