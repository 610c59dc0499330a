"""Ideas that are not in the product, tried from the outside.

Run: python tests/ranking/trials.py

linear     one source fused by its scores (BM25 over the maximum) instead of its ranks, so that a boost weighs against
           distances between scores; with and without the boosts
hiragana   bigrams of hiragana alone hold Japanese sentences together, so they recall nothing, as glue words do
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from unittest import mock

from attrs import evolve
from judged import QuerySet, as_words, load, notes_of, ours, query_sets, shared_folder

from search import pipeline as pipeline_module
from search.engine import Engine
from search.fuse.linear import Linear, fuse_linear
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.text import terms as terms_module

_SAMPLE = 100  # queries of a set over a vault of more than 5,000 notes
_ENGLISH = ("cranfield", "cacm", "lisa", "adi", "vaults/dendron-site", "vaults/obsidian-tasks", "vaults/foam")


def hiragana() -> object:
    """Bigrams of hiragana alone are glue."""
    is_glue = terms_module.is_glue
    return mock.patch.object(
        terms_module, "is_glue", lambda token: is_glue(token) or all("\u3041" <= char <= "\u309f" for char in token)
    )


def linear() -> object:
    """The fusion by scores in the place of that by ranks."""
    settings = Linear()
    return mock.patch.object(
        pipeline_module,
        "fuse_rrf",
        lambda rankings, weights, *, k: fuse_linear(rankings, weights, scales=settings.scales),  # noqa: ARG005 - k is the ranks'
    )


def boosts(engine: Engine, queries: QuerySet, scorer: ModuleType) -> list[str]:
    """Lines of figures: both fusions, each with all stages and with one or both of the boosts left out."""
    stages = engine.settings.pipeline.stages
    n_queries = _SAMPLE if engine.status().n_notes > 5000 else len(queries.qrels)
    sampled = evolve(queries, qrels=dict(list(queries.qrels.items())[:n_queries]))
    kinds: dict[str, tuple[type, ...]] = {
        "both": (),
        "no folder": (Folder,),
        "no graph": (Graph,),
        "neither": (Folder, Graph),
    }
    whole, lines = engine.settings, []
    for fusion, trial in {"RRF": nullcontext, "linear": linear}.items():
        for name, left_out in kinds.items():
            kept = tuple(stage for stage in stages if not isinstance(stage, left_out))
            engine.settings = evolve(whole, pipeline=evolve(whole.pipeline, stages=kept))
            with trial():
                scores = sampled.score(ours(engine, sampled, scorer, as_words), scorer)
                lines.append(f"| {queries.label} | {fusion}, {name} | {scores} |")
    engine.settings = whole
    return lines


def measure(shared: Path, collection: str) -> list[str]:
    """Lines of figures: a set under each trial."""
    scorer = load(shared, "score")
    engine = Engine(notes_of(shared, collection))
    engine.refresh()
    pipeline = engine.settings.pipeline
    lines = []
    for queries in query_sets(shared, collection):
        if collection.startswith("vaults/"):
            lines += boosts(engine, queries, scorer)
        if collection == "vaults/cpp-docs":
            continue
        trials = (
            {"now": (nullcontext, 0.5), "hiragana": (hiragana, 0.5)}
            if collection == "jaquad"
            else {"now": (nullcontext, 0.5)}
        )
        for name, (trial, weight) in trials.items():
            lexical = evolve(pipeline.lexical, model=evolve(pipeline.lexical.model, prefix_weight=weight))
            engine.settings = evolve(engine.settings, pipeline=evolve(pipeline, lexical=lexical))
            with trial():
                lines.append(
                    f"| {queries.label} | {name} | {queries.score(ours(engine, queries, scorer, as_words), scorer)} |"
                )
    return lines


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for lines in pool.map(partial(measure, asked.shared), ("vaults/cpp-docs", "jaquad", *_ENGLISH)):
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
