"""A parameter sweep: one parameter changed at a time, measured on all sets.

Run: python tests/ranking/sweep.py [--only WORD] [--all]

Prints a Markdown table: nDCG@10 of the defaults for each set, then each variant's difference from the defaults in
thousandths. Large sets are sampled, with the same queries for every variant, unless `--all` is given. A variant is a
value of `Pipeline`.
"""

import argparse
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from attrs import evolve, frozen
from judged import JUDGED, NOTES_ONLY, VAULTS, QuerySet, as_words, load, notes_of, ours, query_sets, shared_folder

from search.answer.evidence import Field
from search.engine import Engine
from search.index.spelling import Typos
from search.index.stems import Stems
from search.matching import terms as terms_module
from search.matching.terms import PostedTerm
from search.ranking import retrieval as retrieval_module
from search.ranking.pipeline import Pipeline
from search.ranking.presets import balanced
from search.settings import Settings
from search.stages.folder import Folder
from search.stages.graph import Graph

_SAMPLE = 60  # queries of a set
_SHORT = (Field.TITLE, Field.PATH, Field.TAGS, Field.HEADINGS, Field.LINKS, Field.PROPERTIES)
BASE = balanced()
MODEL = BASE.lexical.model


def model(**changes: object) -> Pipeline:
    """`balanced` with other constants of BM25F."""
    return evolve(BASE, lexical=evolve(BASE.lexical, model=evolve(MODEL, **changes)))


def weight(value: float, *fields: Field) -> Pipeline:
    """`balanced` with another weight of these fields."""
    return model(weights={**MODEL.weights, **dict.fromkeys(fields, value)})


def length(value: float, *fields: Field) -> Pipeline:
    """`balanced` with another length normalization (b) in these fields."""
    return model(b={**MODEL.b, **dict.fromkeys(fields, value)})


def grep(**changes: object) -> Pipeline:
    """`balanced` with another choice of candidates."""
    return evolve(BASE, grep=evolve(BASE.grep, **changes))


def without(*stages: type) -> Pipeline:
    """`balanced` with stages left out."""
    return evolve(BASE, stages=tuple(stage for stage in BASE.stages if not isinstance(stage, stages)))


def staged(kind: type, **changes: object) -> Pipeline:
    """`balanced` with another setting of one stage."""
    stages = tuple(evolve(stage, **changes) if isinstance(stage, kind) else stage for stage in BASE.stages)
    return evolve(BASE, stages=stages)


VARIANTS: Mapping[str, Pipeline] = {
    "defaults": BASE,
    **{f"k1 {value}": model(k1=value) for value in (0.9, 1.2, 1.6, 2.0)},
    **{f"b body {value}": length(value, Field.BODY) for value in (0.5, 0.6, 0.75, 0.9)},
    **{f"b short {value}": length(value, *_SHORT) for value in (0.0, 0.3, 0.6)},
    **{f"title {value}": weight(value, Field.TITLE) for value in (1.0, 2.0, 3.0, 5.0)},
    **{f"links {value}": weight(value, Field.LINKS) for value in (0.0, 0.5, 1.5)},
    **{f"headings {value}": weight(value, Field.HEADINGS) for value in (0.0, 1.5, 3.0)},
    **{f"prefix_weight {value}": model(prefix_weight=value) for value in (0.0, 0.25, 0.5, 0.75)},
    **{f"inner_share {value}": model(inner_share=value) for value in (0.0, 0.25, 0.5, 1.0)},
    **{f"name_bonus {value}": grep(name_bonus=value) for value in (0.0, 0.5, 1.0)},
    **{f"inner_coverage {value}": grep(inner_coverage=value) for value in (0.0, 0.5, 1.0)},
    **{f"candidate_limit {value}": grep(candidate_limit=value) for value in (100, 200, 500, 1000)},
    **{f"stop_words_in_text {value}": model(stop_words_in_text=value) for value in (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)},
    "as typed": evolve(model(k1=1.2), stems=Stems(weight=0.0), typos=Typos(weight=0.0)),
    "as typed, k1 2.0": evolve(BASE, stems=Stems(weight=0.0), typos=Typos(weight=0.0)),
    **{
        f"stems {stems}, k1 {k1}": evolve(model(k1=k1), stems=Stems(weight=stems))
        for stems in (0.3, 0.5, 0.7, 1.0)
        for k1 in (1.2, 1.6, 2.0)
    },
    "no typos": evolve(BASE, typos=Typos(weight=0.0)),
    "no folder boost": without(Folder),
    "no graph boost": without(Graph),
    "no boost": without(Folder, Graph),
    **{f"graph cap {value}": staged(Graph, cap=value) for value in (1.03, 1.05, 1.1)},
    **{f"graph min_strength {value}": staged(Graph, min_strength=value) for value in (0.9, 0.95)},
    "graph backlinks alone": staged(Graph, co_citation_weight=0.0, shared_tag_weight=0.0),
    "graph without backlinks": staged(Graph, backlink_weight=0.0),
    "graph near ties": staged(Graph, min_strength=0.95, cap=1.05),
    **{f"folder cap {value}": staged(Folder, cap=value) for value in (1.03, 1.05, 1.1)},
    **{f"folder min_strength {value}": staged(Folder, min_strength=value) for value in (0.9, 0.95)},
    **{f"folder min_ratio {value}": staged(Folder, min_ratio=value) for value in (0.6, 0.8)},
    "folder near ties": staged(Folder, min_strength=0.95, cap=1.05),
}


