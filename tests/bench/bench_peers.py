"""Times Vaultseek beside other engines on one vault: each in a process of its own, all in one run.

Run: python -m tests.bench.bench_peers [VAULT ...] [--notes N ...] [--json FILE] [--note TEXT]

Over the vaults, and over generated ones of N notes of 2 KB (default 300 and 10,000). The queries are up to 150 link
texts of the vault, or for a generated one letters, common and rare words, sentences and operators. Every engine shows
ten results with excerpts, except MiniSearch and ripgrep, which make none. Prints one table a vault; times are CPU time,
the interpreter's start included in the first answer.

tantivy and MiniSearch are measured if they are installed (`pip install tantivy`; `npm install --prefix
build/minisearch minisearch`), plain Whoosh in vaults of up to 2,000 notes, since it takes minutes to read more.
"""

import argparse
import importlib.util
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from bench_search import queries
from generated_vault import write_vault
from runs import Figures, run_of

from search.ids import NoteId
from search.vault.markdown import parse_note

_PEERS = Path(__file__).parent / "peers"
_MINISEARCH = ROOT / "build/minisearch"
_N_QUERIES = 150
SIZES = (300, 10_000)
_MOST_FOR_WHOOSH = 2_000
NAMES = {
    "ours": "Vaultseek, first start",
    "second": "Vaultseek, second start",
    "fts5": "SQLite FTS5 with `snippet()`",
    "tantivy": "tantivy with excerpts",
    "whoosh": "plain Whoosh with excerpts",
    "minisearch": "MiniSearch as in Omnisearch, no excerpts",
    "ripgrep": "ripgrep, one word, every file each time",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the vaults, print a table for each, and write the run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("vaults", metavar="VAULT", type=Path, nargs="*")
    parser.add_argument("--notes", metavar="N", type=int, nargs="*", default=SIZES, help="of generated vaults")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the run to FILE")
    parser.add_argument("--note", metavar="TEXT", default="", help="what was special about the machine or the run")
    options = parser.parse_args(arguments)
    figures: dict[str, Figures] = {}
    for vault in options.vaults:
        figures[vault.name] = measure(vault, link_texts(vault), vault.name)
    for n_notes in options.notes:
        with tempfile.TemporaryDirectory() as folder:
            words = write_vault(Path(folder) / "vault", n_notes)
            name = f"{n_notes} generated notes"
            figures[name] = measure(Path(folder) / "vault", queries(words), name)
    if options.json:
        run = run_of("bench_peers", figures, options.note)
        options.json.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


def link_texts(vault: Path) -> list[str]:
    """Up to 150 different texts of the vault's links, always the same ones."""
    texts: set[str] = set()
    for path in vault.rglob("*.md"):
        note = parse_note(NoteId("note.md"), path.read_text("utf-8", "replace")).note
        texts.update(link.shown or link.target.rpartition("/")[2].removesuffix(".md") for link in note.links)
    found = sorted(text for text in texts if any(char.isalnum() for char in text))
    return random.Random(7).sample(found, min(_N_QUERIES, len(found)))  # noqa: S311 - the same ones on every run


def measure(vault: Path, wanted: Sequence[str], name: str, engines: Collection[str] = NAMES) -> Figures:
    """The figures of the engines over one vault, and a table of them on standard output.

    The ratios are those of the whole time for all queries and of the first answer.
    """
    n_notes = sum(1 for _ in vault.rglob("*.md"))
    print(f"\n{name}: {n_notes:,} notes, {len(wanted)} queries\n")
    print("| engine | first answer | query p50 | p95 | longest | memory |\n| --- | --: | --: | --: | --: | --: |")
    figures: dict[str, float] = {"vault_notes": n_notes}
    of_all: dict[str, float] = {}
    for engine, result in _results(vault, wanted, n_notes, engines):
        times = sorted(result["warm_ms"])
        p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
        cold = f"{result['cold_s']:.2f} s" if result["cold_s"] else "–"
        memory = f"{result['mb']:.0f} MB" if result["mb"] else "–"
        print(f"| {NAMES[engine]} | {cold} | {p50:.1f} ms | {p95:.1f} | {times[-1]:.1f} | {memory} |", flush=True)
        of_all[engine] = sum(times)
        figures |= {f"{engine}_p50_ms": p50, f"{engine}_p95_ms": p95}
        figures |= {f"{engine}_cold_s": result["cold_s"], f"{engine}_mb": result["mb"]} if result["mb"] else {}
    figures["queries_to_fts5_ratio"] = of_all["ours"] / of_all["fts5"]
    figures["first_start_to_fts5_ratio"] = figures["ours_cold_s"] / figures["fts5_cold_s"]
    return figures


def _results(
    vault: Path, wanted: Sequence[str], n_notes: int, engines: Collection[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What each engine that is wanted and installed reports."""
    yield "ours", _run("ours.py", vault, wanted)
    if "second" in engines:
        with tempfile.TemporaryDirectory() as folder:
            snapshot = f"{folder}/snapshot"
            _run("ours.py", vault, wanted[:1], snapshot)
            yield "second", _run("ours.py", vault, wanted, snapshot)
    yield "fts5", _run("fts5.py", vault, wanted)
    if "tantivy" in engines and importlib.util.find_spec("tantivy"):
        yield "tantivy", _run("tantivy_index.py", vault, wanted)
    if "whoosh" in engines and n_notes <= _MOST_FOR_WHOOSH:
        yield "whoosh", _run("whoosh_index.py", vault, wanted)
    node, rg = shutil.which("node"), shutil.which("rg")
    if "minisearch" in engines and (_MINISEARCH / "node_modules/minisearch").is_dir() and node:
        yield "minisearch", _ran([node, str(_PEERS / "minisearch.mjs"), str(vault), str(_MINISEARCH)], wanted)
    if "ripgrep" in engines and rg:
        yield "ripgrep", {"cold_s": 0.0, "mb": 0.0, "warm_ms": [_scan_ms(rg, vault, query) for query in wanted]}


def _run(script: str, vault: Path, wanted: Sequence[str], *arguments: str) -> Mapping[str, Any]:
    return _ran([sys.executable, str(_PEERS / script), str(vault), *arguments], wanted)


def _ran(command: Sequence[str], wanted: Sequence[str]) -> Mapping[str, Any]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    ran = subprocess.run(command, input=json.dumps(wanted), capture_output=True, check=True, text=True, env=environment)
    result: Mapping[str, Any] = json.loads(ran.stdout)
    return result


def _scan_ms(rg: str, vault: Path, query: str) -> float:
    """CPU milliseconds of one scan for the longest word."""
    word = max(query.replace('"', " ").split(), key=len)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([rg, "-i", "-c", "-F", "--", word, str(vault)], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


if __name__ == "__main__":
    main()
