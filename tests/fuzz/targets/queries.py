"""Queries: parsed, answered by each preset, and explained."""

import math
import tempfile
import zlib
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.answer.result import SearchResult
from search.answer.trail import replay
from search.engine import Engine
from search.ids import NoteId
from search.query import Mode, Operator, Query
from search.ranking.presets import PRESETS
from search.syntax.parser import parse
from tests.fuzz.target import MAX_INPUT, Target, built_of, corpus, mutated, text_of
from tests.kit.hostile_notes import UNITS
from vaults import write

VAULT = """
--- oak.md
---
aliases: [quercus, RRF]
tags: [tree]
status: draft
---
# Oak
The oak (reciprocal rank fusion, RRF) is a tree. [[elm]]
- [ ] plant an oak
- [x] water it
--- trees/elm.md
# Elm
Not an oak. getUserById, retry_count and C++ 3.1. #tree/old
## Care
"An oak tree" said 知識図書館 in the Straße.
--- 2024-01-05.md
Yesterday's oak-tree and naïve café at 10:30. [[oak#Oak|the oak]] [x](trees/elm.md)
--- Ünï cødé/party 🎉.md
up:: [[oak]]
Der und die das, une forêt, лес.
"""
OPERATORS = tuple(f"{operator}:" for operator in Operator)
PIECES = (
    *OPERATORS,
    *("oak", "elm", "ok", "tree", "the", "知識", "naïve", "C++", "3.1", "10:30", "getUserById", "2024-01-05"),
    *("yesterday",),
    *('"oak tree"', '"', "-", "(", ")", " OR ", " or ", "AND ", "NOT ", "||", "/oa.?k/", "/", "/(a|b)*c/", "/[/"),
    *("\\", "\\/"),
    *("[[oak]]", "[[", "]]", "[status:draft]", "[status]", "[", "]", ":", "#tree", "#", "@", "*", "o*", "?", "~"),
    *("^", ".."),
    *("tag:#tree", "path:trees", "file:(oak OR elm)", "line:(oak tree)", "task-todo:plant", "section:(care)"),
    *("in:", ">3", "<"),
    *(" ", " ", " ", "  ", "\t", "\n", "\0", "\u202e", "\udcff", "İ", "\u0301", "🎉", "'", "’", "``", "$", "%", "&"),
)


@cache
def engine() -> Engine:
    """An engine over four notes."""
    root = write(Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-")), VAULT)
    made = Engine(root, understand=Understanding(lexicon()))
    made.refresh()
    return made


def check_query(data: bytes) -> None:
    """A query gets an answer, and the explanation of each note agrees with it."""
    text = text_of(data[:MAX_INPUT])
    parsed = parse(text)
    assert all(0 <= one.start < one.end <= len(text) for one in parsed.exclusions), parsed.exclusions
    preset = sorted(PRESETS)[zlib.crc32(data) % len(PRESETS)]
    query = Query(text=text, preset=preset, mode=Mode.KEYWORD, include_terms=True)
    result = engine().search(query)
    _check_answer(result)
    engine().by_name(query)
    engine().symbols(text)
    for note in (*(found.hit.id for found in result.hits[:1]), NoteId("oak.md"), NoteId("missing.md")):
        reason = engine().explain(query, note)
        ids = [found.hit.id for found in result.hits]
        assert reason.rank == (ids.index(note) + 1 if note in ids else None), reason
        assert reason.sentence


def _check_answer(result: SearchResult) -> None:
    scores = [found.hit.score for found in result.hits]
    assert all(map(math.isfinite, scores))
    assert scores == sorted(scores, reverse=True)
    assert len({found.hit.id for found in result.hits}) == len(scores) <= result.total
    for found in result.hits:
        assert replay(found.hit.trail) == found.hit.score, found
        lines = engine().library().text(found.hit.id).split("\n")
        for snippet in found.snippets:
            end = snippet.start_char + len(snippet.text)
            assert lines[snippet.line][snippet.start_char : end] == snippet.text, snippet
            assert all(0 <= a < b <= len(snippet.text) for a, b in snippet.highlights), snippet


TARGETS = (
    Target(
        "queries",
        check_query,
        st.one_of(built_of(PIECES, most=16), built_of((*PIECES, *UNITS), most=40), mutated(corpus("queries"))),
        PIECES,
        n_examples=250,
    ),
)
