"""How well every preset ranks on every set, compared with plain BM25.

Run: python tests/ranking/presets_table.py --write

Without `--write` the script prints the table. `--only` measures some collections and `--presets` some presets; all
other figures stay as in the committed table. Each collection is searched by words alone, and also with the embedded
model where the collection's vectors are in the project's snapshot. All notes have the same age, because freshness
depends on the day of the run.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from attrs import evolve, frozen
from hybrid import open_hybrid, scores_of
from judged import JUDGED, VAULTS, QuerySet, as_words, load, query_sets, request_for, shared_folder
from snapshot import EMBEDDED
from sweep import remembering, sampled
from table import measure_peers

from search.engine import Engine
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.ranking.rank import rank
from search.ranking.retrieval import retrieve

TABLE = Path(__file__).with_name("PRESETS.md")
PEER = "bm25s"
_COLUMNS = (*PRESETS, *(f"{name} +v" for name in PRESETS), PEER)
_KEYS = ("set", "notes", "queries")
_DEPTH = 100
_SAMPLE = 60  # queries of a set over a large collection
_LARGE = 200_000  # notes times queries
_HEAD = """# Presets, measured

Each cell: nDCG@10, MRR@10, recall@100. Written by `python tests/ranking/presets_table.py --write`.

The first six columns are the presets by words alone. The next six are the same with the embedded model, where the
collection's vectors are in the snapshot. bm25s is plain, as in `TABLE.md`, over the same queries.
A dagger marks sets whose queries are copied from notes; these notes are removed from the ranking.
Of sets over large collections, where notes times queries are more than 200,000, {n_sampled} queries were asked, chosen
by the hash of their ids; the second number of queries counts all.
`graph-spread` drops everything below half of the best score, so it returns at most 62 notes of one source.
Rankings by links or by age are made for vaults; without links and dates they are BM25F.
Only `balanced` counts other forms of a word (`stems`) and raises names within a query (`name`). In the other presets
both are off, as in their documents; you can switch them on in `vaultseek.pipeline`.

These presets are more than .02 below bm25s:
`tiered-lexical` on the renamed pages of cpp-docs (.045): reference pages link to each other and are cited together, so
links say little about which page a query means, and after fusion by rank the graph boost of 15 % is worth nine places.
Without the boost the set has .784. `balanced` fuses by score and boosts only hits with a strong score of their own.
`graph-linear` by words alone on foam context (.022; 34 queries, so .05 is noise): without vectors it is full text
alone. With vectors on the aliases of obsidian-tasks (.023; 20 queries): in its document, cosines make .7 of the score
and words .09, so a similar note overtakes the named one; `title` in `vaultseek.pipeline` puts exact names first.
`neighbour-recency` on cpp-docs (anchors .021, renamed .100): the same reference pages; by rank a neighbour's .2 / 61 is
worth a dozen places. On dendron-site anchors, where links are informative, they gain .19;
`"neighbours": null` in `vaultseek.pipeline` switches them off.
"""


@frozen(kw_only=True)
class Line:
    """One set's figures: `cells` maps each measured column to "nDCG@10 MRR@10 recall@100"."""

    label: str
    n_notes: str
    n_queries: str
    cells: Mapping[str, str]


def measure(shared: Path, presets: Sequence[str], collection: str) -> Sequence[Line]:
    """The figures of these presets on all sets of a collection, large sets sampled; if all presets, also the peer's."""
    scorer = load(shared, "score")
    hybrid = open_hybrid(shared, collection)
    n_notes = hybrid.engine.status().n_notes
    sets = query_sets(shared, collection)
    chosen = {whole.label: _sampled(whole, n_notes) for whole in sets}
    peers = (PEER,) if set(presets) == set(PRESETS) else ()
    rows = measure_peers(shared, collection, peers=peers, choose=lambda whole: chosen[whole.label])
    lines = []
    for whole in sets:
        queries = chosen[whole.label]
        cells = {peer: str(rows[whole.label][peer]) for peer in peers}
        with remembering():
            for name in presets:
                for column, mode in _columns_of(name, collection):
                    run = {id_: _found(hybrid.engine, queries, id_, name, mode) for id_ in queries.qrels}
                    scores = queries.score({id_: [scorer.name(note) for note in run[id_]] for id_ in run}, scorer)
                    cells[column] = str(scores)
        n_asked, n_all = len(queries.qrels), len(whole.qrels)
        n_queries = f"{n_asked} of {n_all}" if n_asked < n_all else str(n_all)
        lines.append(Line(label=whole.label, n_notes=str(n_notes), n_queries=n_queries, cells=cells))
    hybrid.engine.close()
    return lines


