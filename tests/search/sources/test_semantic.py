"""The semantic source over an index of a few vectors."""

import numpy as np
import pytest

from search.answer.trail import Found
from search.sources.semantic import search_semantic
from search.vectors.index import VectorIndex

NORTH, EAST, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


@pytest.fixture
def index():
    index = VectorIndex(2)
    index.put("oak", np.array([EAST, NORTH], np.float32))
    index.put("elm", np.array([BETWEEN], np.float32))
    index.put("ash", np.array([EAST], np.float32))
    return index


def search(index, n=10, *, allowed=None, floor=0.1):
    compared = index.view().compared_to(np.array(NORTH, np.float32))
    return search_semantic(compared, n, allowed, floor=floor, lines_of=lambda note, chunk: (chunk, len(note)))


def test_a_note_has_the_cosine_and_the_lines_of_its_nearest_chunk(index):
    best = search(index).hits[0]
    assert (best.id, best.score) == ("oak", pytest.approx(1.0, abs=0.01))
    assert best.trail == (Found("semantic", best.score),)
    assert (best.evidence.cosine, best.evidence.semantic_lines) == (best.score, (1, 3))


@pytest.mark.parametrize(
    ("options", "notes"),
    [
        ({}, ["oak", "elm"]),
        ({"floor": 0.7}, ["oak"]),
        ({"floor": -1.0}, ["oak", "elm", "ash"]),
        ({"n": 1}, ["oak"]),
        ({"allowed": ["elm", "ash"]}, ["elm"]),
        ({"allowed": []}, []),
    ],
)
def test_the_floor_the_number_and_the_filter_limit_the_hits(index, options, notes):
    assert [hit.id for hit in search(index, **options)] == notes


def test_without_vectors_the_ranking_is_empty():
    assert len(search(VectorIndex(2))) == 0
