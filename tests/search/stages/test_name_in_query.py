"""A note whose whole name is part of the query is raised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled, replay
from search.engine import Engine
from search.query import Query
from search.stages import Context
from search.stages.name import Name, boost_by_name
from vaults import ask, write

BEFORE = Ranking.of(Hit.found(f"{name}.md", Found("lexical", score)) for name, score in [("oak", 1.0), ("elm", 0.8)])


def test_the_boost_grows_with_the_names_share_of_the_query():
    found = boost_by_name(BEFORE, Name(strength=0.6), Context(named={"elm.md": ("Elm", 0.5), "gone.md": ("Gone", 1.0)}))
    assert [(hit.id, round(hit.score, 9)) for hit in found] == [("elm.md", 1.04), ("oak.md", 1.0)]
    assert found.hits[0].trail[-1].why == '"Elm" is its name'


@given(st.floats(0, 1), st.floats(0, 2))
def test_a_boost_is_between_one_and_its_cap(share, strength):
    for hit in boost_by_name(BEFORE, Name(strength=strength), Context(named={"elm.md": ("Elm", share)})):
        old = BEFORE.hits[BEFORE.ranks[hit.id] - 1].score
        assert old <= hit.score <= old * (1 + strength) * (1 + 1e-12)
        assert hit.score == replay(hit.trail)


@pytest.mark.parametrize("strength", [-0.1, 2.1])
def test_a_strength_out_of_range_is_refused(strength):
    with pytest.raises(ValueError, match="strength"):
        Name(strength=strength)


LONG = "Archiving utility. " + "create an archive from a directory " * 3


def test_a_query_that_begins_with_a_notes_name_finds_that_note_first(tmp_path):
    notes = {
        "tar.md": f"{LONG} extract",
        "unpack.md": "extract tar or extract any other archive",
        "tar-commits.md": "extract the commit of a tar",
    }
    vault = "".join(f"--- {path}\n{text}\n" for path, text in notes.items())
    engine = Engine(write(tmp_path, vault))
    assert ask(engine, "tar extract")[0] == "tar.md"
    trail = engine.search(Query(text="tar extract")).hits[0].hit.trail
    (step,) = [step for step in trail if isinstance(step, Scaled) and step.by == "name"]
    assert step.factor > 1
    assert ask(engine, "extract archive")[0] == "unpack.md"
