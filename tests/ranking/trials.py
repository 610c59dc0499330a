"""Measures ideas that are not part of the product, by patching it.

Run: python tests/ranking/trials.py [--only WORD] [--skip COLLECTIONS] [--all]

Prints a Markdown table as `sweep.py` does: nDCG@10 of the product, then for each idea the difference in thousandths.

forms      formulas for the share that other forms of a word have in its score, from the number n of words in the query
           and the word's rarity q, which is 1 for a word of one note; `Stems.share` was chosen from these
hiragana   bigrams of hiragana alone are mostly grammar in Japanese, so they find no notes, like stop words
"""

import argparse
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from judged import JUDGED, NOTES_ONLY, VAULTS, as_words, load, notes_of, ours, query_sets, shared_folder
from sweep import remembering, sampled

from search.engine import Engine
from search.index.stems import Stems
from search.matching import terms as terms_module
from search.settings import Settings

_SAMPLE = 150  # queries of a set

Trial = Callable[[], AbstractContextManager[object]]


def hiragana() -> AbstractContextManager[object]:
    """Bigrams of hiragana alone count as stop words."""
    is_stop_word = terms_module.is_stop_word
    return mock.patch.object(
        terms_module,
        "is_stop_word",
        lambda token: is_stop_word(token) or all("\u3041" <= char <= "\u309f" for char in token),
    )


def forms(share: Callable[[int, float], float]) -> Trial:
    """Other forms of a word get this share of its score."""
    return lambda: mock.patch.object(Stems, "share", lambda _, n_words, rarity: share(n_words, rarity))


TRIALS: Mapping[str, Trial] = {
    "now": nullcontext,
    "forms 0": forms(lambda _n, _q: 0.0),
    "forms .4": forms(lambda _n, _q: 0.4),
    "forms .7": forms(lambda _n, _q: 0.7),
    "forms 1": forms(lambda _n, _q: 1.0),
    "forms n/(n+1)": forms(lambda n, _q: n / (n + 1)),
    "forms n/(n+2)": forms(lambda n, _q: n / (n + 2)),
    "forms n/(n+3)": forms(lambda n, _q: n / (n + 3)),
    "forms q": forms(lambda _n, q: q),
    "forms .4+.6q": forms(lambda _n, q: 0.4 + 0.6 * q),
    "forms n/(n+1)(.6+.4q)": forms(lambda n, q: n / (n + 1) * (0.6 + 0.4 * q)),
    "forms n/(n+1)(.7+.3q)": forms(lambda n, q: n / (n + 1) * (0.7 + 0.3 * q)),
    "forms n/(n+1)(.8+.2q)": forms(lambda n, q: n / (n + 1) * (0.8 + 0.2 * q)),
    "forms n/(n+2)(.6+.4q)": forms(lambda n, q: n / (n + 2) * (0.6 + 0.4 * q)),
    "hiragana": hiragana,
}


def measure(collection: str, *, shared: Path, names: tuple[str, ...], n_queries: int) -> Mapping[str, list[float]]:
    """Set -> nDCG@10 with each trial."""
    scorer = load(shared, "score")
    engine = Engine(notes_of(shared, collection), Settings(vault=NOTES_ONLY))
    engine.refresh()
    found: dict[str, list[float]] = {}
    for whole in query_sets(shared, collection):
        queries = sampled(whole, n_queries)
        for name in names:
            with remembering(), TRIALS[name]():
                found.setdefault(queries.label, []).append(
                    queries.score(ours(engine, queries, scorer, as_words), scorer).ndcg
                )
    engine.close()
    return found


def table(found: Mapping[str, list[float]], names: tuple[str, ...]) -> str:
    """A line for each trial and a column for each set; the last columns are the mean and the worst difference."""
    lines = [f"| trial | {' | '.join(found)} | mean | worst |", f"|---|{'--:|' * (len(found) + 2)}"]
    lines.append(f"| {names[0]} | {' | '.join(f'{row[0]:.3f}' for row in found.values())} | | |")
    for at, name in enumerate(names[1:], start=1):
        moved = [round(1000 * (row[at] - row[0])) for row in found.values()]
        cells = " | ".join(f"{value:+d}" if value else "·" for value in moved)
        lines.append(f"| {name} | {cells} | {sum(moved) / len(moved):+.1f} | {min(moved):+d} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--only", default="", help="trials whose name contains this word")
    arguments.add_argument("--skip", default="", help="collections to leave out, comma-separated")
    arguments.add_argument("--all", action="store_true", help=f"all queries, not {_SAMPLE} of a set")
    asked = arguments.parse_args()
    names = ("now", *(name for name in TRIALS if name != "now" and asked.only in name))
    collections = [name for name in (*JUDGED, *VAULTS) if name not in asked.skip.split(",")]
    one = partial(measure, shared=asked.shared, names=names, n_queries=10_000 if asked.all else _SAMPLE)
    found: dict[str, list[float]] = {}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for measured in pool.map(one, collections):
            found |= measured
    print(table(found, names))


if __name__ == "__main__":
    main()
