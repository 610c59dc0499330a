"""Answers by words and meaning over a judged collection, for the table's columns.

No clock has a say: nothing is embedded while it is measured but the queries. The notes' vectors are those of the
project's snapshot.

Run: python tests/ranking/hybrid.py COLLECTION [--queries N] [--sets NAME ...]

Measures a sample of each set of a collection that has no snapshot, for it is too large to be embedded: of each query
the best 30 notes by words are, as they are for a user's first queries. The vectors are kept in the cache.
"""

import argparse
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from attrs import evolve, field, frozen
from judged import CACHE, QuerySet, Read, Run, as_words, found_by, load, notes_of, ours, query_sets, shared_folder
from snapshot import unpack
from sweep import sampled

from search.answer.ranking import Ranking
from search.budget import UNLIMITED
from search.engine import Engine, open_engine
from search.execution.request import Request
from search.filters.allowed import allowed_notes
from search.ids import NoteId
from search.ports import silent
from search.query import Mode, Query
from search.ranking.pipeline import Fusion
from search.ranking.rank import Meaning, rank
from search.semantic.search import SemanticSearch
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings
from search.syntax import parse
from search.vectors.store import store_folder

UNREAD = ("jaquad", "drcd")  # in scripts that the model does not know: it is silent, and no note needs a vector
_DEPTH = 100  # the most that a query may ask for
_VECTORS = CACHE / "vectors"


@frozen
class Hybrid:
    """An engine with its model, over one collection; close it."""

    engine: Engine
    semantics: SemanticSearch = field(init=False)

    @semantics.default
    def _known(self) -> SemanticSearch:
        self.engine.indexed()
        assert self.engine.semantics is not None
        return self.engine.semantics

    def found_by(
        self, text: str, read: Read = parse, *, fusion: Fusion = Fusion.LINEAR, is_half: bool = False
    ) -> list[str]:
        """The notes that `engine.search` shows for a query, in its order.

        `is_half`: with the vectors of half of the notes only, picked by their names.
        """
        engine, query, parsed = self.engine, Query(text=text, limit=_DEPTH, mode=Mode.HYBRID), read(text)
        allowed, _ = allowed_notes(engine._reading, query, parsed, UNLIMITED)
        found = Request(query, parsed, allowed, (), is_complete=True)
        meaning = engine._asking.ask(found, UNLIMITED, None, silent).meaning
        if is_half and meaning is not None:
            meaning = _halved(meaning)
        pipeline = evolve(engine.settings.pipeline, fusion=fusion)
        ranked = rank(query, parsed, engine._corpus, pipeline, allowed=allowed, meaning=meaning)
        return [hit.id for hit in ranked.ranking.top(_DEPTH).hits]

    def run(
        self,
        queries: QuerySet,
        scorer: ModuleType,
        read: Read,
        *,
        fusion: Fusion = Fusion.LINEAR,
        is_half: bool = False,
    ) -> Run:
        """What is answered to all queries of a set."""
        return {
            id_: [scorer.name(note) for note in self.found_by(queries.texts[id_], read, fusion=fusion, is_half=is_half)]
            for id_ in queries.qrels
        }

    def embed_for(self, text: str) -> None:
        """Embed what a user's query has embedded, however long it takes."""
        best = found_by(self.engine, text, as_words)
        while any(notice.code == "still-embedding" for notice in self.semantics.prepare(best)):
            pass


def _halved(meaning: Meaning) -> Meaning:
    def near(found: Sequence[NoteId]) -> Ranking[NoteId]:
        return Ranking.of(hit for hit in meaning.near(found) if _is_in_half(hit.id))

    return evolve(meaning, near=near, without_vectors=lambda found: [note for note in found if not _is_in_half(note)])


def _is_in_half(note: NoteId) -> bool:
    return blake2b(note.encode(), digest_size=1).digest()[0] < 128


def open_hybrid(shared: Path, collection: str) -> Hybrid:
    """The collection with the vectors of the snapshot and no others."""
    root = notes_of(shared, collection)
    unpack(collection, store_folder(_VECTORS, root))
    indexing = Indexing(folder=str(_VECTORS), auto_index=AutoIndex.NEVER, is_filling=False)
    return Hybrid(open_engine(root, Settings(indexing=indexing)))


def main() -> None:
    """Embed what a sample of queries asks for, then measure them by words and by both."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collection")
    arguments.add_argument("--queries", type=int, default=40, help="of each set")
    arguments.add_argument("--sets", nargs="*", default=("judged", "anchors", "renamed", "alias", "context"))
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    scorer = load(asked.shared, "score")
    indexing = Indexing(folder=str(CACHE / "sampled"), is_filling=False, patience_s=60.0, patience_alone_s=600.0)
    hybrid = Hybrid(open_engine(notes_of(asked.shared, asked.collection), Settings(indexing=indexing)))
    known = query_sets(asked.shared, asked.collection)
    sets = [sampled(queries, asked.queries) for queries in known if queries.name in asked.sets]
    for queries in sets:
        for id_ in queries.qrels:
            hybrid.embed_for(queries.texts[id_])
    for queries in sets:
        print(f"{queries.label}: {len(queries.qrels)} queries, {hybrid.semantics.status().n_vectors} vectors")
        print("  by words", queries.score(ours(hybrid.engine, queries, scorer, as_words), scorer))
        print("  hybrid  ", queries.score(hybrid.run(queries, scorer, as_words), scorer), flush=True)
    hybrid.engine.close()


if __name__ == "__main__":
    main()
