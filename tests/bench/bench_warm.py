"""CPU time of warm queries in a vault that is open already, as a server has it: keyword mode, excerpts included.

Run: python tests/bench/bench_warm.py VAULT [--queries FILE.jsonl] [--first N] [--profile] [--json FILE] [--note TEXT]
     python tests/bench/bench_warm.py --generated N

`VAULT` is a folder of notes. Each line of `FILE.jsonl` has a query as its "text"; without a file, titles of the notes
are asked, evenly spread. `--generated` writes a vault of N notes and asks letters, common and rare words, pairs of
Chinese characters and sentences. Prints the median, the 95th percentile and the maximum of CPU milliseconds with 10 and
with 30 notes shown. Each query is asked once, after others and by an engine of its own for each number of notes, so
nothing is known of its answer.
"""

import argparse
import cProfile
import gc
import json
import pstats
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

import psutil
from generated_vault import write_vault
from runs import Figures, run_of

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.query import Mode, Query

N_QUERIES = 150
N_BEFORE = 40  # queries that warm up what the first ones of a process compute

Asked = Callable[[Engine], tuple[Sequence[str], Sequence[str]]]
"""Names the queries to warm up with, and those to measure."""


def asked_of(options: argparse.Namespace, words: Sequence[str]) -> Asked:
    """The queries that the command line asks for, and as many others before them."""

    def asked(engine: Engine) -> tuple[Sequence[str], Sequence[str]]:
        n = options.first
        if words:
            return [" ".join(words[at : at + 3]) for at in range(1000, 1000 + N_BEFORE)], mixed(words)
        if options.queries is not None:
            texts = [json.loads(line)["text"] for line in options.queries.read_text(encoding="utf-8").splitlines()]
            return texts[n : n + N_BEFORE], texts[:n]
        titles = sorted({note.title for note in engine.indexer.corpus.notes.values()})
        step = max(2, len(titles) // n)
        return titles[1::step][:N_BEFORE], titles[::step][:n]

    return asked


def mixed(words: Sequence[str]) -> list[str]:
    """What people type into a generated vault, the most common words first."""
    common, middle, rare = words[25:85], words[300:400], words[15_000:15_040]
    pairs = [first + second for first, second in zip("知识图谱研究", "识图谱研究会", strict=True)]
    return [
        *"abdklmnrst",
        *("ba", "be", "ka", "lo", "mi", "na", "ru", "sa", "ti", "do"),
        *common[:20],
        *rare[:10],
        *pairs,
        *(" ".join(common[at : at + 4]) for at in range(0, 40, 4)),
        *(f"how do i {middle[at]} the {common[at]} of {middle[at + 20]} with {rare[at]}?" for at in range(20)),
        *(" ".join(middle[at : at + 8]) for at in range(0, 80, 8)),
    ]


def with_chinese(root: Path) -> None:
    """Add a line of Chinese to every tenth note of a generated vault."""
    for at, file in enumerate(sorted(root.rglob("*.md"))):
        if at % 10 == 0:
            with file.open("a", encoding="utf-8") as note:
                note.write(f"知识图谱研究会{'图谱知识' * (at % 3)}。\n")


def milliseconds(engine: Engine, texts: Sequence[str], n_shown: int) -> list[tuple[float, str]]:
    """The CPU time of each query, the slowest last."""
    took = []
    for text in texts:
        query = Query(text=text, limit=n_shown, mode=Mode.KEYWORD)
        start = time.process_time()
        engine.search(query)
        took.append(((time.process_time() - start) * 1000.0, text))
    return sorted(took)


def measure(root: Path, asked: Asked) -> Figures:
    """Print a line for each number of shown notes."""
    figures: dict[str, float] = {}
    print("| shown | p50 | p95 | max | slowest |\n|--:|--:|--:|--:| --- |")
    for n_shown in (10, 30):
        with opened(root) as engine:
            before, texts = asked(engine)
            milliseconds(engine, before, n_shown)
            took = milliseconds(engine, texts, n_shown)
        p50, p95, most = (took[min(int(len(took) * share), len(took) - 1)][0] for share in (0.5, 0.95, 1.0))
        print(f"| {n_shown} | {p50:.1f} | {p95:.1f} | {most:.1f} ms | {took[-1][1][:40]} |", flush=True)
        figures |= {f"p50_of_{n_shown}_ms": p50, f"p95_of_{n_shown}_ms": p95, f"max_of_{n_shown}_ms": most}
    figures["thirty_to_ten_ratio"] = figures["p50_of_30_ms"] / figures["p50_of_10_ms"]
    figures["resident_mb"] = psutil.Process().memory_info().rss / 1e6
    print(f"\nResident: {figures['resident_mb']:.0f} MB")
    return figures


def profile(root: Path, asked: Asked) -> None:
    """Print where the time of all queries goes."""
    profiler = cProfile.Profile()
    with opened(root) as engine:
        before, texts = asked(engine)
        milliseconds(engine, before, 10)
        profiler.enable()
        milliseconds(engine, texts, 10)
        profiler.disable()
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(70)


@contextmanager
def opened(root: Path) -> Iterator[Engine]:
    """An engine that has read the vault and watches it, as in a server."""
    engine = Engine(root, understand=Understanding(lexicon()), watches=True)
    try:
        engine.refresh()
        yield engine
    finally:
        engine.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure warm queries.")
    parser.add_argument("vault", type=Path, nargs="?", help="a folder of notes")
    parser.add_argument("--queries", metavar="FILE", type=Path, help='JSON lines with a "text"; default: titles')
    parser.add_argument("--first", metavar="N", type=int, default=N_QUERIES, help="queries that are asked")
    parser.add_argument("--generated", metavar="N", type=int, help="write a vault of N notes instead")
    parser.add_argument("--profile", action="store_true", help="print where the time goes instead")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the run to FILE")
    parser.add_argument("--note", metavar="TEXT", default="", help="what was special about the machine or the run")
    options = parser.parse_args()
    gc.set_threshold(50_000, 20, 50)  # as the command has it
    written = Path(tempfile.mkdtemp(prefix="vaultseek-bench-")) if options.generated else None
    try:
        words = write_vault(written, options.generated) if written else []
        if written:
            with_chinese(written)
        elif options.vault is None:
            parser.error("name a vault, or --generated N")
        root, asked = written or options.vault, asked_of(options, words)
        if options.profile:
            profile(root, asked)
            return
        figures = measure(root, asked)
    finally:
        if written:
            shutil.rmtree(written)
    if options.json:
        size = f"{options.generated} notes" if written else options.vault.name
        run = run_of("bench_warm", {size: figures}, options.note)
        options.json.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
