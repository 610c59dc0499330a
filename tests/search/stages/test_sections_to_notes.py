"""A note's score combines those of its passages and never exceeds the best of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.evidence import Evidence, Passage
from search.answer.ranking import Hit, Ranking
from search.answer.staleness import Staleness
from search.answer.trail import Found, replay
from search.errors import ConfigError
from search.ids import NoteId
from search.stages.sections import Sections, gather_sections, section_score


def passages(**cosines: list[float]):
    return Ranking.of(
        Hit.found(
            (NoteId(name), at),
            Found("semantic", cosine),
            evidence=Evidence(cosine=cosine, semantic_lines=(at, at + 1)),
        )
        for name, found in cosines.items()
        for at, cosine in enumerate(found)
    )


def test_one_passage_gives_its_score_and_several_are_weighted_eighty_to_twenty():
    found = gather_sections(passages(oak=[0.7], elm=[0.3, 0.9, 0.6, 0.1]), settings=Sections())
    assert {hit.id: hit.score for hit in found} == {"elm": pytest.approx(0.8 * 0.9 + 0.2 * 0.6), "oak": 0.7}
    elm = found.hits[0]
    assert elm.evidence.cosine == 0.9
    assert elm.evidence.semantic_lines == (1, 2)
    assert elm.evidence.passages == (Passage((1, 2), 0.9), Passage((2, 3), 0.6), Passage((0, 1), 0.3))
    assert replay(elm.trail) == elm.score
    assert gather_sections(Ranking(), settings=Sections()) == Ranking()


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=9))
def test_a_note_never_scores_higher_than_its_best_passage(scores):
    scores.sort(reverse=True)
    assert section_score(scores, settings=Sections()) <= scores[0] + 1e-12


def test_notes_cannot_be_stale_before_they_are_aging():
    with pytest.raises(ConfigError, match="not before aging"):
        Staleness(aging_days=400.0)