@frozen
class Task:
    """One collection under some variants."""

    shared: Path
    collection: str
    variants: Sequence[str]
    is_whole: bool


def sampled(queries: QuerySet, n_queries: int) -> QuerySet:
    """The same queries for every variant, chosen by the hash of their ids."""
    kept = sorted(queries.qrels, key=lambda id_: hashlib.md5(id_.encode(), usedforsecurity=False).digest())[:n_queries]
    return evolve(queries, qrels={id_: queries.qrels[id_] for id_ in kept})


@contextmanager
def remembering() -> Iterator[None]:
    """Look up each term once for all variants: no variant changes the places of a term."""
    known: dict[tuple[object, ...], tuple[PostedTerm, ...]] = {}
    look_up: Callable[..., tuple[PostedTerm, ...]] = terms_module.post

    def post(terms: tuple[object, ...], *rest: object, stems: object) -> tuple[PostedTerm, ...]:
        key = (*terms, stems is None)
        if key not in known:
            known[key] = look_up(terms, *rest, stems=stems)
        return known[key]

    with mock.patch.object(retrieval_module, "post", post):
        yield


def measure(task: Task) -> dict[str, dict[str, float]]:
    """Set -> variant -> nDCG@10."""
    scorer = load(task.shared, "score")
    engine = Engine(notes_of(task.shared, task.collection), Settings(vault=NOTES_ONLY))
    engine.refresh()
    found: dict[str, dict[str, float]] = {}
    for whole in query_sets(task.shared, task.collection):
        queries = whole if task.is_whole else sampled(whole, _SAMPLE if len(whole.qrels) > 250 else 120)
        with remembering():
            for name in task.variants:
                engine.settings = evolve(engine.settings, pipeline=VARIANTS[name])
                found.setdefault(queries.label, {})[name] = queries.score(
                    ours(engine, queries, scorer, as_words), scorer
                ).ndcg
    return found


def table(found: Mapping[str, Mapping[str, float]], variants: Sequence[str]) -> str:
    """A line for each variant, a column for each set; the last columns are the mean and the worst difference."""
    sets = list(found)
    lines = [f"| variant | {' | '.join(sets)} | mean | worst |", f"|---|{'--:|' * (len(sets) + 2)}"]
    base = [found[name]["defaults"] for name in sets]
    lines.append(f"| defaults | {' | '.join(f'{value:.3f}' for value in base)} | | |")
    for variant in variants:
        moved = [round(1000 * (found[name][variant] - found[name]["defaults"])) for name in sets]
        if variant != "defaults" and (VARIANTS[variant] != BASE):
            cells = " | ".join(f"{value:+d}" if value else "·" for value in moved)
            lines.append(f"| {variant} | {cells} | {sum(moved) / len(moved):+.1f} | {min(moved):+d} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument(
        "--only", default="", help="variants whose name contains one of these words, comma-separated"
    )
    arguments.add_argument("--skip", default="", help="collections to leave out, comma-separated")
    arguments.add_argument("--all", action="store_true", help="all queries")
    asked = arguments.parse_args()
    words = asked.only.split(",")
    variants = [name for name in VARIANTS if name == "defaults" or any(word in name for word in words)]
    collections = [name for name in (*JUDGED, *VAULTS) if name not in asked.skip.split(",")]
    tasks = [Task(asked.shared, collection, variants, asked.all) for collection in collections]
    found: dict[str, dict[str, float]] = {}
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        for measured in pool.map(measure, tasks):
            found |= measured
    print(table(found, variants))


if __name__ == "__main__":
    main()
