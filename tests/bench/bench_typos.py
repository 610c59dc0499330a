"""The cost of a misspelt word, compared in the same run with the correct spelling and with a plain look-up.

Run: python tests/bench/bench_typos.py [N ...] [--json FILE] [--note TEXT]

Prints a Markdown table for generated vaults of N notes of 2 KB (default 1,000 and 10,000); `--json` also writes the
figures to a file, see `runs.py`. The plain look-up compares
the word with every word of the vault by rapidfuzz, as is usual. Figures are medians in milliseconds; the queries of a
pair alternate, so that other load on the machine affects both.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from generated_vault import write_vault
from rapidfuzz import process
from rapidfuzz.distance import OSA
from runs import Figures, run_sizes

from search.engine import Engine
from search.index.spelling import Spelling
from search.query import Query

_ROUNDS = 5


def slip(word: str) -> str:
    """The word with two letters exchanged in its middle.

    >>> slip("orchid")
    'orhcid'
    """
    at = len(word) // 2 - 1 if word[len(word) // 2 - 1] != word[len(word) // 2] else 0
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def milliseconds(work: Callable[[], object]) -> float:
    """How long one call takes, in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000.0


def measure(n_notes: int) -> Figures:
    """Print a line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        words = write_vault(Path(folder), n_notes)
        engine = Engine(Path(folder))
        engine.refresh()
        vocabulary, postings = engine.indexer.corpus.vocabulary, engine.indexer.corpus.postings
        known = [vocabulary.token(number) for number in range(len(vocabulary))]
        spelling = Spelling(vocabulary)
        right = [word for word in words[300:2000] if len(word) >= 6][:40]
        pairs = [(word, slip(word)) for word in right if slip(word) != word]
        for word, wrong in pairs:  # warm up: some values are computed on first use
            engine.search(Query(text=word)), engine.search(Query(text=wrong))
            spelling.correct(wrong, postings, is_prefix=False)
        ours, plain, spelt, misspelt = [], [], [], []
        for _ in range(_ROUNDS):
            for word, wrong in pairs:
                ours.append(milliseconds(lambda wrong=wrong: spelling.correct(wrong, postings, is_prefix=False)))
                plain.append(
                    milliseconds(lambda wrong=wrong: process.extract(wrong, known, scorer=OSA.distance, limit=5))
                )
                spelt.append(milliseconds(lambda word=word: engine.search(Query(text=word))))
                misspelt.append(milliseconds(lambda wrong=wrong: engine.search(Query(text=wrong))))
        n_right = sum(_meant(spelling, wrong, postings) == word for word, wrong in pairs)
        engine.close()
    one, other, good, bad = map(statistics.median, (ours, plain, spelt, misspelt))
    print(
        f"| {n_notes:,} | {len(known):,} | {one:.2f} | {other:.2f} | {other / one:.1f} | {good:.1f} | {bad:.1f} "
        f"| {bad / good:.2f} | {n_right} of {len(pairs)} |",
        flush=True,
    )
    return {
        "correction_ms": one,
        "correction_to_plain_ratio": one / other,
        "misspelt_query_ms": bad,
        "misspelt_to_right_ratio": bad / good,
    }


def _meant(spelling: Spelling, wrong: str, postings: object) -> str:
    found = spelling.correct(wrong, postings, is_prefix=False)  # type: ignore[arg-type]  # the corpus' own
    return "" if found is None else found.word


def main() -> None:
    """Measure and print."""
    print("| notes | words | a correction | plain look-up | ratio | query spelt right | misspelt | ratio | found |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    run_sizes("bench_typos", measure)


if __name__ == "__main__":
    main()
