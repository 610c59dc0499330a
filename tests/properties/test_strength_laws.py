"""Laws of strengths, over random small vaults."""

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.engine import Engine
from search.query import Mode
from vaults import search, write

pytestmark = pytest.mark.slow

FEW = settings(max_examples=25, deadline=None)
WORDS = ["oak", "elm", "rowan", "willow", "max_count", "note", "of", "the"]

lines = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=8)
texts = lines.map("\n".join)
queries = st.lists(st.sampled_from([*WORDS, "row", "birch", "notebook"]), min_size=1, max_size=4, unique=True)


@contextmanager
def engine_of(notes):
    """An engine over notes given as name and text."""
    with TemporaryDirectory() as folder:
        yield Engine(write(Path(folder), "".join(f"--- {name}.md\n{text}\n" for name, text in notes.items())))


def strengths_in(engine, query, **options):
    """The strength of each result of a keyword search."""
    result = search(engine, " ".join(query), mode=Mode.KEYWORD, **options)
    return {found.hit.id: found.strength for found in result.hits}


def strengths(notes, query):
    with engine_of(notes) as engine:
        return strengths_in(engine, query)


@FEW
@given(st.dictionaries(st.sampled_from("abcdef"), texts, min_size=1), queries)
def test_strengths_lie_between_0_and_1_and_do_not_depend_on_the_other_results(notes, query):
    with engine_of(notes) as engine:
        found = strengths_in(engine, query)
        assert all(0.0 <= strength <= 1.0 for strength in found.values())
        for note, strength in found.items():
            assert strengths_in(engine, query, limit_to=(note,)) == {note: strength}
        assert strengths_in(engine, query, limit=1) == dict(list(found.items())[:1])


@FEW
@given(texts, queries, st.sampled_from(["alias", "title", "file name"]))
def test_a_note_that_is_called_as_the_query_has_strength_1(text, query, name):
    name_of_file, front = ("q", f"---\n{name}: {' '.join(query)}\n---\n")
    if name == "file name":
        name_of_file, front = " ".join(query), ""
    found = strengths({name_of_file: front.replace("alias:", "aliases:") + text, "other": "the elm"}, query)
    assert found[f"{name_of_file}.md"] == 1.0


@FEW
@given(lines.filter(bool), queries, st.data())
def test_a_note_with_one_more_word_of_the_query_is_no_weaker(written, query, data):
    more = [*written]
    more[data.draw(st.integers(0, len(written) - 1))] += f" {data.draw(st.sampled_from(query))}"
    found = strengths({"a": "\n".join(written), "b": "\n".join(more)}, query)
    assert found.get("b.md", 0.0) >= found.get("a.md", 0.0) - 1e-12


@FEW
@given(lines, queries, st.data())
def test_a_note_with_a_whole_word_is_no_weaker_than_one_with_the_word_inside_another(written, query, data):
    at, word = data.draw(st.integers(0, len(written))), data.draw(st.sampled_from(query))
    notes = {name: "\n".join([*written[:at], part, *written[at:]]) for name, part in (("a", f"q{word}q"), ("b", word))}
    found = strengths(notes, query)
    assert found.get("b.md", 0.0) >= found.get("a.md", 0.0) - 1e-12
