"""A query that equals a note's name finds that note first."""

import pytest

from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Replaced, Scaled, replay
from search.engine import Engine
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.stages import Context
from search.stages.title import Title, put_exact_titles_first
from search.vault.note import Note
from vaults import ids, search, write

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


LINE = "\n## See\n[[Elsewhere]]\n"
PROSE = "A page of the vault that explains the matter in all its parts, with the reasons and the rules. " * 5


@pytest.mark.parametrize(
    ("query", "stub", "page"),
    [
        ("daily journal", "# Daily journal\n[[Daily journal note]]\n", "# Daily journal note\n"),
        ("daily journal", "# Daily journal\n", "# Daily journal note\n"),
        ("daily journal", f"# Daily journal\nA short line.{LINE}", "# The daily journals\n"),
        ("what is a daily journal", f"# Daily journal{LINE}", "# Journal, daily\n"),
        ("dome", f"# Dome{LINE}", "# About the dome\n"),
    ],
)
def test_a_stub_comes_right_after_the_page_that_explains(tmp_path, query, stub, page):
    others = "".join(f"--- other{n}.md\nA daily note on the journal and the dome. {PROSE}\n" for n in range(3))
    engine = Engine(write(tmp_path, f"--- stub.md\n{stub}\n--- page.md\n{page}{PROSE}\n{others}"))
    found = search(engine, query)
    assert ids(found)[:2] == ["page.md", "stub.md"]
    assert all(replay(found.hit.trail) == found.hit.score for found in found.hits)


@pytest.mark.parametrize(
    ("stub", "page"),
    [
        (f"# Dome{LINE}{PROSE}", "# About the dome\n"),  # it explains the matter itself
        ("# Dome\nCall 0123 456.\n", "# About the dome\n"),  # short, but it points nowhere else
        ("# Dome\n[[a]] [[b]] [[c]]\n", "# About the dome\n"),  # an index
        (f"# Dome{LINE}", "# House\nThe dome. "),  # no page explains
        (f"# Dome{LINE}", "# House with garden and dome\n"),  # its name is about more
    ],
)
def test_other_notes_named_as_the_query_still_come_first(tmp_path, stub, page):
    engine = Engine(write(tmp_path, f"--- dome.md\n{stub}\n--- page.md\n{page}{PROSE}\n"))
    assert ids(search(engine, "dome"))[0] == "dome.md"


@pytest.mark.parametrize("query", ["file:stub", "[[stub]]", "stub.md"])
def test_a_stub_that_is_asked_for_by_its_file_comes_first(tmp_path, query):
    vault = f"--- stub.md\n# Dome{LINE}\n--- page.md\n# About the dome\nNo stub. {PROSE}\n"
    assert ids(search(Engine(write(tmp_path, vault)), query))[0] == "stub.md"
