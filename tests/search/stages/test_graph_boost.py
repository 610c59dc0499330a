"""Which results are boosted by connections to others, and by how much."""

from math import log

import pytest

from search.answer.evidence import Evidence, GraphEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled
from search.graph.connections import Connections
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.stages import Context
from search.stages.graph import Graph, boost_by_graph, connection_score, graph_factor
from search.vault.note import Link, Note


def rank(*ids: str, cosines: tuple[float | None, ...] = (), falling_by: float = 1.0) -> Ranking[NoteId]:
    cosines = cosines or (None,) * len(ids)
    return Ranking.of(
        Hit.found(NoteId(id_), Found("lexical", 100.0 - falling_by * at), evidence=Evidence(cosine=cosine))
        for at, (id_, cosine) in enumerate(zip(ids, cosines, strict=True))
    )


def boost(
    ranking: Ranking[NoteId],
    links: dict[str, str],
    tags: dict[str, str] | None = None,
    without_vectors=(),
    **settings: float,
):
    """The boosted hits by id; `links`: note -> names that it links to."""
    index = LinkIndex()
    for hit in ranking:
        index.update(Note(hit.id, hit.id))
    for id_, targets in links.items():
        index.update(Note(NoteId(id_), id_, links=tuple(Link(target, 0) for target in targets.split())))
    notes = {NoteId(id_): Note(NoteId(id_), id_, tags=tuple(own.split())) for id_, own in (tags or {}).items()}
    context = Context(notes=notes, links=index, without_vectors=without_vectors)
    boosted = boost_by_graph(ranking, Graph(**settings), context)
    return {hit.id: hit for hit in boosted}


def factors(boosted: dict[str, Hit[NoteId]]) -> dict[str, float]:
    return {id_: hit.evidence.graph.factor for id_, hit in boosted.items() if hit.evidence.graph}


@pytest.mark.parametrize(
    ("score", "factor"),
    [
        (0.0, 1.0),
        (0.3, 1.02624),
        (0.5, 1.04055),
        (1.0, 1.06931),
        (1.8, 1.10296),
        (2.0, 1.10986),
        (3.4817, 1.15),
        (99.0, 1.15),
    ],
)
def test_the_factor_follows_the_formula(score, factor):
    assert graph_factor(score, settings=Graph()) == pytest.approx(min(1.15, 1 + 0.1 * log(1 + score)))
    assert graph_factor(score, settings=Graph()) == pytest.approx(factor, abs=5e-6)


def test_backlinks_co_citations_and_shared_tags_add_up_and_the_trail_counts_them():
    boosted = boost(rank("a.md", "b.md"), {"a.md": "b", "moss.md": "a b"}, {"a.md": "tree", "b.md": "tree"})
    factor = 1 + 0.1 * log(1 + 1.0 + 0.5 + 0.3)
    assert boosted["b.md"].evidence.graph == GraphEvidence(1, 1, 1, 1.8, pytest.approx(factor))
    step = boosted["b.md"].trail[-1]
    assert step == Scaled("graph", pytest.approx(factor), "1 backlink, 1 shared citation, 1 shared tag")
    assert factors(boosted)["a.md"] == pytest.approx(1 + 0.1 * log(1 + 0.5 + 0.3))


def test_the_reason_uses_the_plural():
    boosted = boost(rank("a.md", "b.md", "c.md"), {"a.md": "c", "b.md": "c"})
    assert boosted["c.md"].trail[-1].why == "2 backlinks"
    assert len(boosted["a.md"].trail) == 1


def test_a_self_link_counts_nothing():
    assert factors(boost(rank("a.md", "b.md"), {"a.md": "a"})) == {}


def test_fewer_than_two_candidates_stay_as_they_are():
    assert factors(boost(rank("a.md"), {"moss.md": "a"})) == {}
    assert boost(rank(), {}) == {}


def test_a_link_from_the_eleventh_hit_gives_no_boost():
    ids = [f"n{at:02}.md" for at in range(1, 12)]
    assert factors(boost(rank(*ids), {"n11.md": "n01"})) == {}
    assert set(factors(boost(rank(*ids), {"n10.md": "n01"}))) == {"n01.md"}
    assert set(factors(boost(rank(*ids), {"n11.md": "n01"}, max_candidates=11))) == {"n01.md"}