def _sampled(queries: QuerySet, n_notes: int) -> QuerySet:
    return sampled(queries, _SAMPLE) if n_notes * len(queries.qrels) > _LARGE else queries


def _columns_of(preset: str, collection: str) -> tuple[tuple[str, Mode], ...]:
    both = ((preset, Mode.KEYWORD), (f"{preset} +v", Mode.HYBRID))
    return both if collection in EMBEDDED else both[:1]


def _found(engine: Engine, queries: QuerySet, id_: str, preset: str, mode: Mode) -> list[str]:
    text = queries.texts[id_]
    request = request_for(engine, Query(text=text, limit=_DEPTH, mode=mode, preset=preset), as_words(text))
    retrieval = retrieve(request, engine.indexer.corpus)
    scores = scores_of(engine, request, retrieval) if mode is Mode.HYBRID else None
    ranked = rank(request, engine.indexer.corpus, retrieval=retrieval, scores=scores)
    return [hit.id for hit in ranked.ranking.top(_DEPTH).hits]


def committed() -> Mapping[str, Line]:
    """The committed table, by set."""
    rows = [
        [cell.strip().replace("*", "") for cell in line.strip("|").split("|")]
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    columns = rows[0][len(_KEYS) :]
    return {
        label: Line(
            label=label,
            n_notes=n_notes,
            n_queries=n_queries,
            cells={column: cell for column, cell in zip(columns, cells, strict=True) if cell},
        )
        for label, n_notes, n_queries, *cells in rows[1:]
    }


def merged(known: Mapping[str, Line], lines: Iterable[Line]) -> Mapping[str, Line]:
    """The known table with newly measured figures in place of the old ones."""
    new = {line.label: line for line in lines}
    old = {label: known[label].cells if label in known else {} for label in new}
    return {**known, **{label: evolve(line, cells={**old[label], **line.cells}) for label, line in new.items()}}


def render(lines: Iterable[Line]) -> str:
    """The table as Markdown, in the order of the collections; the best nDCG@10 by words in each line is bold."""
    order = [name.removeprefix("vaults/") for name in (*JUDGED, *VAULTS)]
    head = [
        _HEAD.format(n_sampled=_SAMPLE),
        f"| {' | '.join((*_KEYS, *_COLUMNS))} |",
        f"|---|--:|--:|{'---|' * len(_COLUMNS)}",
    ]
    known = sorted(lines, key=lambda line: order.index(line.label.split()[0]))
    return "\n".join((*head, *map(_row, known))) + "\n"


def _row(line: Line) -> str:
    best = max((_ndcg(line.cells[name]) for name in PRESETS if name in line.cells), default="")
    cells = [
        f"**{cell}**" if column in PRESETS and _ndcg(cell) == best else cell
        for column in _COLUMNS
        for cell in (line.cells.get(column, ""),)
    ]
    return f"| {' | '.join((line.label, line.n_notes, line.n_queries, *cells))} |"


def _ndcg(cell: str) -> str:
    return cell.partition(" ")[0]


def main() -> None:
    """Measure all and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--only", default="", help="collections, comma-separated")
    arguments.add_argument("--presets", default="", help="presets, comma-separated")
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    collections = [name for name in (*JUDGED, *VAULTS) if not options.only or name in options.only.split(",")]
    presets = [name for name in PRESETS if not options.presets or name in options.presets.split(",")]
    table = committed()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for lines in pool.map(partial(measure, options.shared, presets), collections):
            table = merged(table, lines)
            if options.write:  # after each collection: all together take a quarter of an hour
                TABLE.write_text(render(table.values()), encoding="utf-8")
    print(render(table.values()))


if __name__ == "__main__":
    main()
