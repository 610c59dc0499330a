"""Answers by words and meaning over a judged collection, for the table's columns.

Results do not depend on timing: only queries are embedded during a measurement. The notes' vectors are those of the
project's snapshot.

Run: python tests/ranking/hybrid.py COLLECTION [--queries N] [--sets NAME ...]

As a script it measures a sample of each set of a collection that is too large to embed and so has no snapshot. For each
query the best 30 notes by words are embedded, as for a user's first queries. The vectors are kept in the cache.
"""

import argparse
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from attrs import evolve, field, frozen
from judged import (
    CACHE,
    NOTES_ONLY,
    QuerySet,
    Read,
    Run,
    as_words,
    found_by,
    load,
    notes_of,
    ours,
    query_sets,
    request_for,
    shared_folder,
)
from snapshot import unpack
from sweep import sampled

from search.answer.ranking import Ranking
from search.budget import UNLIMITED
from search.cache.folder import path_in_cache
from search.engine import Engine, open_engine
from search.ids import NoteId
from search.ports import silent
from search.query import Mode, Query
from search.ranking.pipeline import Fusion
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.ranking.retrieval import Retrieval, retrieve
from search.semantic.search import SemanticSearch
from search.semantic.settings import AutoIndex, Indexing
from search.settings import MODELS, Settings
from search.syntax import parse

UNREAD = ("jaquad", "drcd")  # in scripts that the model cannot read, so their notes have no vectors
_DEPTH = 100  # the maximum limit of a query
_VECTORS = CACHE / "vectors"


@frozen(eq=False, kw_only=True)
class Lookup:
    """All that is looked up for one query, so that several rankings of it share the work.

    `scores` is None where the query has no vector.
    """

    request: Request
    retrieval: Retrieval
    scores: SemanticScores | None

    @property
    def halved(self) -> "Lookup":
        """The same with the vectors of the whole text of only half of the notes, picked by a hash of their names."""
        if self.scores is None:
            return self
        with_vectors = frozenset(filter(_is_in_half, self.scores.with_vectors))
        notes = self.scores.notes.where(_is_in_half)
        return evolve(self, scores=evolve(self.scores, notes=notes, with_vectors=with_vectors))

    @property
    def first_pass(self) -> "Lookup":
        """The same with the short vectors of names and openings alone."""
        if self.scores is None:
            return self
        return evolve(self, scores=evolve(self.scores, notes=Ranking[NoteId](), with_vectors=frozenset()))

    @property
    def by_rank(self) -> "Lookup":
        """The same, fused by rank."""
        request = evolve(self.request, pipeline=evolve(self.request.pipeline, fusion=Fusion.RRF))
        retrieved = evolve(self.retrieval.request, pipeline=request.pipeline)
        return evolve(self, request=request, retrieval=evolve(self.retrieval, request=retrieved))

    @property
    def by_words(self) -> "Lookup":
        """The same without vectors."""
        return evolve(self, scores=None)


@frozen
class Hybrid:
    """An engine with its model over one collection. The caller closes it."""

    engine: Engine
    semantic: SemanticSearch = field(init=False)

    @semantic.default
    def _known(self) -> SemanticSearch:
        self.engine.maintenance()
        assert self.engine.semantic is not None
        return self.engine.semantic

    def look_up(self, text: str, read: Read = parse) -> Lookup:
        """Look up a query's words and vectors."""
        request = request_for(self.engine, Query(text=text, limit=_DEPTH, mode=Mode.HYBRID), read(text))
        retrieval = retrieve(request, self.engine.indexer.corpus)
        return Lookup(request=request, retrieval=retrieval, scores=scores_of(self.engine, request, retrieval))

    def ranking(self, lookup: Lookup) -> Ranking[NoteId]:
        """The whole ranking for a query."""
        corpus = self.engine.indexer.corpus
        return rank(lookup.request, corpus, retrieval=lookup.retrieval, scores=lookup.scores).ranking

    def ranked(self, lookup: Lookup) -> list[str]:
        """The notes that `engine.search` shows for a query, in its order."""
        return [hit.id for hit in self.ranking(lookup).top(_DEPTH).hits]

    def found_by(self, text: str, read: Read = parse) -> list[str]:
        """The notes that `engine.search` shows for a query, in its order."""
        return self.ranked(self.look_up(text, read))

    def embed_for(self, text: str) -> None:
        """Embed the notes that a user's query would embed, however long it takes."""
        best = found_by(self.engine, text, as_words)
        while any(notice.code == "still-embedding" for notice in self.semantic.embed_best_notes(lambda: best)):
            pass


def scores_of(engine: Engine, request: Request, retrieval: Retrieval) -> SemanticScores | None:
    """The model's scores of a request's notes; embeds the query and no note."""
    enricher = engine.enricher
    added = enricher.enrich(request, UNLIMITED, None, silent)
    return enricher.scores(request, added, retrieval, UNLIMITED)[0]


def _is_in_half(note: NoteId) -> bool:
    return blake2b(note.encode(), digest_size=1).digest()[0] < 128


def open_hybrid(shared: Path, collection: str) -> Hybrid:
    """An engine over the collection, with the vectors of the snapshot and no others."""
    root = notes_of(shared, collection)
    unpack(collection, path_in_cache(_VECTORS, root))
    indexing = Indexing(folder=str(_VECTORS), auto_index=AutoIndex.NEVER, in_background=False)
    return Hybrid(open_engine(root, Settings(embedding_model=MODELS[1], indexing=indexing, vault=NOTES_ONLY)))


def main() -> None:
    """Embed the notes for a sample of queries, then measure these queries by words and by both."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collection")
    arguments.add_argument("--queries", type=int, default=40, help="of each set")
    arguments.add_argument("--sets", nargs="*", default=("judged", "anchors", "renamed", "alias", "context"))
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    scorer = load(asked.shared, "score")
    indexing = Indexing(folder=str(CACHE / "sampled"), in_background=False, patience_s=60.0, patience_alone_s=600.0)
    settings = Settings(embedding_model=MODELS[1], indexing=indexing, vault=NOTES_ONLY)
    hybrid = Hybrid(open_engine(notes_of(asked.shared, asked.collection), settings))
    known = query_sets(asked.shared, asked.collection)
    sets = [sampled(queries, asked.queries) for queries in known if queries.name in asked.sets]
    for queries in sets:
        for id_ in queries.qrels:
            hybrid.embed_for(queries.texts[id_])
    for queries in sets:
        print(f"{queries.label}: {len(queries.qrels)} queries, {hybrid.semantic.status().n_vectors} vectors")
        print("  by words", queries.score(ours(hybrid.engine, queries, scorer, as_words), scorer))
        print("  hybrid  ", queries.score(_run(hybrid, queries, scorer), scorer), flush=True)
    hybrid.engine.close()


def _run(hybrid: Hybrid, queries: QuerySet, scorer: ModuleType) -> Run:
    texts = queries.texts
    return {id_: [scorer.name(note) for note in hybrid.found_by(texts[id_], as_words)] for id_ in queries.qrels}


if __name__ == "__main__":
    main()
