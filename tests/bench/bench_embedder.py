"""CPU time and memory of the local embedders, also as ratios to a fixed matrix product measured in the same run.

Run: python -m tests.bench.bench_embedder [minilm] [e5]. Prints a Markdown table; medians of CPU time. The product
multiplies two 1,024 x 1,024 matrices in float32 on one thread; it takes 22 ms on the machine that the limits are for.
Ratios can be compared between machines.
"""

import os
import statistics
import subprocess
import sys
import time

import numpy as np
import psutil

from search.providers.e5 import open_e5
from search.providers.minilm import open_minilm
from search.providers.threads import limit_blas_to_one_thread

OPEN = {"minilm": open_minilm, "e5": open_e5}
LIMITS = {"minilm": {"query": "25 ms, ratio 1.14", "256 tokens": "130 ms, ratio 5.9", "resident": "110 MB"}}
QUERY = "how do I keep the notes of last year apart from what I still have to do"  # 17 words
N_TIMES = 15


def main() -> None:
    environ = dict(os.environ)
    limit_blas_to_one_thread(environ)
    print("| model | what | median | ratio to the product | limit |\n| --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or OPEN:
        subprocess.run([sys.executable, "-m", "tests.bench.bench_embedder", "--one", name], env=environ, check=True)


def measure(name: str) -> None:
    embedder = OPEN[name]()
    limits = LIMITS.get(name, {})
    start = time.process_time()
    embedder.embed_query(QUERY)
    print(f"| {name} | load and first query | {1000 * (time.process_time() - start):.0f} ms | | |")
    words = 128
    while embedder.count_tokens("note taking " * words) > 256:
        words -= 1
    chunk = "note taking " * words
    embedder.embed_passages([chunk] * 3)
    resident = psutil.Process().memory_info().rss / 1e6
    print(f"| {name} | resident while working | {resident:.0f} MB | | {limits.get('resident', '')} |")
    product = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)
    spans = {"product": [], "query": [], "256 tokens": []}
    for _ in range(N_TIMES):
        spans["product"].append(cpu_ms(lambda: product @ product))
        spans["query"].append(cpu_ms(lambda: embedder.embed_query(QUERY)))
        spans["256 tokens"].append(cpu_ms(lambda: embedder.embed_passages([chunk])))
    medians = {what: statistics.median(values) for what, values in spans.items()}
    for what, median in medians.items():
        ratio = median / medians["product"]
        print(f"| {name} | {what} | {median:.1f} ms | {ratio:.2f} | {limits.get(what, '')} |")


def cpu_ms(work) -> float:
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


if __name__ == "__main__":
    measure(sys.argv[2]) if sys.argv[1:2] == ["--one"] else main()
