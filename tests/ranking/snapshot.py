"""The judged collections' vectors, stored in the project so that a test run need not compute them.

Run: python tests/ranking/snapshot.py [COLLECTION ...]

Computes the snapshots again, two collections at a time; all of them take a quarter of an hour. A snapshot is the one
file of a vector store, compressed, with its notes in the order of their names.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import zstandard
from judged import notes_of, shared_folder

from search.engine import open_engine
from search.providers.threads import limit_blas_to_one_thread
from search.semantic.settings import Indexing
from search.settings import MODELS, Settings
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.partitions import partition_path
from search.vectors.store import VectorStore, store_folder, stored_dimensions

SNAPSHOTS = Path(__file__).with_name("vectors")
EMBEDDED = (
    "vaults/dendron-site",
    "cacm",
    "vaults/obsidian-tasks",
    "cranfield",
    "vaults/silverbullet",
    "vaults/tts-handbook",
    "vaults/foam",
    "adi",
)  # slow ones first
_LEVEL = 19  # of zstd; vectors hardly shrink, but base64 and paths do


def snapshot_of(collection: str) -> Path:
    """The file that holds a collection's vectors."""
    return SNAPSHOTS / f"{collection.removeprefix('vaults/')}.jsonl.zst"


def unpack(collection: str, folder: Path) -> None:
    """Replace the contents of a store's folder by a snapshot; without a snapshot the folder ends up empty."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("vectors-*"):
        file.unlink()
    packed = snapshot_of(collection)
    if packed.exists():
        partition_path(folder, 1, 1).write_bytes(zstandard.ZstdDecompressor().decompress(packed.read_bytes()))


def embed(shared: Path, collection: str) -> tuple[str, int]:
    """Compute a collection's snapshot again; returns its name and the number of its notes.

    Raises:
        VaultseekError: the model failed.
    """
    root = notes_of(shared, collection)
    with TemporaryDirectory() as cache:
        indexing = Indexing(folder=cache, in_background=False)
        engine = open_engine(root, Settings(embedding_model=MODELS[1], indexing=indexing))
        maintenance = engine.maintenance()
        n_notes, model = maintenance.update(), maintenance.plan().model
        engine.close()
        folder = store_folder(Path(cache), root)
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(_in_order(folder, Path(cache) / "ordered", model))
    snapshot_of(collection).parent.mkdir(exist_ok=True)
    snapshot_of(collection).write_bytes(packed)
    return collection, n_notes


def _in_order(folder: Path, target: Path, model: str) -> bytes:
    """A store's notes as one file, ordered by name; the engine itself orders them by the files' times."""
    n_dimensions = stored_dimensions(folder, model)
    assert n_dimensions is not None
    with (
        VectorStore.open(folder, model=model, n_dimensions=n_dimensions, chunker=CHUNKER_VERSION) as made,
        VectorStore.open(target, model=model, n_dimensions=n_dimensions, chunker=CHUNKER_VERSION) as ordered,
    ):
        for note in sorted(made.notes):
            vectors = made.vectors(note)
            assert vectors is not None
            ordered.put(note, made.notes[note].content_hash, made.notes[note].chunks, vectors)
    return partition_path(target, 1, 1).read_bytes()


def main() -> None:
    """Compute the snapshots named on the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collections", nargs="*", default=EMBEDDED)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    limit_blas_to_one_thread(os.environ)  # in the processes started below
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for collection, n_notes in pool.map(partial(embed, asked.shared), asked.collections):
            print(f"{collection}: {n_notes} notes", flush=True)


if __name__ == "__main__":
    main()
