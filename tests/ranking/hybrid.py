"""Answers by words and meaning over a judged collection, for the table's columns.

No clock has a say: nothing is embedded while it is measured but the queries. The notes' vectors are those of the
project's snapshot, or such as were made before.
"""

from pathlib import Path
from types import ModuleType

from attrs import evolve, field, frozen
from judged import CACHE, QuerySet, Read, Run, notes_of
from snapshot import unpack

from search.budget import UNLIMITED
from search.design import Fusion
from search.engine import Engine, _Found, open_engine
from search.pipeline import rank
from search.progress import silent
from search.query import Mode, Query
from search.semantics import Semantics
from search.settings import AutoIndex, Indexing, Settings
from search.syntax import parse
from search.vectors.store import store_folder

UNREAD = ("jaquad", "drcd")  # in scripts that the model does not know: it is silent, and no note needs a vector
_DEPTH = 100  # the most that a query may ask for
_VECTORS = CACHE / "vectors"


@frozen
class Hybrid:
    """An engine with its model, over one collection; close it."""

    engine: Engine
    semantics: Semantics = field(init=False)

    @semantics.default
    def _known(self) -> Semantics:
        return self.engine.indexed()

    def found_by(self, text: str, read: Read = parse, *, fusion: Fusion = Fusion.LINEAR) -> list[str]:
        """The notes that `engine.search` shows for a query, in its order."""
        engine, query, parsed = self.engine, Query(text=text, limit=_DEPTH, mode=Mode.HYBRID), read(text)
        let_in, _ = engine._filter(query, parsed, UNLIMITED)
        found = _Found(query, parsed, let_in, (), is_complete=True)
        meaning = engine._ask_for_more(found, UNLIMITED, None, silent).meaning
        pipeline = evolve(engine.settings.pipeline, fusion=fusion)
        ranked = rank(query, parsed, engine._corpus, pipeline, admitted=let_in, meaning=meaning)
        return [hit.id for hit in ranked.ranking.top(_DEPTH).hits]

    def run(self, queries: QuerySet, scorer: ModuleType, read: Read, *, fusion: Fusion = Fusion.LINEAR) -> Run:
        """What is answered to all queries of a set."""
        return {
            id_: [scorer.name(note) for note in self.found_by(queries.texts[id_], read, fusion=fusion)]
            for id_ in queries.qrels
        }


def open_hybrid(shared: Path, collection: str) -> Hybrid:
    """The collection with the vectors of the snapshot and no others."""
    root = notes_of(shared, collection)
    unpack(collection, store_folder(_VECTORS, root))
    indexing = Indexing(folder=str(_VECTORS), auto_index=AutoIndex.NEVER, is_filling=False)
    return Hybrid(open_engine(root, Settings(indexing=indexing)))
