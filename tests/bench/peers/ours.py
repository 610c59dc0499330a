"""Vaultseek by words, as the command line runs it. With a second argument, the snapshot in that file is used."""

import gc
import sys
from pathlib import Path

from common import N_SHOWN, Answer, report


def prepare() -> Answer:
    gc.set_threshold(50_000, 20, 50)  # as the command has it
    from search.engine import Engine
    from search.query import Mode, Query
    from search.settings import Settings

    snapshot = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    engine = Engine(Path(sys.argv[1]), Settings(mode=Mode.KEYWORD, enable_semantic=False), snapshot=snapshot)
    if snapshot and not snapshot.exists():
        engine.refresh()
        engine.save_snapshot()
    return lambda query: engine.search(Query(text=query, limit=N_SHOWN))


report(prepare)
