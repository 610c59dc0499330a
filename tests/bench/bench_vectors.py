"""50,000 chunks of 384 dimensions: time to load and to search, and memory. Times are medians.

Search times are also given as ratios to a plain float32 product in the same run. Memory is what store and index add to
a process that has opened only a small store before.

Run from the project's folder with one BLAS thread, as the program itself does:
`OPENBLAS_NUM_THREADS=1 PYTHONPATH=. python tests/bench/bench_vectors.py`.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

from search.ids import NoteId
from search.semantic.note_vectors import NoteVectors
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.index import VectorIndex
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore

N_CHUNKS = 50_000
N_DIMENSIONS = 384
CHUNKS_A_NOTE = 3
N_RUNS = 7


def median_ms(work: Callable[[], object], n_runs: int = N_RUNS) -> float:
    """The median wall time of some runs, in milliseconds."""
    taken = []
    for _ in range(n_runs):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def open_store(folder: Path, *, is_writer: bool) -> VectorStore:
    return VectorStore.open(
        folder, model="bench@1", n_dimensions=N_DIMENSIONS, chunker=CHUNKER_VERSION, is_writer=is_writer
    )


def fill(folder: Path, vectors: np.ndarray) -> float:
    """Store all vectors, `CHUNKS_A_NOTE` per note; returns the seconds it took."""
    start = time.perf_counter()
    with open_store(folder, is_writer=True) as store:
        for at in range(0, len(vectors), CHUNKS_A_NOTE):
            rows = vectors[at : at + CHUNKS_A_NOTE]
            chunks = [ChunkPlace(i * 9, i * 9 + 9, f"{at + i:032x}") for i in range(len(rows))]
            store.put(NoteId(f"folder {at % 97}/note {at}.md"), f"{at:032x}", chunks, rows)
        store.flush()
    return time.perf_counter() - start


def load(folder: Path) -> tuple[VectorStore, VectorIndex]:
    store = open_store(folder, is_writer=False)
    return store, VectorIndex.of(store.batches(), N_DIMENSIONS)


class BenchEmbedder:
    """The part of an embedder that opening a store needs."""

    model = "bench@1"
    n_dimensions = known_dimensions = N_DIMENSIONS


def made(rng: np.random.Generator, n: int = N_CHUNKS) -> np.ndarray:
    """Vectors of unit length."""
    vectors = rng.standard_normal((n, N_DIMENSIONS), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def measure_memory(folder: Path) -> None:
    """Print what store and index add to a process that has run the same code before."""
    with tempfile.TemporaryDirectory() as small:
        fill(Path(small), made(np.random.default_rng(7), CHUNKS_A_NOTE))
        NoteVectors(BenchEmbedder(), None, Path(small)).view()
    embeddings = NoteVectors(BenchEmbedder(), None, folder)
    before = psutil.Process().memory_info().rss
    view = embeddings.view()
    added = psutil.Process().memory_info().rss - before
    print(f"resident, store and index {added / 1e6:8.1f} MB  (limit 25)  {len(view)} chunks", flush=True)


def main() -> None:
    """Measure and print."""
    rng = np.random.default_rng(7)
    vectors = made(rng)
    query = vectors[12345] + rng.standard_normal(N_DIMENSIONS, np.float32) * np.float32(0.02)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"write                     {fill(folder, vectors):8.2f} s")
        print(f"on disk                   {sum(f.stat().st_size for f in folder.iterdir()) / 1e6:8.1f} MB")
        subprocess.run([sys.executable, __file__, "--memory", name], check=True)
        store, index = load(folder)
        print(f"open                      {median_ms(lambda: open_store(folder, is_writer=False)):8.1f} ms")
        print(f"open and load             {median_ms(lambda: load(folder)):8.1f} ms  (limit 1000)")
        view = index.view()
        plain = median_ms(lambda: vectors @ query, 21)
        few = view.rows_of(view.chunk_at(row)[0] for row in range(0, N_CHUNKS, N_CHUNKS // 200))
        for label, work in (
            ("200 nearest rows", lambda: view.search(query, 200)),
            ("200 nearest notes", lambda: view.best_per_note(query, 200)),
            (f"among {len(few)} rows", lambda: view.search(query, 200, allowed=few)),
        ):
            taken = median_ms(work, 21)
            print(f"{label:25} {taken:8.2f} ms = {taken / plain:.2f} of float32 X @ q ({plain:.2f} ms)  (limit 30)")
        note = NoteId("folder 1/new.md")
        taken = median_ms(lambda: (index.put(note, vectors[:3]), index.view()), 21)
        print(f"one note put, new view    {taken:8.2f} ms")
        store.close()


if __name__ == "__main__":
    measure_memory(Path(sys.argv[2])) if sys.argv[1:2] == ["--memory"] else main()
