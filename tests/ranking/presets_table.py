"""Every preset on every set, beside plain BM25: which design ranks how well.

Run: python tests/ranking/presets_table.py --write

Without `--write` it prints the table; with `--only` the lines of other collections stay. By words alone for all
collections; with the embedded model as well for those that have their vectors in the project's snapshot. Notes have
no age here: what is fresh is a matter of the day.
"""

import argparse
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from hybrid import open_hybrid, scores_of
from judged import JUDGED, VAULTS, QuerySet, as_words, load, query_sets, request_for, shared_folder
from snapshot import EMBEDDED
from sweep import remembering, sampled
from table import Row, measure_peers

from search.engine import Engine
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.ranking.rank import rank

TABLE = Path(__file__).with_name("PRESETS.md")
PEER = "bm25s"
_COLUMNS = (*PRESETS, *(f"{name} +v" for name in PRESETS), PEER)
_DEPTH = 100
_SAMPLE = 60  # queries of a set over a large collection
_LARGE = 200_000  # notes times queries
_HEAD = """# Presets, measured

Each cell: nDCG@10, MRR@10, recall@100. Written by `python tests/ranking/presets_table.py --write`.

The first five columns are the presets by words alone, the next five with the embedded model, where the collection's
vectors are in the snapshot. bm25s is plain, as in `TABLE.md`, over the same queries.
A dagger: the notes that a query was copied from are dropped.
Of sets over large collections, where notes times queries are more than 200,000, {n_sampled} queries were asked, chosen
by the hash of their ids: the second number of queries is that of all.
`graph-spread` leaves out what is below half of the best, so its recall ends at 62 notes of one source.
Lists of links or fresh notes are made for vaults: where there are no links and no dates, they are BM25F.
Only `tiered-lexical` counts other forms of a word (`stems`) and raises names within a query (`name`); in the others
they are off, as in their documents, and can be switched on in `vaultseek.pipeline`.

Below bm25s by more than .02:
`graph-linear` by words alone on foam context (.022; 34 queries, where .05 mean nothing): without vectors it is full
text alone. With vectors on the aliases of obsidian-tasks (.023; 20 queries): its document gives cosines .7 of the score
as they are and words .09, so that a note like the one that was named overtakes it; `title` in `vaultseek.pipeline` puts
exact names first.
`neighbour-recency` on cpp-docs (anchors .021, renamed .100): its reference pages link to each other whichever of them
is meant, and by rank a neighbour's .2 / 61 is worth as much as a dozen places. The same links gain .19 where they say
something (dendron-site anchors); `"neighbours": null` in `vaultseek.pipeline` is without them.
"""

Rows = Mapping[tuple[str, int, str], Row]  # (set, notes, queries) -> system -> scores


def measure(shared: Path, collection: str) -> Rows:
    """All presets and the peer on all sets of a collection; of large ones a sample."""
    scorer = load(shared, "score")
    hybrid = open_hybrid(shared, collection)
    n_notes = hybrid.engine.status().n_notes
    chosen = {queries.label: _sampled(queries, n_notes) for queries in query_sets(shared, collection)}
    peers = measure_peers(shared, collection, peers=(PEER,), choose=lambda queries: chosen[queries.label])
    rows: dict[tuple[str, int, str], Row] = {}
    for whole in query_sets(shared, collection):
        queries, row = chosen[whole.label], dict(peers[whole.label])
        with remembering():
            for name in PRESETS:
                for column, mode in _columns_of(name, collection):
                    run = {id_: _found(hybrid.engine, queries, id_, name, mode) for id_ in queries.qrels}
                    row[column] = queries.score({id_: [scorer.name(note) for note in run[id_]] for id_ in run}, scorer)
        n_asked = (
            f"{len(queries.qrels)} of {len(whole.qrels)}"
            if len(queries.qrels) < len(whole.qrels)
            else str(len(whole.qrels))
        )
        rows[whole.label, n_notes, n_asked] = row
    hybrid.engine.close()
    return rows


def _sampled(queries: QuerySet, n_notes: int) -> QuerySet:
    return sampled(queries, _SAMPLE) if n_notes * len(queries.qrels) > _LARGE else queries


def _columns_of(preset: str, collection: str) -> tuple[tuple[str, Mode], ...]:
    both = ((preset, Mode.KEYWORD), (f"{preset} +v", Mode.HYBRID))
    return both if collection in EMBEDDED else both[:1]


def _found(engine: Engine, queries: QuerySet, id_: str, preset: str, mode: Mode) -> list[str]:
    text = queries.texts[id_]
    request = request_for(engine, Query(text=text, limit=_DEPTH, mode=mode, preset=preset), as_words(text))
    scores = scores_of(engine, request) if mode is Mode.HYBRID else None
    return [hit.id for hit in rank(request, engine.indexer.corpus, scores=scores).ranking.top(_DEPTH).hits]


def lines_of(rows: Rows) -> Mapping[str, str]:
    """A line of Markdown for each set; the best nDCG@10 by words of a line is bold."""
    lines = {}
    for (label, n_notes, n_queries), row in rows.items():
        best = max(round(row[name].ndcg, 3) for name in PRESETS)
        cells = [
            f"**{row[name]}**" if name in PRESETS and round(row[name].ndcg, 3) == best else str(row.get(name, ""))
            for name in _COLUMNS
        ]
        lines[label] = f"| {label} | {n_notes} | {n_queries} | {' | '.join(cells)} |"
    return lines


def committed() -> Mapping[str, str]:
    """The lines of the table as it was last written."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {line.split("|")[1].strip(): line for line in lines if line.count("|") == len(_COLUMNS) + 4}


def render(lines: Mapping[str, str]) -> str:
    """The table as Markdown, in the order of the collections."""
    order = [name.removeprefix("vaults/") for name in (*JUDGED, *VAULTS)]
    known = sorted((label for label in lines if label.split()[0] in order), key=lambda at: order.index(at.split()[0]))
    head = [
        _HEAD.format(n_sampled=_SAMPLE),
        f"| set | notes | queries | {' | '.join(_COLUMNS)} |",
        f"|---|--:|--:|{'---|' * len(_COLUMNS)}",
    ]
    return "\n".join((*head, *(lines[label] for label in known))) + "\n"


def main() -> None:
    """Measure all and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--only", default="", help="collections, comma-separated")
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    collections = [name for name in (*JUDGED, *VAULTS) if not asked.only or name in asked.only.split(",")]
    rows: dict[tuple[str, int, str], Row] = {}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for measured in pool.map(partial(measure, asked.shared), collections):
            rows |= measured
            if asked.write:  # after each collection: all together take a quarter of an hour
                TABLE.write_text(render({**committed(), **lines_of(rows)}), encoding="utf-8")
    print(render(lines_of(rows)))


if __name__ == "__main__":
    main()
