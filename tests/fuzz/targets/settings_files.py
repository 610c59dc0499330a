"""Files of settings in a vault: what is invalid is reported, and searches go on."""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from expansion.lexicon import TABLES
from expansion.tables import packaged
from lsp_server.config.engine_factory import WORDS_FILE, _understand
from search.answer.trail import replay
from search.engine import Engine
from search.execution.understanding import Understand
from search.query import Query
from search.settings import Settings
from tests.fuzz.target import MAX_INPUT, Target, built_of, corpus, mutated
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


def check_answers(settings: Settings, understand: Understand, *, is_all_found: bool = True) -> None:
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
    _with_file(f".vaultseek/{WORDS_FILE}", data[:MAX_INPUT], lambda: check_answers(Settings(), _understand(root())))


def check_excluded_files(data: bytes) -> None:
    """Obsidian's own settings exclude notes with a reason."""
    _with_file(".obsidian/app.json", data[:MAX_INPUT], lambda: check_answers(Settings(), words(), is_all_found=False))


def check_daily_notes(data: bytes) -> None:
    """Obsidian's format for the names of daily notes may be anything."""
    _with_file(".obsidian/daily-notes.json", data[:MAX_INPUT], lambda: check_answers(Settings(), words()))


def _with_file(name: str, data: bytes, check: Callable[[], None]) -> None:
    path = root() / name
    path.write_bytes(data)
    try:
        check()
    finally:
        path.unlink()


TABLE_NAMES = (*TABLES, *(f"{name}.{key}" for name in TABLES for key in (*packaged(name).values, "own")), "x", '""')
KEYS = (
    *sorted(
        {key for name in TABLES for table in packaged(name).values.values() if isinstance(table, dict) for key in table}
    ),
    *(*TABLES, "RRF", "threshold", '""', "a.b"),
)
VALUES = (
    *('["oak"]', '["oak", "*", "oak*", ""]', '[["oak"], ["x", "("]]', "[]", "[1]", "[[]]", '["fix bug"]', '"oak"'),
    *('{oak = 1, "" = -1}', "{oak = 99999999999}", "{decision = 2}", "{lexical = 0.1}", '{day = ["oak", ""]}', "{}"),
    *('"{n} {unit} oak"', '"{"', '"{n}{n}"', "0", "-1e9", "inf", "nan", "true", "2024-01-05", "1.5", '""', '"\\u0000"'),
)
entry = st.builds("{} = {}\n".format, st.sampled_from(KEYS), st.sampled_from(VALUES))
table = st.builds(
    lambda name, entries: f"[{name}]\n{''.join(entries)}", st.sampled_from(TABLE_NAMES), st.lists(entry, max_size=3)
)
tables = st.builds(
    lambda first, more: "".join((*first, *more)).encode(), st.lists(entry, max_size=1), st.lists(table, max_size=3)
)
TOML = (
    *(f"[{name}]\n" for name in TABLE_NAMES),
    *(*(f"{key} = " for key in KEYS), *VALUES, "#", "[[x]]", "\n", '"', "'''", "=", "\0", "\udcff"),
)
JSON = (
    *("{", "}", "[", "]", ",", ":", '"', "null", "true", "1e999", "[" * 500, '"userIgnoreFilters":', '["oak"]'),
    *('["/o.k/"]', '["/(a|a)*$/"]'),
    *('["/[/"]', '[""]', '["//"]', "[1]", '"format":', '"folder":', '"YYYY-MM-DD"', '"[[YYYY]"'),
    *('"MMMM Do, dddd [at] x"', '"' + "Y" * 200 + '"'),
    *('"Journal"', '"../.."', '"/"', '"\\ud800"', '"\\u0000"', '{"userIgnoreFilters":["Journal/"]}'),
    *('{"format":"DDDD"}', "\ufeff", "//x\n"),
)


def _json(name: str) -> st.SearchStrategy[bytes]:
    return st.one_of(built_of(JSON), mutated(corpus(name)))


all_words = st.one_of(tables, tables, built_of(TOML, most=8), mutated(corpus("words")))
TARGETS = (
    Target("words", check_words, all_words, TOML, n_examples=200),
    Target("excluded_files", check_excluded_files, _json("excluded_files"), JSON, n_examples=80),
    Target("daily_notes", check_daily_notes, _json("daily_notes"), JSON, n_examples=80),
)
