"""Ideas that are not in the product, tried from the outside.

Run: python tests/ranking/trials.py

stems      words of the vault with the same Snowball (English) stem as a word of the query count too, as completions do:
           `prefix_weight` relative to the exact word; the rarity stays that of the exact word where the vault has it
linear     one source fused by its scores (BM25 over the maximum) instead of its ranks, so that a boost weighs against
           distances between scores; with and without the boosts
hiragana   bigrams of hiragana alone hold Japanese sentences together, so they recall nothing, as glue words do
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from unittest import mock

import numpy as np
import Stemmer
from attrs import evolve
from judged import QuerySet, as_words, load, notes_of, ours, query_sets, shared_folder

from search import pipeline as pipeline_module
from search.answer.evidence import MatchKind
from search.engine import Engine
from search.fuse.linear import Linear, fuse_linear
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.text import terms as terms_module
from search.text.postings import Postings
from search.text.terms import PostedTerm, Term
from search.text.vocabulary import Vocabulary

_SAMPLE = 100  # queries of a set over a vault of more than 5,000 notes
_ENGLISH = ("cranfield", "cacm", "lisa", "adi", "vaults/dendron-site", "vaults/obsidian-tasks", "vaults/foam")


@contextmanager
def stems(vocabulary: Vocabulary) -> Iterator[None]:
    """Every whole ASCII word of a query also finds the words of its stem."""
    stemmer = Stemmer.Stemmer("english")
    words = [vocabulary.token(number) for number in range(len(vocabulary))]
    siblings: defaultdict[str, list[int]] = defaultdict(list)
    for number, stem in enumerate(stemmer.stemWords(words)):
        siblings[stem].append(number)
    look_up: Callable[..., tuple[PostedTerm, ...]] = terms_module.post

    def post(terms: Sequence[Term], _: Vocabulary, postings: Postings) -> tuple[PostedTerm, ...]:
        return tuple(widened(posted, postings) for posted in look_up(terms, vocabulary, postings))

    def widened(posted: PostedTerm, postings: Postings) -> PostedTerm:
        term, found = posted.term, dict(posted.found)
        if not term.is_recalling or not term.text.isascii() or len(term.text) < 3:
            return posted
        others = [number for number in siblings[stemmer.stemWord(term.text)] if words[number] != term.text]
        if term.is_prefix:
            others += [int(number) for number in vocabulary.matching(term.text).prefix]
        if others:
            found[MatchKind.PREFIX] = postings.find(np.unique(np.array(others, np.uint32)))
        kinds = [kind for kind in MatchKind if kind in found and len(found[kind].slots)]
        return PostedTerm(term, tuple((kind, found[kind]) for kind in kinds))

    with mock.patch.object(pipeline_module, "post", post):
        yield


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
            | {f"stems {w}": (partial(stems, engine._corpus.vocabulary), w) for w in (0.5, 0.8, 1.0)}
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
