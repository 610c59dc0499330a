"""A note of many passages: its vectors are stored in pieces while they are made, so that a crash loses few of them."""

import pytest

from embedders import WordEmbedder
from search.budget import Budget, Cancelled
from search.ids import NoteId
from search.query import Mode
from search.semantic.settings import AutoIndex
from search.semantic.vector_storage import PIECE, note_of
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.store import VectorStore
from vaults import ask, write

LARGE = NoteId("Large.md")
N_PASSAGES = 3 * PIECE + 20
TEXT = "\n".join(f"# Part {n}\n" + " ".join(f"word{n}x{m}" for m in range(20)) for n in range(N_PASSAGES))


@pytest.fixture
def large(make, vault):
    """The engine, its embedder, and the part of it that embeds whole texts of a vault with a large note."""
    write(vault, f"--- {LARGE}\n{TEXT}")
    embedder = WordEmbedder()
    engine = make(embedder)
    return engine, embedder, engine.maintenance().note_embedder


def n_stored(note_embedder):
    """How many vectors of the large note another process finds in the store, and in how many entries."""
    model = {"model": WordEmbedder.model, "n_dimensions": WordEmbedder.n_dimensions}
    with VectorStore.open(note_embedder.storage.folder, chunker=CHUNKER_VERSION, is_writer=False, **model) as store:
        sizes = [len(stored.chunks) for note, stored in store.notes.items() if note_of(note) == LARGE]
    return sum(sizes), len(sizes)


def stop_after(note_embedder, embedder, n_passages):
    """Embed the large note and cancel that after so many passages."""
    n_before = len(embedder.passages)
    budget = Budget.of(None, is_cancelled=lambda: len(embedder.passages) - n_before >= n_passages)
    with pytest.raises(Cancelled):
        note_embedder.embed(LARGE, budget)


def test_no_more_than_a_piece_is_missing_in_the_store_at_any_moment(large):
    _, embedder, note_embedder = large
    missing = []
    embedder.on_passage = lambda _text: missing.append(len(embedder.passages) - n_stored(note_embedder)[0])
    assert note_embedder.embed(LARGE)
    assert len(missing) >= N_PASSAGES
    assert max(missing) == PIECE - 1
    assert n_stored(note_embedder) == (len(missing), 1)


def test_an_interrupted_note_continues_after_a_restart_and_embeds_nothing_twice(large, make):
    engine, embedder, note_embedder = large
    for n_passages in (5, PIECE + 7, 3):
        stop_after(note_embedder, embedder, n_passages)
    assert n_stored(note_embedder) == (PIECE + 15, 4)
    engine.close()
    again = make(embedder)
    maintenance = again.maintenance()
    maintenance.update()
    assert len(embedder.passages) == len(set(embedder.passages))
    assert set(maintenance.vectors.storage.stored) == set(again.library().notes)


def test_pieces_are_no_notes(large, make):
    engine, embedder, note_embedder = large
    stop_after(note_embedder, embedder, PIECE)
    engine.close()
    again = make(embedder, auto_index=AutoIndex.NEVER)
    assert set(ask(again, "word3x3", mode=Mode.VECTOR)) <= set(again.library().notes)
    assert again.status().semantic.n_vectors == 0
    assert again.status().semantic.n_missing == len(again.library().notes)


def test_collecting_garbage_keeps_pieces_that_are_still_needed(large, vault):
    engine, embedder, note_embedder = large
    stop_after(note_embedder, embedder, PIECE)
    assert engine.maintenance().collect_garbage() == 0
    assert n_stored(note_embedder) == (PIECE, 1)
    (vault / LARGE).unlink()
    engine.mark_changed([LARGE])
    assert engine.maintenance().collect_garbage() == 1
    assert n_stored(note_embedder) == (0, 0)


def test_a_piece_that_a_crash_left_of_a_complete_note_is_garbage(large):
    engine, embedder, note_embedder = large
    note_embedder.embed(LARGE)
    n_all, _ = n_stored(note_embedder)
    passage = embedder.passages[0]
    note_embedder.storage.put_piece(LARGE, {f"{7:032x}": embedder.embed_query(passage)})
    assert n_stored(note_embedder) == (n_all + 1, 2)
    assert engine.maintenance().collect_garbage() == 0
    assert n_stored(note_embedder) == (n_all, 1)


def test_a_full_disk_costs_no_vector_of_a_large_note(large, monkeypatch):
    _, embedder, note_embedder = large

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.write", full)
        assert note_embedder.embed(LARGE)
    note_embedder.storage.retry_writing()
    assert note_embedder.embed(LARGE)
    assert len(embedder.passages) == len(set(embedder.passages))
    assert n_stored(note_embedder)[1] == 1
