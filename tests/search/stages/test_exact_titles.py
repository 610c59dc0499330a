"""A query that equals a note's name finds that note first."""

import pytest

from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Replaced, Scaled
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.stages import Context
from search.stages.title import Title, put_exact_titles_first
from search.vault.note import Note

BUDGET = Note(NoteId("3.1. Budget.md"), "Money", aliases=("Cash",))
NOTES = {BUDGET.id: BUDGET}


def rank(exact: dict[str, str] | None = None, **scores: float) -> Ranking[NoteId]:
    """Scores by note, and the exact names of some of them."""
    return Ranking.of(
        Hit.found(NoteId(id_), Found("lexical", score), evidence=Evidence(exact_name=(exact or {}).get(id_, "")))
        for id_, score in scores.items()
    )


def put_first(ranking: Ranking[NoteId]) -> Ranking[NoteId]:
    return put_exact_titles_first(ranking, Title(), Context(notes=NOTES))


def test_an_exact_title_comes_first_by_a_margin_of_five_percent():
    put = put_first(rank({"elm": "Elm"}, oak=8.0, elm=2.0))
    assert {hit.id: hit.score for hit in put} == {"elm": pytest.approx(1.05 * 8.0), "oak": 8.0}


def test_several_exact_titles_keep_their_order_and_ratio():
    put = put_first(rank({"elm": "Tree", "ash": "Tree"}, oak=8.0, elm=4.0, ash=2.0))
    assert {hit.id: hit.score for hit in put} == pytest.approx({"elm": 2 * 1.05 * 8.0, "ash": 1.05 * 8.0, "oak": 8.0})
    assert [hit.id for hit in put] == ["elm", "ash", "oak"]


def test_an_exact_title_that_is_already_first_keeps_its_score_but_gets_its_reason():
    put = put_first(rank({"oak": "oak"}, oak=8.0, elm=2.0))
    assert put.hits[0].trail == (Found("lexical", 8.0), Scaled("title", 1.0, "exact file name"))
    assert put_first(rank({"oak": "oak"}, oak=8.0)).hits[0].score == 8.0


@pytest.mark.parametrize(
    ("name", "why"), [("Money", "exact title"), ("Cash", "exact alias"), ("3.1. Budget", "exact file name")]
)
def test_the_reason_says_which_name_matched(name, why):
    hit = Hit.found(BUDGET.id, Found("lexical", 1.0), evidence=Evidence(exact_name=name))
    assert put_first(Ranking.of([hit])).hits[0].trail[-1].why == why


def test_a_hit_without_a_score_gets_the_score_that_the_lowest_exact_title_needs():
    """A search by meaning alone gives 0 to a note that it does not find near."""
    found = put_first(rank({"elm": "elm"}, oak=2.0, elm=0.0))
    assert [(hit.id, hit.score) for hit in found] == [("elm", 2.1), ("oak", 2.0)]
    assert found.hits[0].trail[-1] == Replaced("title", 2.1, "exact file name")


@pytest.mark.parametrize("scores", [{"oak": 1.0, "elm": -1.0}, {"oak": 1e308, "elm": 5e-324}])
def test_a_hit_that_no_factor_can_lift_keeps_its_score(scores):
    ranking = rank({"elm": "elm"}, **scores)
    assert put_first(ranking) == ranking


def test_without_exact_names_nothing_changes():
    assert put_first(rank(oak=1.0, elm=2.0)) == rank(oak=1.0, elm=2.0)
    assert put_first(rank()) == rank()


def test_margins_outside_their_range_are_refused():
    with pytest.raises(ValueError, match="must be"):
        Title(margin=0.9)


def test_among_notes_of_one_name_the_one_that_a_link_leads_to_comes_first():
    ranking = Ranking.of(
        Hit.found(NoteId(id_), Found("lexical", score), evidence=Evidence(exact_name=name))
        for id_, score, name in (("a/b/todo.md", 9.0, "todo"), ("todo.md", 4.0, "todo"), ("other.md", 20.0, ""))
    )
    links = LinkIndex()
    for hit in ranking:
        links.update(Note(hit.id, hit.id))
    found = put_exact_titles_first(ranking, Title(), Context(links=links))
    # all: 1.05 * 20 / 4 = 5.25; the target of the link: 5.25 * 1.05 * 9 / 4
    assert [(hit.id, round(hit.score, 6)) for hit in found] == [
        ("todo.md", round(4 * 5.25 * 1.05 * 9 / 4, 6)),
        ("a/b/todo.md", 9 * 5.25),
        ("other.md", 20.0),
    ]
