"""Breadth-first walks over links, in both directions and by type."""

from search.answer.evidence import LinkEvidence
from search.graph.links import LinkIndex
from search.graph.walk import MAX_NOTES, neighbours, walk
from search.ids import NoteId
from search.vault.markdown import parse_note

OAK, ELM, ASH, FIR, YEW = (NoteId(f"{name}.md") for name in ("oak", "elm", "ash", "fir", "yew"))


def index_of(**texts: str) -> LinkIndex:
    index = LinkIndex()
    for name, text in texts.items():
        index.update(parse_note(NoteId(f"{name}.md"), text).note)
    return index


CHAIN = index_of(oak="[[elm]]", elm="up:: [[ash]]", ash="", fir="![[ash]]", yew="")


def test_links_are_followed_forwards_and_backwards():
    assert {note: found.hops for note, found in walk([OAK], CHAIN, depth=5).items()} == {OAK: 0, ELM: 1, ASH: 2, FIR: 3}
    assert {note: found.hops for note, found in walk([FIR], CHAIN, depth=5).items()} == {FIR: 0, ASH: 1, ELM: 2, OAK: 3}


def test_depth_limits_the_walk_and_starts_are_always_included():
    assert list(walk([OAK], CHAIN, depth=1)) == [OAK, ELM]
    assert list(walk([OAK, YEW], CHAIN, depth=0)) == [OAK, YEW]
    assert walk([], CHAIN, depth=3) == {}


def test_from_several_starts_the_shortest_path_counts():
    found = walk([OAK, FIR], CHAIN, depth=2)
    assert found[ASH] == LinkEvidence(FIR, 1)
    assert found[ELM].origin == OAK


def test_only_links_of_the_given_types_are_followed():
    assert list(walk([OAK], CHAIN, depth=5, link_types=["up"])) == [OAK]
    assert list(walk([ELM], CHAIN, depth=5, link_types=["up", "embed"])) == [ELM, ASH, FIR]
    assert walk([ELM], CHAIN, depth=1, link_types=["up"])[ASH].types == ("up",)


def test_a_neighbour_has_its_direction_and_on_request_its_types():
    assert [(near.note, near.is_backlink, near.types) for near in neighbours(ASH, CHAIN, is_typed=True)] == [
        (ELM, True, {"up"}),
        (FIR, True, {"embed"}),
    ]
    assert [(near.note, near.is_backlink, set(near.types)) for near in neighbours(OAK, CHAIN)] == [(ELM, False, set())]


def test_a_walk_from_a_hub_reaches_a_limited_number_of_notes():
    hub = index_of(hub="", **{f"n{n}": "[[hub]]" for n in range(MAX_NOTES + 5)})
    assert len(walk([NoteId("hub.md")], hub, depth=1)) == MAX_NOTES
