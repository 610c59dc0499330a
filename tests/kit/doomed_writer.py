"""A process that writes to a vault's cache and stops within a write, so that a kill surely interrupts it.

Run: python doomed_writer.py JOB VAULT CACHE MOMENT

A moment is a place in a system call that changes the disk: before it, after it, and for a write also after half of the
bytes and before the last one. The process prints each piece of work that is done, and at the moment with the given
number it prints `stopped` and waits to be killed. With the moment -1 it never stops and prints the number of moments.
"""

import io
import os
import signal
import sys
from pathlib import Path

from embedders import WordEmbedder
from search.cache.folder import snapshot_path
from search.engine import Engine
from search.index import indexer
from search.semantic.note_vectors import hash_text
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vectors.store import VectorStore


class Moments:
    """Replaces the functions of `os` that change the disk by ones that can stop."""

    def __init__(self, stop_at):
        self.n, self.stop_at = 0, stop_at
        self._write, self._fdopen = os.write, os.fdopen
        os.write, os.fdopen = self.write, self.fdopen
        for name in ("fsync", "rename", "replace", "unlink"):
            setattr(os, name, self._around(name, getattr(os, name)))

    def pass_by(self, call):
        """Stop here, if this is the moment."""
        if self.n == self.stop_at:
            print("stopped", call, flush=True)
            signal.pause()
        self.n += 1

    def _around(self, name, call):
        def stopping(*arguments, **options):
            self.pass_by(f"before {name}")
            result = call(*arguments, **options)
            self.pass_by(f"after {name}")
            return result

        return stopping

    def write(self, fd, data):
        """`os.write`, in three parts."""
        data = bytes(data)
        at = 0
        for end, where in ((len(data) // 2, "before"), (len(data) - 1, "half of"), (len(data), "end of")):
            self.pass_by(f"{where} write")
            while at < end:
                at += self._write(fd, data[at:end])
        self.pass_by("after write")
        return len(data)

    def fdopen(self, fd, mode="r", *arguments, **options):
        """`os.fdopen`, for a new file with this `write`."""
        if mode != "wb":
            return self._fdopen(fd, mode, *arguments, **options)
        moments = self

        class Raw(io.FileIO):
            def write(self, data):
                return moments.write(self.fileno(), data)

        return io.BufferedWriter(Raw(fd, mode))


def open_engine(vault, cache, embedder):
    """An engine that writes to the disk only when it is told to."""
    indexer._FEW_NOTES = 1  # a small vault has a snapshot too
    settings = Settings(indexing=Indexing(folder=str(cache), in_background=False))
    return Engine(vault, settings, embedder=embedder, snapshot=snapshot_path(cache, vault))


def embed(engine):
    """Embed all notes; says of each passage that it was made, and of each note that it is done."""
    for part, embedder in enumerate(engine.maintenance().embedders):
        embedder.storage.open()
        for number, note in enumerate(sorted(embedder.vectors.unchecked())):
            embedder.embed(note)
            print("done", part, note, flush=True)
            if number % 7 == 6:
                embedder.storage.flush()


def compact(engine):
    """Rewrite the files of both stores."""
    for embedder in engine.maintenance().embedders:
        embedder.storage.writable().compact()


def collect(engine):
    """Delete the vectors of notes that no longer exist."""
    engine.maintenance().collect_garbage()


def save(engine):
    """Write a snapshot."""
    engine.refresh()
    engine.save_snapshot()


JOBS = {job.__name__: job for job in (embed, compact, collect, save)}

if __name__ == "__main__":
    job, vault, cache, moment = JOBS[sys.argv[1]], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    VectorStore.open.__func__.__kwdefaults__["partition_bytes"] = 30_000  # several files even for few notes
    moments = Moments(moment)
    job(open_engine(vault, cache, WordEmbedder(lambda text: print("made", hash_text(text), flush=True))))
    print("moments", moments.n, flush=True)
