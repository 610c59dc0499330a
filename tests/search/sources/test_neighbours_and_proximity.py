"""Linked notes are found too: as neighbours with a discount, or by their proximity."""

import pytest

from search.answer.evidence import LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.sources.neighbours import Neighbours, search_neighbours
from search.sources.proximity import Proximity, search_proximity
from search.vault.markdown import parse_note


def index_of(**texts: str) -> LinkIndex:
    index = LinkIndex()
    for name, text in texts.items():
        index.update(parse_note(NoteId(f"{name}.md"), text).note)
    return index


def ranked(source: str, *names: str) -> Ranking[NoteId]:
    return Ranking.of(Hit.found(NoteId(f"{name}.md"), Found(source, 9.0 - at)) for at, name in enumerate(names))


LINKS = index_of(a="[[b]]", b="up:: [[c]]", c="[[d]]", d="", e="[[a]]")


def test_a_neighbour_gets_the_score_of_its_best_origin_with_a_discount():
    found = search_neighbours(
        [ranked("lexical", "a", "c"), ranked("semantic", "c")], settings=Neighbours(), links=LINKS, n=9
    )
    assert {hit.id: hit.score for hit in found} == {"b.md": 0.9, "d.md": 0.9, "e.md": 0.9}
    assert found.hits[0].evidence.link == LinkEvidence("a.md", 1, ())


def test_the_rank_of_the_origin_decides_and_only_links_of_the_given_types_count():
    found = [ranked("lexical", "x", "a", "c")]
    assert {hit.id: hit.score for hit in search_neighbours(found, settings=Neighbours(), links=LINKS, n=9)} == {
        "b.md": 0.45, "e.md": 0.45, "d.md": pytest.approx(0.3),
    }  # fmt: skip
    by_type = search_neighbours(found, settings=Neighbours(link_types=("Up",)), links=LINKS, n=9)
    assert [hit.id for hit in by_type] == ["b.md"]
    assert len(search_neighbours(found, settings=Neighbours(), links=LINKS, n=1)) == 1
    assert search_neighbours([], settings=Neighbours(), links=LINKS, n=9) == Ranking()


def test_proximity_is_one_over_the_hops_and_one_for_a_start():
    found = search_proximity(ranked("semantic", "a"), settings=Proximity(depth=3), links=LINKS, n_shown=10)
    assert {hit.id: round(hit.score, 4) for hit in found} == {
        "a.md": 1.0, "b.md": 1.0, "e.md": 1.0, "c.md": 0.5, "d.md": 0.3333,
    }  # fmt: skip
    assert found.hits[-1].evidence.link == LinkEvidence("a.md", 3, ())
    assert found.hits[0].evidence.link is None


def test_the_walk_starts_at_twice_as_many_notes_as_are_shown():
    found = search_proximity(ranked("semantic", "a", "x", "d"), settings=Proximity(depth=0), links=LINKS, n_shown=1)
    assert [hit.id for hit in found] == ["a.md", "x.md"]
    assert search_proximity(Ranking(), settings=Proximity(), links=LINKS, n_shown=9) == Ranking()


@pytest.mark.parametrize("bad", [{"discount": 1.0}, {"discount": 0.0}, {"weight": -1.0}])
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        Neighbours(**bad)
