"""The vector index: its results equal a plain float32 product, also while it changes."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.budget import Budget, Cancelled
from search.ids import NoteId
from search.vectors.cosine import BLOCK_ROWS, dequantize, quantize, unit
from search.vectors.index import Alike, Batch, Match, VectorIndex

OAK, ELM, FIR = NoteId("oak.md"), NoteId("elm.md"), NoteId("fir.md")
EAST = np.array([1, 0], np.float32)
NORTH = np.array([0, 1], np.float32)


def floats(*rows):
    return np.array(rows, np.float32)


def index_of(**notes):
    index = VectorIndex(2)
    for name, rows in notes.items():
        index.put(NoteId(f"{name}.md"), floats(*rows))
    return index


def random_vectors(n, n_dimensions=8, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_dimensions)).astype(np.float32)


def test_the_nearest_rows_come_first_and_ties_are_in_the_order_of_rows():
    view = index_of(oak=[[0, 1], [1, 0]], elm=[[2, 0]], fir=[[1, 1]]).view()
    rows, cosines = view.search(EAST, 4)
    assert rows.tolist() == [1, 2, 3, 0]
    assert cosines.tolist() == pytest.approx([1, 1, 2**-0.5, 0], abs=1e-6)
    assert view.search(EAST, 1)[0].tolist() == [1]


def test_the_length_of_vectors_and_query_does_not_matter():
    view = index_of(oak=[[900, 0]], elm=[[0.001, 0]]).view()
    assert view.search(EAST * 55, 2)[1].tolist() == pytest.approx([1, 1], abs=1e-6)


def test_a_note_is_ranked_by_its_best_chunk():
    view = index_of(oak=[[0, 1], [1, 0.1]], elm=[[1, 1], [1, 1]], fir=[[-1, 0]]).view()
    found = view.best_per_note(EAST, 2)
    assert [(match.note, match.chunk) for match in found] == [(OAK, 1), (ELM, 0)]
    assert found[0].cosine == pytest.approx(0.995, abs=0.002)


def test_only_allowed_rows_are_searched():
    view = index_of(oak=[[1, 0]], elm=[[0, 1], [1, 1]], fir=[[1, 0]]).view()
    allowed = view.rows_of([FIR, ELM, ELM, NoteId("unknown.md")])
    assert allowed.tolist() == [1, 2, 3]
    assert [match.note for match in view.best_per_note(EAST, 9, allowed=allowed)] == [FIR, ELM]
    assert view.search(EAST, 9, allowed=view.rows_of([]))[0].tolist() == []
    assert view.best_per_note(EAST, 9, allowed=view.rows_of([])) == ()


def test_one_comparison_answers_for_all_notes_and_for_some():
    compared = index_of(oak=[[0, 1], [1, 1], [1, 1]], elm=[[1, 0]], fir=[[1, 0.2]]).view().compared_to(EAST)
    assert [(match.note, match.chunk) for match in compared.best_per_note(9)] == [(ELM, 0), (FIR, 0), (OAK, 1)]
    some = [OAK, FIR, NoteId("unknown.md")]
    assert [match.note for match in compared.best_per_note(9, among=some)] == [FIR, OAK]
    assert [match.note for match in compared.near_notes(1, least=0.0, among=some)] == [FIR]
    assert [(match.note, match.cosine) for match in compared.near_notes(9, least=0.9)] == [(ELM, 1.0), (FIR, 0.9812)]
    assert list(compared.best_per_note(9, among=[])) == []


@pytest.mark.parametrize("n", [0, -1])
def test_a_search_for_no_rows_finds_none(n):
    view = index_of(oak=[[1, 0]]).view()
    assert view.search(EAST, n)[0].tolist() == []
    assert view.best_per_note(EAST, n) == ()


def test_an_empty_index_finds_nothing():
    view = VectorIndex(2).view()
    assert len(view) == 0
    assert view.search(EAST, 5)[0].tolist() == []
    assert view.best_per_note(EAST, 5) == ()


def test_a_zero_query_has_cosine_zero_to_every_row():
    assert index_of(oak=[[1, 0]], elm=[[0, 1]]).view().search(EAST * 0, 2)[1].tolist() == [0, 0]


def test_a_note_that_is_put_again_is_replaced():
    index = index_of(oak=[[1, 0]], elm=[[0, 1]])
    index.put(OAK, floats([0, -1], [0, -2], [0, -3]))
    assert len(index.view()) == 4
    assert index.view().best_per_note(EAST, 9)[0].cosine == pytest.approx(0)
    index.put(OAK, np.empty((0, 2), np.float32))
    assert index.view().notes == {ELM}


def test_a_removed_note_is_not_found():
    index = index_of(oak=[[1, 0]], elm=[[0, 1]])
    index.remove(NoteId("unknown.md"))
    index.remove(ELM)
    assert index.view().best_per_note(EAST, 9) == (Match(OAK, 0, 1.0),)


def test_each_row_has_its_note_and_chunk():
    index = index_of(oak=[[1, 0]], elm=[[0, 1], [1, 1]])
    index.remove(OAK)
    assert index.view().chunk_at(2) == (ELM, 1)
    with pytest.raises(KeyError):
        index.view().chunk_at(0)


def test_the_mean_of_rows_is_their_mean_direction_at_length_one():
    view = index_of(oak=[[5, 0], [0, 1]], elm=[[1, 0]]).view()
    assert view.mean(view.rows_of([OAK])).tolist() == pytest.approx([2**-0.5, 2**-0.5], abs=1e-6)
    assert view.mean(view.rows_of([])).tolist() == [0, 0]
    assert VectorIndex(2).view().mean(view.rows_of([])).tolist() == []


def test_vectors_of_other_dimensions_are_refused():
    with pytest.raises(ValueError, match="3 dimensions, the index 2"):
        index_of(oak=[[1, 2, 3]])


def test_a_view_does_not_change_when_the_index_does():
    index = index_of(oak=[[1, 0]], elm=[[0, 1]])
    view = index.view()
    index.remove(OAK)
    index.put(FIR, floats([1, 0]))
    assert view.notes == {OAK, ELM}
    assert view.rows_of([OAK, FIR]).tolist() == [0]
    assert [match.note for match in view.best_per_note(EAST, 9)] == [OAK, ELM]
    assert [match.note for match in index.view().best_per_note(EAST, 9)] == [FIR, ELM]
    assert index.view() is index.view()


def test_a_cancelled_search_is_stopped():
    with pytest.raises(Cancelled):
        index_of(oak=[[1, 0]]).view().search(EAST, 1, budget=Budget.of(None, is_cancelled=lambda: True))


@pytest.mark.parametrize("n_rows", [1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 5])
def test_results_do_not_depend_on_how_rows_fall_into_blocks(n_rows):
    vectors = random_vectors(n_rows)
    quantized = quantize(vectors)
    index = VectorIndex.of([Batch((OAK, ELM), (1, n_rows - 1), quantized.rows)] if n_rows > 1 else [], 8)
    if n_rows == 1:
        index.put(OAK, vectors)
    query = random_vectors(1, seed=1)[0]
    exact = dequantize(quantized)
    exact = (exact / np.linalg.norm(exact, axis=1, keepdims=True)) @ unit(query)
    rows, cosines = index.view().search(query, 50)
    np.testing.assert_allclose(cosines, np.sort(exact)[::-1][:50], atol=2e-6)
    np.testing.assert_allclose(exact[rows], cosines, atol=2e-6)


NAMES = st.sampled_from([NoteId(f"{letter}.md") for letter in "abcde"])
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, st.integers(0, 900)),
        st.tuples(st.just("remove"), NAMES),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(CHANGES)
def test_after_any_changes_the_index_equals_a_new_one(changes):
    """This includes dropping dead rows: notes of 900 rows exceed the limit."""
    index, model = VectorIndex(2), {}
    pool = random_vectors(1000, 2)
    for change in changes:
        match change:
            case "put", note, n_rows:
                index.put(note, pool[:n_rows])
                model[note] = pool[:n_rows]
            case "remove", note:
                index.remove(note)
                model.pop(note, None)
    view = index.view()
    expected = {note: rows for note, rows in model.items() if len(rows)}
    assert view.notes == expected.keys()
    assert len(view) == sum(map(len, expected.values()))
    for note, vectors in expected.items():
        alone = VectorIndex(2)
        alone.put(note, vectors)
        (want,) = alone.view().best_per_note(NORTH, 1)
        (got,) = view.best_per_note(NORTH, 1, allowed=view.rows_of([note]))
        assert (got.note, got.chunk) == (want.note, want.chunk)
        assert got.cosine == pytest.approx(want.cosine, abs=1e-6)


def test_readers_in_other_threads_see_whole_notes_only():
    """All rows of a note are equal, so a half-written note would show."""
    index = VectorIndex(2)
    wrong = []
    is_done = threading.Event()

    def read():
        while not is_done.is_set():
            view = index.view()
            for note in view.notes:
                rows = view.rows_of([note])
                found = view.search(EAST, 99, allowed=rows)[1]
                if len(found) not in {7, 8} or np.ptp(found) > 1e-6:
                    wrong.append((note, found))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for step in range(400):
        index.put(NoteId(f"{step % 9}.md"), np.tile(random_vectors(1, 2, seed=step), (7 + step % 2, 1)))
        if step % 7 == 0:
            index.remove(NoteId(f"{step % 5}.md"))
    is_done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_only_notes_with_a_vector_other_than_zero_are_measured():
    index = index_of(oak=[[1, 0], [0, 0]], elm=[[0, 0]], fir=[[0, 1]])
    index.remove(FIR)
    assert index.view().measured([OAK, ELM, FIR, NoteId("unknown.md")]) == {OAK}
    assert index.view().measured([]) == frozenset()


def test_a_note_is_like_another_by_its_mean_and_by_the_best_pair():
    """(cosine of the mean direction to the nearest chunk + cosine of the best pair) / 2."""
    view = index_of(oak=[[1, 0], [0, 1]], elm=[[-1, 0], [0, 1]], fir=[[1, 1]]).view()
    elm, fir = view.alike(view.rows_of([OAK]), [ELM, FIR, NoteId("unknown.md")])
    assert elm == Alike(ELM, pytest.approx((2**-0.5 + 1) / 2, abs=0.002), 1, 1)
    assert fir == Alike(FIR, pytest.approx((1 + 2**-0.5) / 2, abs=0.002), 0, fir.own_chunk)
    assert view.alike(view.rows_of([]), [ELM]) == view.alike(view.rows_of([OAK]), []) == ()


def test_likeness_is_the_same_across_blocks_of_rows():
    vectors = random_vectors(BLOCK_ROWS + 40, seed=3)
    index = VectorIndex(8)
    for number in range(0, len(vectors), 20):
        index.put(NoteId(f"n{number:05}.md"), vectors[number : number + 20])
    view = index.view()
    own, notes = NoteId("n00000.md"), [NoteId(f"n{number:05}.md") for number in (40, 2000, BLOCK_ROWS - 16, BLOCK_ROWS)]
    directions = np.array([unit(row) for row in vectors])
    mean = unit(directions[:20].sum(axis=0))
    for found in view.alike(view.rows_of([own]), [note for note in notes if note in view.notes]):
        at = int(found.note[1:6])
        pairs = directions[at : at + 20] @ directions[:20].T
        expected = ((directions[at : at + 20] @ mean).max() + pairs.max()) / 2
        assert found.cosine == pytest.approx(float(expected), abs=0.02)


def test_a_note_of_thousands_of_chunks_is_compared_by_a_sample():
    view = index_of(oak=[[1, 0]] * 5000, elm=[[1, 0]]).view()
    (elm,) = view.alike(view.rows_of([OAK]), [ELM])
    assert elm.cosine == pytest.approx(1.0, abs=0.01)
