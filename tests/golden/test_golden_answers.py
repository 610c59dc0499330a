"""Whole answers as text, one file for each query, so that the effect of a ranking change can be read.

After an intended change, regenerate the files and read the difference:

    PYTHONPATH=. python tests/golden/test_golden_answers.py

No query here is only a filter, as its order would depend on the files' age. Semantic answers use the built-in model
with every note embedded; processors differ in the last digit of a cosine, so numbers are compared with a tolerance.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from search.answer.explain import render_trail
from search.answer.result import SearchResult, Snippet
from search.engine import Engine, open_engine
from search.query import Mode, Query
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings

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
SEMANTIC_ANSWERS = {  # the same in the modes hybrid and vector
    "hybrid_question": ("handbook", "how do I wash the mirror?"),
    "hybrid_no_word": ("handbook", "rainfall gauge"),  # no word of the query occurs in the vault
    "hybrid_weak": ("handbook", "taking pictures of nebulae"),  # boosts raise no note that is only slightly similar
    "hybrid_identifier": ("handbook", "shutterTimeout"),
    "hybrid_title": ("handbook", "3.1. Budget"),
    "hybrid_filter": ("handbook", "keeping warm -path:Software"),
    "hybrid_foreign": ("handbook", "望远镜"),
    "hybrid_folder": ("folder_boost", "rye starter"),
    "hybrid_backlink": ("backlink", "kelp drying"),
    "hybrid_co_citation": ("co_citation", "beeswax polish"),
    "vector_question": ("handbook", "how do I wash the mirror?"),
}
_NUMBER = re.compile(r"\d+\.\d+")
_MARGIN = 0.002


def rendered(vault: str, query: str) -> str:
    """An answer as text: rank, id, score, strength, sentence, excerpts with highlights in brackets, arithmetic."""
    return _text(vault, query, Engine(VAULTS / vault).search(Query(text=query, limit=N_HITS, include_terms=True)))


def rendered_semantic(name: str, engines: Mapping[str, Engine]) -> str:
    """An answer in mode hybrid or vector, as text."""
    vault, query = SEMANTIC_ANSWERS[name]
    mode = Mode.VECTOR if name.startswith("vector") else Mode.HYBRID
    return _text(vault, query, engines[vault].search(Query(text=query, limit=N_HITS, mode=mode, include_terms=True)))


def open_embedded(cache: str) -> Mapping[str, Engine]:
    """Engines for the vaults of these answers, with all notes embedded; the caller closes them."""
    engines = {}
    for vault in {vault for vault, _ in SEMANTIC_ANSWERS.values()}:
        indexing = Indexing(folder=cache, auto_index=AutoIndex.NEVER, in_background=False)
        engines[vault] = open_engine(VAULTS / vault, Settings(indexing=indexing))
        engines[vault].maintenance().update()
    return engines


def _text(vault: str, query: str, result: SearchResult) -> str:
    return unicodedata.normalize("NFC", "\n".join(_lines(vault, query, result)) + "\n")


def _lines(vault: str, query: str, result: SearchResult) -> Iterator[str]:
    yield f"{query}  (in {vault}: {len(result.hits)} of {result.total})"
    for notice in result.notices:
        yield f"{notice.kind} {notice.code}: {notice.message}"
    for place, found in enumerate(result.hits, start=1):
        yield ""
        yield f"{place}. {found.hit.id}  {found.hit.score:.4f}  strength {found.strength:.4f}  {found.title}"
        yield f"   {found.sentence}"
        for snippet in found.snippets:
            yield f"   {snippet.line + 1}:{snippet.start_char + 1} {_marked(snippet)}"
        for line in render_trail(found.hit.trail):
            if place == 1 or not line.startswith(" "):  # the terms of one note are enough to read
                yield f"      {line}"


def _marked(snippet: Snippet) -> str:
    text, highlights = snippet.shown
    for start, end in reversed(highlights):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_equals_its_golden_file(name):
    assert rendered(*ANSWERS[name]) == (HERE / f"{name}.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    engines = open_embedded(str(tmp_path_factory.mktemp("vectors")))
    yield engines
    for engine in engines.values():
        engine.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SEMANTIC_ANSWERS)
def test_a_semantic_answer_equals_its_golden_file(name, embedded):
    now, before = rendered_semantic(name, embedded), (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert _NUMBER.sub("#", now) == _NUMBER.sub("#", before)
    numbers = [float(number) for number in _NUMBER.findall(now)]
    assert numbers == pytest.approx([float(number) for number in _NUMBER.findall(before)], abs=_MARGIN)


def test_each_golden_file_belongs_to_a_query_and_is_short_enough_to_be_read():
    files = list(HERE.glob("*.txt"))
    assert {file.stem for file in files} == {*ANSWERS, *SEMANTIC_ANSWERS}
    assert all(len(file.read_text(encoding="utf-8").split("\n")) <= 45 for file in files)


if __name__ == "__main__":
    for written, asked in ANSWERS.items():
        (HERE / f"{written}.txt").write_text(rendered(*asked), encoding="utf-8")
    with TemporaryDirectory() as folder:
        embedded_now = open_embedded(folder)
        for written in SEMANTIC_ANSWERS:
            (HERE / f"{written}.txt").write_text(rendered_semantic(written, embedded_now), encoding="utf-8")
        for each in embedded_now.values():
            each.close()
