"""What the peers of `bench_peers` share: the notes of a vault, the clock, and the form of the result.

A peer is a program `PEER ROOT` that reads the queries from standard input as a JSON list, answers the first one from
nothing, then all of them again with everything in memory, and prints a result.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil

N_SHOWN = 10
BEGUN_S = 0.0  # of the process's CPU time: the start of the interpreter counts too

Answer = Callable[[str], object]


def notes() -> Iterator[tuple[str, str, str]]:
    """Path, title (the file's name) and text of each note below the folder on the command line."""
    root = Path(sys.argv[1])
    for path in sorted(root.rglob("*.md")):
        yield path.relative_to(root).as_posix(), path.stem, path.read_text("utf-8", "replace")


def report(prepare: Callable[[], Answer]) -> None:
    """Measure a peer that `prepare` makes ready, and print its result.

    `cold_s` is CPU time from the start of the process to the first whole answer, `warm_ms` CPU time of each query,
    `mb` resident memory at the end.
    """
    queries: Sequence[str] = json.load(sys.stdin)
    answer = prepare()
    answer(queries[0])
    cold_s = time.process_time() - BEGUN_S
    for query in queries[:3]:
        answer(query)
    warm_ms = []
    for query in queries:
        begun = time.process_time()
        answer(query)
        warm_ms.append((time.process_time() - begun) * 1000)
    print(json.dumps({"cold_s": cold_s, "warm_ms": warm_ms, "mb": psutil.Process().memory_info().rss / 1e6}))
