"""PDFs next to notes: processor time for each page, memory of the server, and how much slower a warm query becomes.

Run: python tests/bench/bench_attachments.py [N_PDFS] [--json FILE] [--note TEXT]

Writes a vault of 10,000 notes, and another with N_PDFS (1,000) PDFs of twenty pages more. Opens both, has the PDFs
parsed, and asks both the same queries in turn. All processor time of the child process counts, its start included;
memory is that of this process, which a server would be.
"""

import gc
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent), str(Path(__file__).parents[1])]

import psutil
from generated_vault import vocabulary, write_vault
from kit.attachments import pdf
from runs import Figures, run_sizes

from search.engine import Engine
from search.query import Mode, Query

N_NOTES, N_PAGES, WORDS_A_PAGE, N_ROUNDS = 10_000, 20, 300, 5


def write_pdfs(root: Path, n_files: int) -> None:
    """PDFs with the words of the generated notes, by the same law."""
    source, words = random.Random(3), vocabulary()  # noqa: S311 - the same files on every run
    weights = [1.0 / rank for rank in range(1, len(words) + 1)]
    (root / "papers").mkdir()
    for number in range(n_files):
        text = source.choices(words, weights, k=N_PAGES * WORDS_A_PAGE)
        lines = [" ".join(text[at : at + 12]) for at in range(0, len(text), 12)]
        pages = ["\n".join(lines[at::N_PAGES]) for at in range(N_PAGES)]
        (root / "papers" / f"paper {number}.pdf").write_bytes(pdf(*pages, title=f"Paper {number}"))


def memory_mb() -> float:
    """Resident memory of this process."""
    gc.collect()
    return psutil.Process().memory_info().rss / 1e6


def asked(engine: Engine, text: str) -> float:
    """Milliseconds of processor time for a query."""
    begun = time.process_time()
    engine.search(Query(text=text, mode=Mode.KEYWORD))
    return (time.process_time() - begun) * 1000.0


def compared(notes: Engine, both: Engine, words: list[str]) -> Figures:
    """What a warm query takes over the notes, and over them and other files, asked in turn; and the ratio."""
    queries = [*words[25:45], *(" ".join(words[at : at + 3]) for at in range(300, 340, 2))]
    ratios, plain_ms, mixed_ms = [], [], []
    for _ in range(N_ROUNDS):
        one, other = [[asked(engine, query) for query in queries] for engine in (notes, both)]
        plain_ms.append(statistics.median(one))
        mixed_ms.append(statistics.median(other))
        ratios.append(sum(other) / sum(one))
    return {
        "warm_notes_ms": statistics.median(plain_ms),
        "warm_both_ms": statistics.median(mixed_ms),
        "warm_ratio": statistics.median(ratios),
    }


def kept_mb(cache: Path) -> float:
    """The size of all files in a cache folder."""
    return sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / 1e6


def show(figures: Figures, what: str) -> None:
    """Print the figures, a line each."""
    for name, value in figures.items():
        print(f"{what}  {name:<23} {value:,.2f}")


def measure(n_files: int) -> Figures:
    """The figures for a vault with so many PDFs."""
    with tempfile.TemporaryDirectory() as folder:
        plain, mixed = Path(folder) / "plain", Path(folder) / "mixed"
        write_vault(plain, N_NOTES)
        words = write_vault(mixed, N_NOTES)
        write_pdfs(mixed, n_files)
        at_first = memory_mb()
        notes = Engine(plain, snapshot=Path(folder) / "cache" / "plain.snapshot")
        notes.refresh()
        of_notes = memory_mb() - at_first
        both = Engine(mixed, snapshot=Path(folder) / "cache" / "mixed.snapshot")
        before, own_before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
        begun = time.monotonic()
        both.refresh()
        both.indexer.extraction.wait()
        after, own = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time() - own_before
        took_s = time.monotonic() - begun
        of_both = memory_mb() - at_first - of_notes
        child_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        warm = compared(notes, both, words)
        kept = kept_mb(Path(folder) / "cache")
        notes.close()
        both.close()
    figures = {
        "child_cpu_a_page_ms": child_s * 1000 / (n_files * N_PAGES),
        "server_cpu_a_page_ms": own * 1000 / (n_files * N_PAGES),
        "all_s": took_s,
        "server_memory_mb": of_both - of_notes,
        "kept_mb": kept,
        **warm,
    }
    show(figures, f"{n_files:>6} PDFs")
    return figures


if __name__ == "__main__":
    run_sizes("bench_attachments", measure, sys.argv[1:] or ["1000"])