def test_only_links_from_notes_that_reach_the_gate_count():
    ranking = rank("1.md", "2.md", "3.md", "4.md", cosines=(0.9, 0.8, 0.7, 0.6), falling_by=25.0)
    boosted = boost(ranking, {"2.md": "1", "3.md": "1"})
    assert set(factors(boosted)) == {"1.md"}
    assert boosted["1.md"].evidence.graph.backlinks == 1


def test_links_from_weak_lexical_hits_do_not_count():
    ranking = rank("1.md", "2.md", "3.md", cosines=(0.75, None, 0.75), falling_by=25.0)
    assert boost(ranking, {"2.md": "1", "3.md": "1"})["1.md"].evidence.graph.backlinks == 1


def test_links_from_strong_lexical_hits_count_whatever_their_cosine():
    """The lexical strengths are 1, .8 and .6."""
    ranking = rank("1.md", "2.md", "3.md", cosines=(0.9, 0.1, 0.1), falling_by=20.0)
    assert boost(ranking, {"2.md": "1", "3.md": "1"})["1.md"].evidence.graph.backlinks == 1
    assert boost(ranking, {"2.md": "1", "3.md": "1"}, min_strength=0.9) == {hit.id: hit for hit in ranking}


def test_a_setting_lets_the_cosine_alone_choose_the_candidates():
    ranking = rank("1.md", "2.md", "3.md", cosines=(0.9, 0.1, 0.8), falling_by=5.0)
    assert boost(ranking, {"2.md": "1", "3.md": "1"})["1.md"].evidence.graph.backlinks == 2
    strict = boost(ranking, {"2.md": "1", "3.md": "1"}, passes_by_words=False)
    assert strict["1.md"].evidence.graph.backlinks == 1


def test_a_note_without_vectors_passes_the_gate():
    ranking = rank("1.md", "2.md", "3.md", cosines=(0.9, None, 0.1), falling_by=30.0)
    boosted = boost(ranking, {"2.md": "1", "3.md": "1"}, without_vectors={"2.md"})
    assert boosted["1.md"].evidence.graph.backlinks == 1


def test_without_any_vectors_there_is_no_gate():
    assert boost(rank("1.md", "2.md", "3.md"), {"2.md": "1", "3.md": "1"})["1.md"].evidence.graph.backlinks == 2


@pytest.mark.parametrize("bad", [{"strength": -0.1}, {"cap": 0.9}, {"max_candidates": 1}, {"min_cosine": 1.5}])
def test_settings_outside_their_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        Graph(**bad)


def test_mutual_links_count_nothing_and_one_way_links_count():
    """The pages of an index link back and forth, whatever the query."""
    assert factors(boost(rank("a.md", "b.md"), {"a.md": "b", "b.md": "a"})) == {}
    assert set(factors(boost(rank("a.md", "b.md"), {"a.md": "b"}))) == {"b.md"}
    both = boost(rank("a.md", "b.md"), {"a.md": "b", "b.md": "a"}, mutual_link_weight=0.5)
    assert factors(both) == pytest.approx({"a.md": 1.04055, "b.md": 1.04055}, abs=5e-6)
    assert [hit.trail[-1].why for hit in both.values()] == ["1 backlink", "1 backlink"]


def test_shared_tags_decide_only_between_nearly_equal_matches():
    """The strengths are 1, .99, .98 and .97."""
    tags = dict.fromkeys(("a.md", "b.md", "c.md", "d.md"), "tree")
    assert set(factors(boost(rank("a.md", "b.md", "c.md", "d.md"), {}, tags))) == {"a.md", "b.md", "c.md"}
    assert len(factors(boost(rank("a.md", "b.md", "c.md", "d.md"), {}, tags, min_strength_of_weak=0.9))) == 4


def test_the_connection_score_is_the_weighted_sum_of_the_counts():
    assert connection_score(Connections(backlinks=1, co_citations=1, shared_tags=1), settings=Graph()) == 1.8


def test_other_files_give_no_note_a_boost_and_take_no_place_of_a_candidate():
    files = [f"{number}.canvas" for number in range(20)]
    links = {"b.md": "a", "index.canvas": "a.md b.md", **dict.fromkeys(files, "b.md")}
    alone = factors(boost(rank("a.md", "b.md"), links))
    among = factors(boost(rank(*files, "a.md", "b.md"), links))
    assert alone == among == {"a.md": graph_factor(1.0, settings=Graph())}


def test_another_file_is_boosted_for_links_from_the_best_hits():
    boosted = factors(boost(rank("a.md", "paper.pdf"), {"a.md": "paper.pdf"}))
    assert boosted == {"paper.pdf": graph_factor(1.0, settings=Graph())}
