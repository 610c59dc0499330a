"""Recent notes are raised by tiers of age; weak hits are left out."""

import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled
from search.errors import ConfigError
from search.ids import NoteId
from search.stages import Context
from search.stages.cut import Cut, cut_weak
from search.stages.recency import Recency, boost_by_recency
from search.vault.note import Note

DAY = 86_400.0
NOW = 1_000 * DAY
AGES = {"today": 0.2, "week": 7.0, "month": 30.0, "old": 30.5, "future": -3.0, "yesterday": 1.5}


def test_a_note_gets_the_factor_for_its_age():
    ranking = Ranking.of(Hit.found(NoteId(name), Found("lexical", 1.0)) for name in (*AGES, "gone"))
    notes = {NoteId(name): Note(NoteId(name), name, modified=NOW - age * DAY) for name, age in AGES.items()}
    raised = boost_by_recency(ranking, Recency(), Context(notes=notes, now=NOW))
    assert {hit.id: hit.score for hit in raised} == {
        "today": 1.2, "week": 1.2, "future": 1.2, "yesterday": 1.2, "month": 1.1, "old": 1.0, "gone": 1.0,
    }  # fmt: skip
    whys = {hit.id: step.why for hit in raised for step in hit.trail if isinstance(step, Scaled)}
    assert whys == {
        "today": "changed today", "future": "changed today", "yesterday": "changed 1 day ago",
        "week": "changed 7 days ago", "month": "changed 30 days ago",
    }  # fmt: skip


@pytest.mark.parametrize(
    "tiers",
    [((7, 0.9),), ((30, 1.1), (7, 1.2)), ((7, 1.1), (30, 1.2)), ((0, 1.1),), ((7, 11),), ((7,),), ((7, 1.1), (7, 1.1))],
)
def test_tiers_out_of_order_or_range_are_refused(tiers):
    with pytest.raises(ConfigError, match="pairs of days"):
        Recency(tiers=tiers)


def test_hits_below_the_minimum_score_or_beyond_the_maximum_number_are_left_out():
    ranking = Ranking.of(
        Hit.found(name, Found("lexical", score)) for name, score in {"a": 1.0, "b": 0.5, "c": 0.49}.items()
    )
    assert [hit.id for hit in cut_weak(ranking, Cut(), Context())] == ["a", "b"]
    assert [hit.id for hit in cut_weak(ranking, Cut(min_score=0.0, max_results=1), Context())] == ["a"]
    assert cut_weak(Ranking(), Cut(), Context()) == Ranking()
