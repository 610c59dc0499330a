"""Writers that are killed in the middle of a write lose nothing that they had reported as done.

VAULTSEEK_KILLS sets the number of kills in all; each of them interrupts a write, see `kit/doomed_writer.py`.
"""

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from attrs import define, field
from kit import doomed_writer
from kit.doomed_writer import open_engine

from embedders import WordEmbedder
from search.ids import NoteId
from search.query import Query
from search.semantic.note_vectors import hash_text
from search.semantic.vector_storage import PIECE
from search.vectors import chunk
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.record import Header
from vaults import write

N_KILLS = int(os.environ.get("VAULTSEEK_KILLS", "25"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(100 + 5 * N_KILLS),
    pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows"),
]

SHARES = {"embed": 0.3, "compact": 0.15, "collect": 0.15, "migrate": 0.25, "save": 0.15}
TESTS = Path(__file__).parents[1]
LARGE = "\n".join(f"# Part {n}\n" + " ".join(f"word{n}x{m}" for m in range(20)) for n in range(2 * PIECE + 30))
VAULT = "\n".join(f"--- {n:02d}.md\n# Note {n}\nword{n} of many\n\n# More\nword{n} and oak{n % 5}" for n in range(24))
QUERIES = ("word7", "oak3", "word40x3", "many parts", "note 12", "old")


@pytest.fixture
def vault(tmp_path):
    return write(tmp_path / "vault", f"{VAULT}\n--- Large.md\n{LARGE}")


def start(job, vault, cache, moment):
    """A writer that stops at a moment."""
    return subprocess.Popen(
        [sys.executable, doomed_writer.__file__, job, vault, cache, str(moment)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": f"{TESTS.parent}:{TESTS}"},
    )


@define
class Killed:
    """What a killed writer had reported."""

    cache: Path
    done: set[tuple[int, str]] = field(factory=set)  # notes, by the part of the index
    made: list[str] = field(factory=list)  # hashes of the texts that it embedded
    stopped: str = ""  # the call that the kill interrupted; empty if the writer had ended


def kill(job, vault, cache, moment):
    """Kill a writer within a write."""
    killed = Killed(cache)
    with start(job, vault, cache, moment) as writer:
        for line in writer.stdout:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "done":
                part, _, note = rest.partition(" ")
                killed.done.add((int(part), note))
            elif kind == "made":
                killed.made.append(rest)
            elif kind == "stopped":
                killed.stopped = rest
                writer.kill()
    return killed


def kills(job, vault, caches, *, share, attempts):
    """Kill writers at moments spread over the whole job, each with a copy of one of the caches."""
    n_kills, calls = round(N_KILLS * share), Counter()
    source = random.Random(job)  # noqa: S311 - the same moments in every run
    n_moments = []
    for number, cache in enumerate(caches):
        copy = shutil.copytree(cache, cache.with_name(f"whole-{number}"))
        with start(job, vault, copy, -1) as writer:
            n_moments.append(int(writer.stdout.read().rsplit("moments ", 1)[1]))
    for number in range(n_kills):
        which = number % len(caches)
        copy = shutil.copytree(caches[which], caches[which].with_name(f"copy-{number}"))
        killed = kill(job, vault, copy, int((number + source.random()) / n_kills * n_moments[which]))
        calls[killed.stopped] += 1
        yield killed, which
        shutil.rmtree(copy)
    attempts(n_kills)
    print(sorted(calls.items()))
    assert calls[""] == 0  # each kill came within a write that was not reported as done


class Reference:
    """What a vault that was never interrupted has, to compare with."""

    def __init__(self, vault, cache):
        engine = open_engine(vault, cache, WordEmbedder())
        maintenance = engine.maintenance()
        maintenance.update()
        self.vectors, self.chunks = (
            {},
            [],
        )  # text hash -> vector; of each part: note -> the hash of its text, and chunks
        for embedder in maintenance.embedders:
            store = embedder.storage.writable()
            self.chunks.append({note: (one.content_hash, one.chunks) for note, one in store.notes.items()})
            for note, one in store.notes.items():
                self.vectors |= zip((each.text_hash for each in one.chunks), store.vectors(note), strict=True)
        self.answers = answers(engine)
        engine.close()

    def check_store(self, part, store):
        """No vector is on the wrong text; returns the hashes of all texts that have a vector."""
        found = set()
        for note, one in store.notes.items():
            for each, vector in zip(one.chunks, store.vectors(note), strict=True):
                np.testing.assert_array_equal(vector, self.vectors[each.text_hash])
                found.add(each.text_hash)
            if note in self.chunks[part] and one.content_hash == self.chunks[part][note][0]:
                assert one.chunks == self.chunks[part][note][1]
        return found

    def check(self, vault, killed, *, notices=frozenset(), keeps=frozenset()):
        """Nothing that was done is lost or made again, and then everything is as if nothing had happened.

        `notices`: the codes that opening may give; `keeps`: texts whose vectors are in the cache in any case.
        """
        embedder = WordEmbedder()
        with closing(open_engine(vault, killed.cache, embedder)) as engine:
            maintenance, needed = engine.maintenance(), Counter()
            for part, one in enumerate(maintenance.embedders):
                store = one.storage.writable()
                assert {notice.code for notice in store.notices} <= notices
                stored = self.check_store(part, store)
                wanted = {each.text_hash for _, chunks in self.chunks[part].values() for each in chunks}
                assert wanted & keeps <= stored
                if part == len(maintenance.embedders) - 1:
                    assert len({*killed.made} & wanted - stored) <= PIECE
                for done, note in killed.done:
                    assert done != part or store.notes[NoteId(note)].content_hash == self.chunks[part][note][0]
                needed.update(wanted - stored)
            maintenance.update()
            assert Counter(map(hash_text, embedder.passages)) == needed
            assert maintenance.collect_garbage() == 0  # only pieces of a large note may be left over
            for part, one in enumerate(maintenance.embedders):
                notes = one.storage.writable().notes.items()
                assert {note: (each.content_hash, each.chunks) for note, each in notes} == self.chunks[part]
                assert len({path.name.rpartition("-")[0] for path in one.storage.folder.glob("vectors-*")}) == 1
            assert answers(engine) == self.answers


def answers(engine):
    """The answers to some queries."""
    results = [engine.search(Query(text=text)) for text in QUERIES]
    return [[(found.hit.id, round(found.hit.score, 6), found.snippets) for found in result.hits] for result in results]


def test_indexing(tmp_path, vault, attempts):
    """Half of the writers begin with nothing, half with what an earlier one has left behind."""
    reference = Reference(vault, tmp_path / "reference")
    (tmp_path / "empty").mkdir()
    caches = [tmp_path / "empty", tmp_path / "begun"]
    kill("embed", vault, caches[1], 130)
    for killed, _ in kills("embed", vault, caches, share=SHARES["embed"], attempts=attempts):
        reference.check(vault, killed)


def test_compaction(tmp_path, vault, attempts):
    """Half of the store is dead before: notes as they were, and notes that are gone."""
    write(vault, "\n".join(f"--- {n:02d}.md\nold text {n}\n\n--- old{n}.md\nold {n}" for n in range(0, 24, 2)))
    Reference(vault, tmp_path / "cache")
    for path in vault.glob("old*.md"):
        path.unlink()
    write(vault, VAULT)
    reference = Reference(vault, tmp_path / "reference")
    engine = open_engine(vault, tmp_path / "cache", WordEmbedder())
    maintenance = engine.maintenance()
    maintenance.update()
    for embedder in maintenance.embedders:
        embedder.vectors.storage.writable().collect(set(maintenance.vectors.vault.notes))
    engine.close()
    everything = frozenset(reference.vectors)
    for killed, _ in kills("compact", vault, [tmp_path / "cache"], share=SHARES["compact"], attempts=attempts):
        reference.check(vault, killed, keeps=everything)


def test_collection_of_garbage(tmp_path, vault, attempts):
    write(vault, "\n".join(f"--- old{n}.md\nold {n}" for n in range(30)))
    before = Reference(vault, tmp_path / "cache")
    for path in vault.glob("old*.md"):
        path.unlink()
    reference = Reference(vault, tmp_path / "reference")
    everything = frozenset(reference.vectors)
    reference.vectors |= before.vectors
    for killed, _ in kills("collect", vault, [tmp_path / "cache"], share=SHARES["collect"], attempts=attempts):
        with closing(open_engine(vault, killed.cache, WordEmbedder())) as engine:
            engine.maintenance().collect_garbage()
        reference.check(vault, killed, keeps=everything)


def test_migration_of_an_older_store(tmp_path, vault, monkeypatch, attempts):
    """Vectors of an older chunker are used by their texts; those of another model or format are dropped."""
    reference = Reference(vault, tmp_path / "reference")
    caches = [tmp_path / name for name in ("chunker", "model", "format")]
    with monkeypatch.context() as older:
        older.setattr("search.semantic.vector_storage.CHUNKER_VERSION", "0")
        Reference(vault, caches[0])
    assert chunk.CHUNKER_VERSION == CHUNKER_VERSION != "0"
    with monkeypatch.context() as older:
        older.setattr(WordEmbedder, "model", "words@0")
        Reference(vault, caches[1])
    shutil.copytree(tmp_path / "reference", caches[2])
    for path in caches[2].rglob("vectors-*"):
        header = Header.read(path.read_bytes().partition(b"\n")[0] + b"\n")
        path.write_bytes(
            path.read_bytes().replace(header.line, header.line.replace(b'"vaultseek":1', b'"vaultseek":0'))
        )
    codes = ({"store-unreadable"}, {"store-other-model"}, {"store-unreadable", "store-damaged"})
    for killed, which in kills("embed", vault, caches, share=SHARES["migrate"], attempts=attempts):
        keeps = frozenset(reference.vectors) if which == 0 else frozenset()
        assert which or not killed.made
        reference.check(vault, killed, notices=codes[which] if which else frozenset(), keeps=keeps)


def test_the_snapshot(tmp_path, vault, attempts):
    """The file is the one before or the new one, and if there is none the vault is read: the answers are the same."""
    (tmp_path / "empty").mkdir()
    before = open_engine(vault, tmp_path / "before", None)
    doomed_writer.save(before)
    for number in range(12):
        write(vault, f"--- {number:02d}.md\nchanged to oak4 word{number}")
    expected = answers(open_engine(vault, tmp_path / "nowhere", None))
    caches = [tmp_path / "empty", tmp_path / "before"]
    for killed, which in kills("save", vault, caches, share=SHARES["save"], attempts=attempts):
        again = open_engine(vault, killed.cache, None)
        assert answers(again) == expected
        assert again.indexer.snapshot.exists() or which == 0
        again.indexer._n_unsaved = len(expected) + 100
        again.save_snapshot()
        assert [path.name for path in killed.cache.iterdir() if path.is_file()] == [again.indexer.snapshot.name]
        assert answers(open_engine(vault, killed.cache, None)) == expected
