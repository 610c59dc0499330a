"""Readers of a store while another thread or another process writes to it."""

import threading

from search.ids import NoteId
from search.vectors.index import VectorIndex
from stores import ELM, FIR, OAK, numbers_of, put


def test_a_reader_keeps_what_it_saw_when_the_writer_has_replaced_the_files(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, ELM, 2)
        reader = open_store(tmp_path, is_writer=False)
        put(store, OAK, 3)
        store.remove(ELM)
        late = open_store(tmp_path, is_writer=False)
        store.compact()
        assert (numbers_of(reader, OAK), numbers_of(reader, ELM)) == ([1], [2])
        assert numbers_of(late, OAK) == [3]
        assert late.vectors(ELM) is None
        assert not any("000001-" in path.name for path in tmp_path.iterdir())


def test_readers_in_other_threads_see_whole_notes_while_one_thread_writes(tmp_path, open_store):
    store = open_store(tmp_path, partition_bytes=2000)
    put(store, OAK, 0, 0)
    wrong = []
    is_done = threading.Event()

    def read():
        while not is_done.is_set():
            vectors = store.vectors(OAK)
            n_indexed = len(VectorIndex.of(store.batches(), 4).view())
            if vectors.shape != (2, 4) or abs(vectors[0, 0] - vectors[1, 0]) > 0.01 or n_indexed < 2:
                wrong.append(vectors)
            notes = store.notes
            if (ELM in notes) == (FIR in notes):
                wrong.append(list(notes))

    put(store, ELM, 0)
    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(150):
        put(store, OAK, number, number)
        put(store, NoteId("other.md"), number)
        store.move(*((ELM, FIR) if number % 2 == 0 else (FIR, ELM)))
        if number % 20 == 0:
            store.compact()
    is_done.set()
    for thread in threads:
        thread.join()
    store.close()
    assert wrong == []
