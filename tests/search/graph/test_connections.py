"""Which connections between results count, and how often."""

from search.graph.connections import connect
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.vault.note import Link, Note


def tie(links: dict[str, str], candidates: str, tags: dict[str, str] | None = None) -> dict[str, tuple[int, int, int]]:
    """`links`: note -> names that it links to; the candidates' (backlinks, co-citations, shared tags)."""
    index = LinkIndex()
    for name, targets in links.items():
        index.update(Note(NoteId(f"{name}.md"), name, links=tuple(Link(target, 0) for target in targets.split())))
    for name in candidates.split():
        if name not in links:
            index.update(Note(NoteId(f"{name}.md"), name))
    ids = [NoteId(f"{name}.md") for name in candidates.split()]
    notes = {id_: Note(id_, id_, tags=tuple((tags or {}).get(id_[:-3], "").split())) for id_ in ids}
    tied = connect(ids, links=index, notes=notes)
    return {id_[:-3]: (found.backlinks, found.co_citations, found.shared_tags) for id_, found in tied.items()}


def test_the_target_of_a_link_gets_the_backlink():
    assert tie({"oak": "elm"}, "oak elm") == {"oak": (0, 0, 0), "elm": (1, 0, 0)}


def test_a_link_from_a_note_that_is_no_candidate_is_no_backlink():
    assert tie({"moss": "elm"}, "oak elm") == {"oak": (0, 0, 0), "elm": (0, 0, 0)}


def test_a_note_outside_the_results_that_cites_two_of_them_connects_both():
    assert tie({"moss": "elm oak"}, "oak elm") == {"oak": (0, 1, 0), "elm": (0, 1, 0)}


def test_an_index_note_counts_once_however_many_results_it_cites():
    assert tie({"index": "oak elm fir ash"}, "oak elm fir ash")["oak"] == (0, 1, 0)


def test_a_candidate_may_cite_two_others():
    assert tie({"ash": "elm oak"}, "oak elm ash") == {"oak": (1, 1, 0), "elm": (1, 1, 0), "ash": (0, 0, 0)}


def test_a_self_link_counts_nothing():
    assert tie({"oak": "oak elm"}, "oak elm") == {"oak": (0, 0, 0), "elm": (1, 0, 0)}


def test_a_tag_is_shared_whatever_its_case_and_counts_once():
    tags = {"oak": "Tree green tree", "elm": "tree", "fir": "TREE evergreen", "ash": "rare"}
    assert tie({}, "oak elm fir ash", tags) == {"oak": (0, 0, 1), "elm": (0, 0, 1), "fir": (0, 0, 1), "ash": (0, 0, 0)}


def test_fewer_than_two_candidates_have_no_connections():
    assert tie({"moss": "oak"}, "oak", {"oak": "tree"}) == {"oak": (0, 0, 0)}
    assert tie({}, "") == {}
