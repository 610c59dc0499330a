"""Hybrid answers over a folder, for the table's columns: every note embedded first, so that no clock has a say."""

from pathlib import Path

from attrs import evolve

from search.engine import Engine, open_engine
from search.query import Mode, Query
from search.settings import Indexing, Settings

_DEPTH = 100  # the most that a query may ask for


def open_hybrid(root: Path, cache: Path, settings: Settings | None = None) -> Engine:
    """An engine over a folder with the vectors of all notes, kept in `cache` for the next time; close it."""
    indexing = Indexing(folder=str(cache.absolute()), is_filling=False)
    engine = open_engine(root, evolve(settings or Settings(), indexing=indexing))
    engine.indexed().update()
    return engine


def found_by_both(engine: Engine, text: str, *, mode: Mode = Mode.HYBRID) -> list[str]:
    """The notes that a query finds, in their order."""
    return [found.hit.id for found in engine.search(Query(text=text, limit=_DEPTH, mode=mode)).hits]
