"""Timings of the whole search, as ratios to peers measured in the same run.

Run: python tests/bench/bench_search.py [N ...] [--json FILE] [--note TEXT]

Prints a Markdown table for generated vaults of N notes of 2 KB (default 1,000 and 10,000). `--json` also writes the
figures to a file, see `runs.py`.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from generated_vault import write_vault
from runs import Figures, run_sizes

COLD = """
import gc, sys, time
gc.set_threshold(50_000, 20, 50)  # as the command has it
from pathlib import Path
from search.engine import Engine
from search.query import Query
start = time.perf_counter()
engine = Engine(Path(sys.argv[1]))
partial = engine.search(Query(text=sys.argv[2]), patience_s=0.2)
first = time.perf_counter() - start
whole = engine.search(Query(text=sys.argv[2]))
print(first, len(partial.hits), partial.is_complete, time.process_time(), len(whole.hits))
"""

START = """
import subprocess, sys, time, json
def answered(code):
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    process.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
    process.stdin.flush()
    process.stdout.read(1)
    seconds = time.perf_counter() - start
    process.kill()
    process.wait()
    return seconds
serve = "import sys; from lsp_server.__main__ import main; sys.argv[1:] = ['serve']; sys.exit(main())"
pygls = "import pygls.lsp.server, sys; sys.stdout.write('x'); sys.stdout.flush(); sys.stdin.read()"
answered(serve), answered(pygls)
print(json.dumps([sorted(answered(code) for _ in range(5))[2] for code in (serve, pygls)]))
"""

WARM = """
import gc, sys, time, json, psutil
gc.set_threshold(50_000, 20, 50)  # as the command has it
from pathlib import Path
from search.engine import Engine
from search.query import Query
engine = Engine(Path(sys.argv[1]))
queries = json.loads(sys.argv[2])
engine.search(Query(text=queries[0]))
times, laps = [], {}
for n in range(max(200, len(queries))):
    query = queries[n % len(queries)]
    start = time.perf_counter()
    result = engine.search(Query(text=query))
    times.append((time.perf_counter() - start, query))
    for step, ms in result.timings_ms.items():
        laps.setdefault(step, []).append(ms)
print(json.dumps([times, laps, psutil.Process().memory_info().rss / 1e6]))
"""

ALL_ON = """
import gc, sys, time, json
gc.set_threshold(50_000, 20, 50)  # as the command has it
from pathlib import Path
from attrs import evolve
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.ranking.presets import intent_hybrid
from search.query import Query
from search.settings import Settings
from search.sources.neighbours import Neighbours
from search.stages.recency import Recency
base = intent_hybrid()
pipeline = evolve(base, neighbours=Neighbours(), stages=(base.stages[0], Recency(), *base.stages[1:]))  # rerank first
engine = Engine(Path(sys.argv[1]), Settings(pipeline=pipeline), understand=Understanding(lexicon()))
queries = json.loads(sys.argv[2])
for query in queries:
    engine.search(Query(text=query))
times = []
for n in range(max(200, len(queries))):
    query = queries[n % len(queries)]
    start = time.perf_counter()
    engine.search(Query(text=query))
    times.append((time.perf_counter() - start, query))
