"""The first minutes with a vault that was never seen before: how well questions are answered after so much CPU time.

Run: python tests/bench/bench_first_minutes.py [--seconds N ...] [--json FILE] [--note TEXT]

Embeds the 1,012 notes of dendron-site from nothing, as the background indexer does, and stops at each of the given
numbers of seconds of CPU time to answer the vault's questions; their own time does not count. The last line is with
all vectors, which come from the snapshot in tests/ranking. Prints a Markdown table of nDCG@10, the share of questions
whose first note is right, and how many notes have vectors.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from runs import run_of

sys.path.insert(0, str(Path(__file__).parents[1] / "ranking"))

from hybrid import Hybrid
from judged import QuerySet, as_words, load, notes_of, query_sets, shared_folder
from snapshot import unpack

from search.budget import Budget, Cancelled
from search.cache.folder import path_in_cache
from search.engine import open_engine
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings

COLLECTION = "vaults/dendron-site"
SECONDS = (0.0, 10.0, 30.0, 60.0, 120.0)


def open_with(root: Path, cache: str) -> Hybrid:
    """An engine that embeds nothing by itself."""
    indexing = Indexing(folder=cache, auto_index=AutoIndex.NEVER, in_background=False, resume_after_s=0.0)
    hybrid = Hybrid(open_engine(root, Settings(indexing=indexing)))
    hybrid.semantic.embed_query("load the model", is_chosen=False)
    return hybrid


def after(shared: Path, queries: QuerySet, seconds: tuple[float, ...]) -> Iterator[tuple[str, Mapping[str, float]]]:
    """What the questions find after each number of seconds, and with all vectors."""
    root = notes_of(shared, COLLECTION)
    with TemporaryDirectory() as cache:
        hybrid = open_with(root, cache)
        spent = 0.0
        for until in seconds:
            spent += _work(hybrid, until - spent)
            yield f"after {until:g} s", _figures(shared, queries, hybrid, spent)
        hybrid.engine.close()
    with TemporaryDirectory() as cache:
        unpack(COLLECTION, path_in_cache(Path(cache), root))
        hybrid = open_with(root, cache)
        yield "all embedded", _figures(shared, queries, hybrid, 0.0)
        hybrid.engine.close()


def _work(hybrid: Hybrid, seconds: float) -> float:
    """Embed for so many seconds of CPU time; returns the time that it really took."""
    began = time.process_time()
    budget = Budget(is_cancelled=lambda: time.process_time() - began >= seconds)
    try:
        if seconds > 0:
            hybrid.engine.maintenance().update(budget=budget)
    except Cancelled:
        pass
    return time.process_time() - began


def _figures(shared: Path, queries: QuerySet, hybrid: Hybrid, spent: float) -> Mapping[str, float]:
    scorer = load(shared, "score")
    run = {id_: [scorer.name(note) for note in hybrid.found_by(queries.texts[id_], as_words)] for id_ in queries.qrels}
    _, rows = scorer.evaluate(run, queries.qrels)
    status = hybrid.semantic.status()
    return {
        "spent_s": spent,
        "ndcg": float(rows[:, 0].mean()),
        "first_right_share": float((rows[:, 1] == 1.0).mean()),
        "gist_notes": status.n_gists,
        "text_notes": status.n_notes,
    }


def main() -> None:
    """Measure, print and write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, nargs="*", default=SECONDS)
    arguments.add_argument("--json", metavar="FILE", type=Path, help="also write the run to FILE")
    arguments.add_argument("--note", metavar="TEXT", default="", help="what was special about the machine or the run")
    options = arguments.parse_args()
    shared = shared_folder()
    queries = next(queries for queries in query_sets(shared, COLLECTION) if queries.name == "questions")
    print("| | nDCG@10 | first right | names and openings | whole texts |\n|---|--:|--:|--:|--:|", flush=True)
    found = {}
    for name, figures in after(shared, queries, tuple(sorted(options.seconds))):
        found[name] = figures
        right = f"{figures['ndcg']:.3f} | {figures['first_right_share']:.2f}"
        print(f"| {name} | {right} | {figures['gist_notes']:,} | {figures['text_notes']:,} |", flush=True)
    if options.json:
        run = run_of("bench_first_minutes", found, options.note)
        options.json.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
