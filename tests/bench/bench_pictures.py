"""Pictures next to notes: processor time of reading their texts, memory of the server, and how much a query slows down.

Run: python tests/bench/bench_pictures.py [N_PICTURES] [--json FILE] [--note TEXT]

Writes a vault of 1,000 notes, and another with N_PICTURES (10,000) JPEGs of 300 kB more, of which every fourth has a
caption and keywords. Opens both, has the pictures read, and asks both the same queries in turn. All processor time of
the child process counts, its start included; memory is that of this process, which a server would be.
"""

import random
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent), str(Path(__file__).parents[1])]

from bench_attachments import compared, kept_mb, memory_mb, show
from generated_vault import vocabulary, write_vault
from kit.pictures import exif, jpeg, xmp
from runs import Figures, run_sizes

from search.engine import Engine

N_NOTES, N_BYTES, EVERY = 1_000, 300_000, 4


def write_pictures(root: Path, n_files: int) -> None:
    """Pictures of which some have a caption and keywords, with the words of the generated notes."""
    source, words = random.Random(3), vocabulary()  # noqa: S311 - the same files on every run
    (root / "photos").mkdir()
    noise = source.randbytes(N_BYTES)
    camera = exif(t010f="NIKON CORPORATION", t0110="NIKON D90", t0131="Ver.1.00")
    for number in range(n_files):
        own = source.randbytes(64) + noise  # else all of them were one picture
        packet = xmp(dc_description=" ".join(source.choices(words, k=12)), dc_subject=source.choices(words, k=4))
        data = jpeg(size=(4000, 3000), noise=own, exif=camera, xmp=b"" if number % EVERY else packet)
        (root / "photos" / f"DSC{number:05}.jpg").write_bytes(data)


def measure(n_files: int) -> Figures:
    """The figures for a vault with so many pictures."""
    with tempfile.TemporaryDirectory() as folder:
        plain, mixed = Path(folder) / "plain", Path(folder) / "mixed"
        write_vault(plain, N_NOTES)
        words = write_vault(mixed, N_NOTES)
        write_pictures(mixed, n_files)
        time.sleep(0.1)
        at_first = memory_mb()
        notes = Engine(plain, snapshot=Path(folder) / "cache" / "plain.snapshot")
        notes.refresh()
        of_notes = memory_mb() - at_first
        both = Engine(mixed, snapshot=Path(folder) / "cache" / "mixed.snapshot")
        start = both.indexer.extraction.start
        both.indexer.extraction.start = lambda: None  # type: ignore[method-assign]
        begun = time.process_time()
        both.refresh()
        names_s = time.process_time() - begun
        both.indexer.extraction.start = start  # type: ignore[method-assign]
        before, own_before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
        begun = time.monotonic()
        start()
        both.indexer.extraction.wait()
        after, own = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time() - own_before
        took_s = time.monotonic() - begun
        of_both = memory_mb() - at_first - of_notes
        child_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        both.save_snapshot()
        both.indexer.request_sweep()
        begun = time.process_time()
        both.refresh()
        sweep_ms = (time.process_time() - begun) * 1000.0
        again = Engine(mixed, snapshot=Path(folder) / "cache" / "mixed.snapshot")
        begun = time.process_time()
        again.refresh()
        restart_s = time.process_time() - begun
        again.close()
        warm = compared(notes, both, words)
        kept = kept_mb(Path(folder) / "cache")
        notes.close()
        both.close()
    figures = {
        "names_cpu_s": names_s,
        "child_cpu_a_picture_ms": child_s * 1000 / n_files,
        "server_cpu_a_picture_ms": own * 1000 / n_files,
        "all_s": took_s,
        "memory_of_notes_mb": of_notes,
        "server_memory_mb": of_both - of_notes,
        "kept_mb": kept,
        "sweep_cpu_ms": sweep_ms,
        "restart_cpu_s": restart_s,
        **warm,
    }
    show(figures, f"{n_files:>6} pictures")
    return figures


if __name__ == "__main__":
    run_sizes("bench_pictures", measure, sys.argv[1:] or ["10000"])
