"""Which folders are coherent, and how much their notes gain."""

from math import log2, sqrt

import pytest

from search.answer.evidence import FolderEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled
from search.ids import NoteId
from search.stages import Context
from search.stages.folder import Folder, boost_by_folder, folder_factor

UNCAPPED = Folder(cap=10.0)


def rank(*ids: str) -> Ranking[NoteId]:
    return Ranking.of(Hit.found(NoteId(id_), Found("lexical", 100.0 - at)) for at, id_ in enumerate(ids))


def boost(ranking: Ranking[NoteId], settings: Folder = Folder(), **sizes: int) -> dict[str, float]:  # noqa: B008 - frozen
    """Each note's factor; `root` is the size of the root folder."""
    sizes = {"" if folder == "root" else folder: size for folder, size in sizes.items()}
    boosted = boost_by_folder(ranking, settings, Context(notes_per_folder=sizes))
    before = {hit.id: hit.score for hit in ranking}
    return {hit.id: hit.score / before[hit.id] for hit in boosted}


@pytest.mark.parametrize(
    ("n_relevant", "n_notes", "by_hand", "figure"),
    [
        (2, 5, 1 + (log2(3) - 1) * sqrt(2 / 5), 1.36996),
        (3, 5, 1 + (log2(4) - 1) * sqrt(3 / 5), 1.77460),
        (4, 5, 1 + (log2(5) - 1) * sqrt(4 / 5), 2.18237),
        (3, 10, 1.0, 1.0),
        (1, 1, 1.0, 1.0),
        (1, 2, 1.0, 1.0),
    ],
)
def test_the_factor_follows_the_formula(n_relevant, n_notes, by_hand, figure):
    assert folder_factor(n_relevant, n_notes, settings=UNCAPPED) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(figure, abs=5e-6)
    assert folder_factor(n_relevant, n_notes, settings=Folder()) == (1.15 if by_hand > 1.15 else 1.0)


@pytest.mark.parametrize(("n_notes", "gains"), [(4, {"a", "b", "c"}), (5, set())])
def test_a_folder_below_the_sure_ratio_decides_only_between_equals(n_notes, gains):
    """The hits have strengths .99, .98 and .97; three of four notes reach the ratio, three of five do not."""
    factors = boost(rank("solo.md", "x/a.md", "x/b.md", "x/c.md"), x=n_notes, root=9)
    assert {id_[2] for id_, factor in factors.items() if factor > 1.1} == gains


def test_thresholds_are_settings():
    assert folder_factor(2, 5, settings=Folder(min_notes=3)) == 1.0
    assert folder_factor(2, 5, settings=Folder(min_ratio=0.5)) == 1.0
    assert folder_factor(3, 10, settings=Folder(min_ratio=0.3)) == 1.15


def test_a_coherent_folder_raises_its_notes_and_the_trail_says_why():
    boosted = boost_by_folder(
        rank("solo.md", "nextjs/a.md", "nextjs/b.md", "nextjs/c.md"),
        Folder(sure_ratio=0.6),
        Context(notes_per_folder={"nextjs": 5, "": 9}),
    )
    assert [hit.id for hit in boosted] == ["nextjs/a.md", "nextjs/b.md", "nextjs/c.md", "solo.md"]
    best = boosted.hits[0]
    assert best.trail[1:] == (Scaled("folder", 1.15, "3 of 5 notes in nextjs/ match"),)
    assert best.evidence.folder == FolderEvidence("nextjs", 3, 5, 1.15)
    assert len(boosted.hits[3].trail) == 1
    assert boosted.hits[3].evidence.folder is None


def test_the_root_is_a_folder():
    half = Folder(sure_ratio=0.5)
    assert boost(rank("a.md", "b.md"), half, root=4) == {"a.md": pytest.approx(1.15), "b.md": pytest.approx(1.15)}
    boosted = boost_by_folder(rank("a.md", "b.md"), half, Context(notes_per_folder={"": 4}))
    assert boosted.hits[0].trail[-1] == Scaled("folder", 1.15, "2 of 4 notes in the top folder match")


def test_a_subfolder_counts_separately():
    assert set(boost(rank("x/a.md", "x/y/b.md"), x=1).values()) == {1.0}


def test_only_the_best_hits_are_relevant_and_gain():
    ids = ["x/a.md", "x/b.md", "solo.md", "x/c.md", "y/d.md", "y/e.md"]
    factors = boost(rank(*ids), Folder(consider=3, sure_ratio=0.4), x=5, y=2)
    assert factors["x/a.md"] == factors["x/b.md"] == pytest.approx(1.15)
    assert factors["x/c.md"] == factors["y/d.md"] == factors["y/e.md"] == factors["solo.md"] == 1.0


def test_hits_much_weaker_than_the_best_do_not_make_a_folder_coherent():
    raw = {"x/best.md": 10.0, "y/a.md": 9.0, "y/b.md": 8.0, "z/a.md": 7.9, "z/b.md": 7.8}
    ranking = Ranking.of(Hit.found(NoteId(id_), Found("lexical", score)) for id_, score in raw.items())
    factors = boost(ranking, Folder(min_strength=0.8), x=9, y=2, z=2)
    assert {id_ for id_, factor in factors.items() if factor > 1} == {"y/a.md", "y/b.md"}


def test_an_outdated_count_of_notes_is_raised_to_the_number_of_hits():
    boosted = boost_by_folder(rank("x/a.md", "x/b.md"), Folder(), Context(notes_per_folder={}))
    assert boosted.hits[0].evidence.folder == FolderEvidence("x", 2, 2, 1.15)


def test_an_empty_ranking_stays_empty():
    assert boost(rank()) == {}


@pytest.mark.parametrize("bad", [{"min_notes": 1}, {"min_ratio": 1.1}, {"cap": 0.9}, {"consider": 0}])
def test_settings_outside_their_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        Folder(**bad)


def test_other_files_take_no_note_out_of_those_that_may_be_relevant():
    files = [f"far/{number}.pdf" for number in range(9)]
    settings = Folder(consider=3)
    found = boost(rank(*files, "near/a.md", "near/b.md"), settings, far=90, near=2)
    assert found["near/a.md"] == pytest.approx(boost(rank("near/a.md", "near/b.md"), settings, near=2)["near/a.md"])
    assert found["near/a.md"] > 1.0
