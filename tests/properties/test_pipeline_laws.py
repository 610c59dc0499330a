"""Properties of whole answers, over random small vaults and queries."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.analysis.fold import fold
from search.answer.result import SearchResult
from search.answer.trail import replay
from search.engine import Engine
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.ranking.presets import balanced, tiered_lexical
from search.ranking.rank import rank
from search.ranking.request import Request
from search.syntax import parse
from search.vault.markdown import parse_note
from vaults import ids

pytestmark = pytest.mark.slow

TAGS = re.compile(r"\A---\ntags:.*\n")
FEW = settings(max_examples=25, deadline=None)
WORDS = [
    "oak",
    "Oak",
    "oaken",
    "soaked",
    "elm",
    "the",
    "how",
    "getUserById",
    "max_count",
    "Café",
    "İstanbul",
    "知識",
    "3.1",
    "C++",
    "x",
]
PATHS = ["a.md", "b.md", "x/a.md", "x/oak elm.md", "x/y/Café.md", "the.md", "知識.md", "3.1. Elm.markdown"]

words = st.sampled_from(WORDS)
lines = st.lists(words, max_size=6).map(" ".join)
bodies = st.lists(
    st.one_of(
        lines,
        lines.map("# {}".format),
        words.map("[[{}]]".format),
        words.map("- [ ] #{}".format),
        st.text(max_size=8).map(lambda text: text.replace("\0", "")),
    ),
    max_size=5,
).map("\n".join)
fronts = st.one_of(st.just(""), words.map("---\ntags: [{}]\naliases: oak elm\n---\n".format))
texts = st.builds(str.__add__, fronts, bodies).filter(
    lambda text: not any(0xD800 <= ord(char) < 0xE000 for char in text)
)
vaults = st.dictionaries(st.sampled_from(PATHS), texts, min_size=1, max_size=6)
queries = st.one_of(
    lines,
    st.lists(
        st.one_of(words, words.map("-{}".format), words.map('"{}"'.format), words.map("tag:{}".format)), max_size=4
    ).map(" ".join),
    st.text(max_size=12),
)


class Folder:
    """A vault on disk that exists for one example."""

    def __init__(self, notes: dict[str, str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="vaultseek-law-"))
        for path, text in notes.items():
            self.write(path, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.root)

    def write(self, path: str, text: str) -> None:
        """Write one note, byte for byte."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def shown(result: SearchResult):
    """The parts of an answer that a person sees."""
    return [(found.hit.id, found.hit.score, found.sentence, found.snippets, found.sections) for found in result.hits]


@FEW
@given(vaults, queries, st.integers(1, 8))
def test_an_answer_is_sorted_without_duplicates_and_each_score_is_the_replay_of_its_trail(notes, query, limit):
    with Folder(notes) as folder:
        result = Engine(folder.root).search(Query(text=query, limit=limit))
    keys = [(-found.hit.score, found.hit.id) for found in result.hits]
    assert keys == sorted(keys)
    assert len(set(ids(result))) == len(result.hits) == min(limit, result.total)
    for found in result.hits:
        assert replay(found.hit.trail) == found.hit.score
        assert 0.0 <= found.hit.score <= 1.0
        assert found.sentence


@FEW
@given(vaults, queries)
def test_highlights_are_inside_their_lines(notes, query):
    with Folder(notes) as folder:
        result = Engine(folder.root).search(Query(text=query))
    for found in result.hits:
        lines_of = notes[found.hit.id].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for snippet in found.snippets:
            line = lines_of[snippet.line]
            assert line[snippet.start_char :].startswith(snippet.text)
            ends = [end for span in snippet.highlights for end in span]
            assert ends == sorted(ends)
            assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.highlights)


@FEW
@given(vaults, words)
def test_a_note_that_contains_the_word_is_always_found(notes, word):
    """A word of three letters or more is also found inside longer words."""
    wanted = fold(word)
    with Folder(notes) as folder:
        found = set(ids(Engine(folder.root).search(Query(text=word, limit=100))))
    is_tag = any(char.isalpha() for char in word)  # else the line of tags has no text: a number is no tag
    for path, text in notes.items():
        seen = text.removeprefix("---\ntags") if is_tag else TAGS.sub("", text)
        if len(wanted) >= 3 and (wanted in fold(seen) or wanted in fold(path.rpartition(".")[0])):
            assert path in found


@FEW
@given(
    st.permutations(PATHS),
    st.lists(texts, min_size=len(PATHS), max_size=len(PATHS)),
    queries,
    st.integers(1, 8),
    st.sampled_from([balanced(), tiered_lexical()]),
)
def test_the_order_of_indexing_and_indexing_again_change_nothing(order, bodies_of, query, n_again, pipeline):
    notes = dict(zip(PATHS, bodies_of, strict=True))

    def ranked(*batches):
        corpus = Corpus()
        for batch in batches:
            corpus.update(parse_note(NoteId(path), notes[path], modified=1.0) for path in batch)
        found = rank(Request(query=Query(text=query), parsed=parse(query), pipeline=pipeline), corpus)
        return [(hit.id, pytest.approx(hit.score, rel=1e-9)) for hit in found.ranking]

    first = ranked(PATHS)
    assert ranked(*[[path] for path in order]) == first
    assert ranked(order, order[:n_again]) == first


@FEW
@given(vaults, vaults, queries)
def test_an_edited_vault_gives_the_same_answer_as_a_fresh_one(before, after, query):
    with Folder(before) as folder:
        engine = Engine(folder.root)
        engine.search(Query(text=query))
        for path in before:
            (folder.root / path).unlink()
        for path, text in after.items():
            folder.write(path, text)
        engine.mark_changed([NoteId(path) for path in after])
        edited = engine.search(Query(text=query))
        fresh = Engine(folder.root).search(Query(text=query))
    assert shown(edited) == shown(fresh)
    assert edited.total == fresh.total


@FEW
@given(vaults, texts, queries)
def test_an_open_buffer_gives_the_same_answer_as_a_saved_file(notes, text, query):
    path = next(iter(notes))
    with Folder(notes) as folder:
        engine = Engine(folder.root)
        engine.search(Query(text=query))
        engine.open_buffer(NoteId(path), text)
        unsaved = {found.hit.id for found in engine.search(Query(text=query, limit=100)).hits}
        folder.write(path, text)
        saved = {found.hit.id for found in Engine(folder.root).search(Query(text=query, limit=100)).hits}
    assert unsaved == saved