print(json.dumps(times))
"""


def queries(words: list[str]) -> list[str]:
    """A mixed list: letters, stop words, common and rare words, several words, sentences, operators."""
    common, middle, rare = words[25:60], words[300:700], words[15_000:15_400]
    return [
        "a",
        "k",
        "ba",
        "th",
        *middle[:6],
        *rare[:6],
        " ".join(common[:4]),
        " ".join(common[4:8]),
        " ".join(words[:4]),
        f"{middle[7]} {rare[7]}",
        f"{common[9]} {middle[8]} {rare[8][:4]}",
        f"how do i {middle[9]} the {common[10]} of {middle[10]} with {rare[9]} and {rare[10]}?",
        " ".join(words[n] for n in range(30, 430, 40)),
        f'"{common[0]} {common[1]}"',
        f"tag:{words[31]} {middle[11]}",
        f"{middle[12]} -{common[3]}",
        f"{middle[13]} OR {rare[11]}",
        middle[14][:3],
        rare[12][:5],
    ]


def understood(words: list[str]) -> list[str]:
    """The same queries and others as people write them: with typos, acronyms, dates, intents, links and tags."""
    wanted = queries(words)
    slips = [f"{word[:2]}{word[3:]} {words[40 + at]}" for at, word in enumerate(words[500:508])]
    return [
        *wanted,
        *slips,
        f"how do i fix the bug with {words[320]}",
        f"why the decision for {words[330]}",
        f"{words[340]} last week",
        f"API {words[350]}",
        "RRF",
        "2024-01",
        f"[[note 5]] {words[360]}",
        f"#{words[31]} {words[370]}",
    ]


def whoosh_times(root: Path, query: str, n_candidates: int = 500) -> tuple[float, float, float, float]:
    """CPU seconds of plain Whoosh (build and search), then of ours: just started, new notes, known notes."""
    from whoosh import fields, qparser
    from whoosh.filedb.filestore import RamStorage

    from search.index.corpus import Corpus, field_texts
    from search.index.postings import FIELDS, Postings
    from search.index.vocabulary import Vocabulary
    from search.matching.bm25f import Bm25f, weigh
    from search.matching.terms import post, query_terms
    from search.query import Query
    from search.ranking.presets import balanced
    from search.ranking.rank import rank
    from search.ranking.request import Request
    from search.sources.grep import scan
    from search.sources.lexical import search_lexical
    from search.syntax import parse
    from search.vault.markdown import parse_note

    files = sorted(root.rglob("*.md"))
    files, rest = files[:n_candidates], files[n_candidates : 5 * n_candidates]
    parsed = [parse_note(file.relative_to(root).as_posix(), file.read_text("utf-8")) for file in files]

    start = time.process_time()
    schema = fields.Schema(title=fields.TEXT(field_boost=3), path=fields.TEXT, headings=fields.TEXT, body=fields.TEXT)
    ix = RamStorage().create_index(schema)
    writer = ix.writer()
    for item in parsed:
        headings = "\n".join(heading.text for heading in item.note.headings)
        writer.add_document(title=item.note.title, path=item.note.id, headings=headings, body=item.body)
    writer.commit()
    with ix.searcher() as searcher:
        wanted = qparser.MultifieldParser(["title", "path", "headings", "body"], schema, group=qparser.OrGroup).parse(
            query
        )
        searcher.search(wanted, limit=30)
    plain = time.process_time() - start

    def indexed(vocabulary: Vocabulary) -> float:
        """Analyse the notes, index them and search: the work of a search by words for new notes."""
        start = time.process_time()
        encoded = iter(vocabulary.encode_all([text for item in parsed for text in field_texts(item)]))
        postings = Postings().with_notes([(item.note.id, [next(encoded) for _ in FIELDS]) for item in parsed])
        terms = tuple(
            weigh(term, postings, Bm25f()) for term in post(query_terms(parse(query).terms), vocabulary, postings)
        )
        search_lexical(terms, scan(terms, postings, limit=n_candidates, k1=1.2).slots, postings, k1=1.2)
        return time.process_time() - start

    first = indexed(Vocabulary())  # a program that has just started
    others = [parse_note(file.relative_to(root).as_posix(), file.read_text("utf-8")) for file in rest]
    known = Vocabulary()
    for item in others:  # a running program that knows other notes of the vault
        for text in field_texts(item):
            known.encode(text)
    cold = indexed(known)

    corpus = Corpus()
    corpus.update(parsed)
    warm = []
    for _ in range(7):
        start = time.process_time()
        rank(Request(query=Query(text=query), parsed=parse(query), pipeline=balanced()), corpus)
        warm.append(time.process_time() - start)
    return plain, first, cold, statistics.median(warm)


def ripgrep_times(root: Path, wanted: list[str]) -> list[float]:
    """Wall seconds of ripgrep for each query's longest word, all cores."""
    times = []
    for query in wanted:
        word = max(query.replace('"', " ").split(), key=len)
        start = time.perf_counter()
        subprocess.run(["rg", "-i", "-c", "-F", word, str(root)], stdout=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - start)
    return times


