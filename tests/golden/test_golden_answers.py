"""Whole answers as text, each query one file beside this one: a change of the ranking is read, not guessed.

After a change that was meant, write them anew and read the difference:

    PYTHONPATH=. python tests/golden/test_golden_answers.py

No query here is a filter alone, whose order is the files' age.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from search.answer.explain import render_trail
from search.answer.result import SearchResult, Snippet
from search.engine import Engine
from search.query import Query

HERE = Path(__file__).parent
VAULTS = HERE.parents[1] / "vault_fixtures"
N_HITS = 3
ANSWERS = {  # file -> vault, query
    "title": ("handbook", "3.1. Budget"),
    "alias": ("handbook", "buddy rule"),
    "words": ("handbook", "limit switch ice"),
    "question": ("handbook", "how do I wash the mirror?"),
    "phrase": ("handbook", '"hand crank"'),
    "operators": ("handbook", "mirror -washing tag:#optics"),
    "identifier": ("handbook", "shutterTimeout"),
    "chinese": ("handbook", "望远镜"),
    "accents": ("handbook", "jiri dvorak"),
    "prefix": ("handbook", "collim"),
    "broken": ("handbook", 'mirror ("wash'),
    "inner": ("inner_substring", "berry"),
    "folder": ("folder_boost", "rye starter"),
    "shared_tag": ("shared_tag", "swift nesting"),
    "co_citation": ("co_citation", "beeswax polish"),
    "japanese": ("cjk", "知識"),
}


def rendered(vault: str, query: str) -> str:
    """An answer as it is kept: rank, id, score, sentence, excerpts with what matched in brackets, arithmetic."""
    result = Engine(VAULTS / vault).search(Query(text=query, limit=N_HITS))
    return unicodedata.normalize("NFC", "\n".join(_lines(vault, query, result)) + "\n")


def _lines(vault: str, query: str, result: SearchResult) -> Iterator[str]:
    yield f"{query}  (in {vault}: {len(result.hits)} of {result.total})"
    for notice in result.notices:
        yield f"{notice.kind} {notice.code}: {notice.message}"
    for place, found in enumerate(result.hits, start=1):
        yield ""
        yield f"{place}. {found.hit.id}  {found.hit.score:.4f}  {found.title}"
        yield f"   {found.sentence}"
        for snippet in found.snippets:
            yield f"   {snippet.line + 1}:{snippet.start_char + 1} {_marked(snippet)}"
        for step in render_trail(found.hit.trail):
            yield f"      {step}"


def _marked(snippet: Snippet) -> str:
    text, highlights = snippet.shown
    for start, end in reversed(highlights):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_as_it_was(name):
    assert rendered(*ANSWERS[name]) == (HERE / f"{name}.txt").read_text(encoding="utf-8")


def test_each_kept_answer_belongs_to_a_query_and_is_short_enough_to_be_read():
    files = list(HERE.glob("*.txt"))
    assert {file.stem for file in files} == set(ANSWERS)
    assert all(len(file.read_text(encoding="utf-8").split("\n")) <= 40 for file in files)


if __name__ == "__main__":
    for written, asked in ANSWERS.items():
        (HERE / f"{written}.txt").write_text(rendered(*asked), encoding="utf-8")
