"""The judged collections' vectors, stored in the project so that a test run need not compute them.

Run: python tests/ranking/snapshot.py [COLLECTION ...]

Completes the snapshots, two collections at a time; all of them from nothing take a quarter of an hour. To compute one
again, delete its files. A snapshot is the one file of a vector store, compressed, with its notes in the order of their
names; the short vectors of names and openings are one file more.
"""

import argparse
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import zstandard
from judged import NOTES_ONLY, notes_of, shared_folder

from search.cache.folder import path_in_cache
from search.engine import open_engine
from search.providers.threads import limit_blas_to_one_thread
from search.semantic.gists import FOLDER as GIST_FOLDER
from search.semantic.settings import Indexing
from search.settings import MODELS, Settings
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.partitions import partition_path
from search.vectors.store import VectorStore, stored_dimensions

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


def snapshots_of(collection: str) -> Mapping[str, Path]:
    """The files that hold a collection's vectors, by the place of their store in the vault's folder."""
    name = collection.removeprefix("vaults/")
    return {"": SNAPSHOTS / f"{name}.jsonl.zst", GIST_FOLDER: SNAPSHOTS / f"{name}.gists.jsonl.zst"}


def unpack(collection: str, folder: Path) -> None:
    """Replace the contents of a vault's stores by a snapshot; without a snapshot they end up empty."""
    for below, packed in snapshots_of(collection).items():
        store = folder / below
        store.mkdir(parents=True, exist_ok=True)
        for file in store.glob("vectors-*"):
            file.unlink()
        if packed.exists():
            partition_path(store, 1, 1).write_bytes(zstandard.ZstdDecompressor().decompress(packed.read_bytes()))


def embed(shared: Path, collection: str) -> tuple[str, int]:
    """Complete a collection's snapshot; returns its name and the number of notes that were embedded.

    Raises:
        VaultseekError: the model failed.
    """
    root = notes_of(shared, collection)
    with TemporaryDirectory() as cache:
        unpack(collection, path_in_cache(Path(cache), root))
        indexing = Indexing(folder=cache, in_background=False)
        engine = open_engine(root, Settings(embedding_model=MODELS[1], indexing=indexing, vault=NOTES_ONLY))
        maintenance = engine.maintenance()
        n_notes, model = maintenance.update(), maintenance.plan().model
        engine.close()
        for below, target in snapshots_of(collection).items():
            store = path_in_cache(Path(cache), root) / below
            ordered = _in_order(store, Path(cache) / f"ordered-{below}", model)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(zstandard.ZstdCompressor(level=_LEVEL).compress(ordered))
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
    """Complete the snapshots named on the command line."""
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