def run(code: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


def measure(n_notes: int) -> Figures:
    import json

    root = Path(tempfile.mkdtemp(prefix="vaultseek-bench-"))
    try:
        words = write_vault(root, n_notes)
        wanted = queries(words)
        print(f"\n## {n_notes} notes of 2 KB\n\n| what | value |\n| --- | --- |")
        first, n_hits, is_complete, cpu, _ = run(COLD, str(root), wanted[5]).split()
        print(f"| cold: CPU until the complete answer, imports included | {float(cpu):.2f} s |")
        figures = {"cold_cpu_s": float(cpu), "cold_first_answer_s": float(first)}
        print(f"| cold: first answer after | {float(first):.2f} s, {n_hits} hits, complete: {is_complete} |")
        serve, pygls = json.loads(run(START))
        print(f"| `vaultseek serve` answers initialize / importing pygls alone | {serve:.2f} / {pygls:.2f} s |")
        figures |= {"serve_answers_s": serve, "serve_to_pygls_ratio": serve / pygls}
        times, laps, rss = json.loads(run(WARM, str(root), json.dumps(wanted)))
        seconds = sorted(t for t, _ in times)
        p50, p95 = (seconds[int(len(seconds) * share)] * 1000 for share in (0.5, 0.95))
        figures |= {"warm_p50_ms": p50, "warm_p95_ms": p95, "resident_mb": rss}
        print(f"| warm query p50 / p95 / max | {p50:.1f} / {p95:.1f} / {seconds[-1] * 1000:.1f} ms |")
        slow = sorted({query: t for t, query in times}.items(), key=lambda item: -item[1])[:4]
        print(f"| slowest | {'; '.join(f'{query[:40]} {t * 1000:.0f} ms' for query, t in slow)} |")
        steps = ", ".join(f"{step} {statistics.median(ms):.1f}" for step, ms in laps.items())
        print(f"| median of each step | {steps} ms |")
        with_all = json.loads(run(ALL_ON, str(root), json.dumps(understood(words))))
        seconds = sorted(t for t, _ in with_all)
        low, high = (seconds[int(len(seconds) * share)] * 1000 for share in (0.5, 0.95))
        figures |= {"all_on_p50_ms": low, "all_on_p95_ms": high}
        print(f"| all of understanding, links and age on | {low:.1f} / {high:.1f} / {seconds[-1] * 1000:.1f} ms |")
        print(f"| resident after {len(times)} queries | {rss:.0f} MB |")
        if shutil.which("rg"):
            ripgrep_times(root, wanted[:2])
            scans = ripgrep_times(root, wanted)
            ripgrep = statistics.median(scans) * 1000
            figures |= {"ripgrep_ms": ripgrep, "warm_p95_to_ripgrep_ratio": p95 / ripgrep}
            print(f"| ripgrep, one word, median | {ripgrep:.1f} ms; our p95 / that = {p95 / ripgrep:.2f} |")
        plain, first, cold, warm = whoosh_times(root, " ".join(words[30:34]))
        figures |= {"plain_whoosh_ms": plain * 1000, "new_notes_to_whoosh_ratio": cold / plain}
        figures |= {"known_notes_to_whoosh_ratio": warm / plain}
        print(f"| plain Whoosh, 500 notes, build and search | {plain * 1000:.0f} ms CPU |")
        print(f"| ours, just started, no word known | {first * 1000:.0f} ms, {plain / first:.0f} times faster |")
        print(f"| ours, notes not analysed before | {cold * 1000:.0f} ms, {plain / cold:.0f} times faster |")
        print(f"| ours, notes analysed before | {warm * 1000:.1f} ms, {plain / warm:.0f} times faster |", flush=True)
    finally:
        shutil.rmtree(root)
    return figures


if __name__ == "__main__":
    run_sizes("bench_search", measure)
