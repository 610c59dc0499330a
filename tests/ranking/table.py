"""The ranking table: our figures and the peers' for every set.

Run: python tests/ranking/table.py --write

Without `--write` it prints the table. The peers come from the collections' own `baselines` and are measured in the
same run: bm25s plain, with an English stemmer, and over words and CJK bigrams; SQLite FTS5 with porter and with
trigrams.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from hybrid import UNREAD, Hybrid, open_hybrid
from judged import JUDGED, VAULTS, QuerySet, Scores, as_words, found_by, load, notes_of, query_sets, shared_folder
from snapshot import EMBEDDED

from search.syntax import parse

TABLE = Path(__file__).with_name("TABLE.md")
PEERS = ("bm25s", "bm25s-stem", "bm25s-cjk", "fts5-porter", "fts5-trigram")
AS_WORDS, HYBRID, HALF, BY_RANK, AS_TYPED = "ours", "hybrid", "hybrid, half", "hybrid, by rank", "ours as typed"
BY_GISTS = "first pass"
_COLUMNS = (AS_WORDS, HYBRID, HALF, BY_GISTS, BY_RANK, AS_TYPED, *PEERS)
_HEAD = """# Ranking, measured

Each cell: nDCG@10, MRR@10, recall@100. Written by `python tests/ranking/table.py --write`; a test compares a fresh
run of ours with it.

"ours" is the default preset, `balanced`: candidates, BM25F, folder and graph boost, exact titles. The query is taken as
plain words, as by every peer. `PRESETS.md` has the other presets.
"hybrid" searches by words and by meaning with the embedded model and every note embedded, as a user has it. In "half"
the names and openings of all notes are embedded, but the whole text of only half of them, chosen at random. In "first
pass" no whole text is. "By rank" is with the setting `fusion: rrf`. The notes' vectors
are those of `snapshot.py`; for collections that it does not embed these columns are empty. The model cannot read the
scripts of jaquad and drcd, so their hybrid answer is the one by words.
"ours as typed" reads the query as Obsidian's query language, in which parentheses, quotes and a capital OR filter
notes; it is shown where that changes the query.
Peers: bm25s (k1 1.5, b .75; plain, English stemmer, words and CJK bigrams) and SQLite FTS5 (title and body; porter,
trigram).
A dagger marks sets whose queries are copied from notes; these notes are removed from the ranking.
For sets with one right note a query (all but cranfield, cacm, lisa, adi), MRR is the most telling figure.
Differences under .05 on adi, lisa and foam are noise.
The best nDCG@10 of each line is bold.
"""

Row = Mapping[str, Scores]
Rows = Mapping[tuple[str, int, int], Row]  # (set, notes, queries) -> system -> scores


def measure_ours(shared: Path, collection: str, *, skip: Sequence[str] = ()) -> Rows:
    """Our figures for all sets of a collection, except those named in `skip`."""
    scorer = load(shared, "score")
    hybrid = open_hybrid(shared, collection)
    engine = hybrid.engine
    rows: dict[tuple[str, int, int], Row] = {}
    for queries in query_sets(shared, collection):
        if queries.label not in skip:
            runs = defaultdict[str, dict[str, list[str]]](dict)
            for id_ in queries.qrels:
                for system, notes in _answers(hybrid, collection, queries.texts[id_]).items():
                    runs[system][id_] = [scorer.name(note) for note in notes]
            if all(parse(queries.texts[id_]).filter is None for id_ in queries.qrels):
                del runs[AS_TYPED]
            row = {system: queries.score(run, scorer) for system, run in runs.items()}
            rows[queries.label, engine.status().n_notes, len(queries.qrels)] = row
    engine.close()
    return rows


def _answers(hybrid: Hybrid, collection: str, text: str) -> Mapping[str, list[str]]:
    """One query's notes, best first, in each of our columns that the collection has."""
    lookup = hybrid.look_up(text, as_words)
    found = {AS_WORDS: hybrid.ranked(lookup.by_words)}
    found[AS_TYPED] = found_by(hybrid.engine, text) if _has_operators(text) else found[AS_WORDS]
    if collection in (*EMBEDDED, *UNREAD):
        found[HYBRID] = found[AS_WORDS] if lookup.scores is None else hybrid.ranked(lookup)
    if collection in EMBEDDED:
        found |= {BY_GISTS: hybrid.ranked(lookup.first_pass)}
        found |= {HALF: hybrid.ranked(lookup.halved), BY_RANK: hybrid.ranked(lookup.by_rank)}
    return found


def _has_operators(text: str) -> bool:
    """Whether the query language reads anything other than plain words."""
    typed = parse(text)
    return typed.filter is not None or typed.terms != as_words(text).terms


def measure_peers(
    shared: Path,
    collection: str,
    *,
    peers: Sequence[str] = PEERS,
    choose: Callable[[QuerySet], QuerySet] = lambda queries: queries,
) -> Mapping[str, Row]:
    """The peers' figures: set -> system -> scores. `choose` may leave queries out."""
    scorer, baselines = load(shared, "score"), load(shared, "baselines")
    is_vault = collection.startswith("vaults/")
    docs = [
        (name, baselines.title_of(name, text, is_vault), text) for name, text in texts_of(notes_of(shared, collection))
    ]
    rows: dict[str, dict[str, Scores]] = {}
    for peer in peers:
        search = baselines.ENGINES[peer](docs)
        for queries in map(choose, query_sets(shared, collection)):
            run = {id_: [scorer.name(note) for note in search(queries.texts[id_])] for id_ in queries.qrels}
            rows.setdefault(queries.label, {})[peer] = queries.score(run, scorer)
    return rows


def texts_of(folder: Path) -> list[tuple[str, str]]:
    """The name and the text of each note in a folder, by name."""
    files = folder.rglob("*.md")
    return sorted((file.relative_to(folder).as_posix()[:-3], file.read_text("utf-8", "replace")) for file in files)


def measure(shared: Path, collection: str) -> Rows:
    """Our figures and the peers'."""
    mine, theirs = measure_ours(shared, collection), measure_peers(shared, collection)
    return {key: {**row, **theirs[key[0]]} for key, row in mine.items()}


def everything(shared: Path, *, is_with_peers: bool, skip: Sequence[str] = ()) -> Rows:
    """All collections, in two processes, the slowest first."""
    collections = ("vaults/cpp-docs", "jaquad", *(name for name in (*JUDGED, *VAULTS) if name != "jaquad"))
    work = partial(measure, shared) if is_with_peers else partial(measure_ours, shared, skip=skip)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parts = pool.map(work, dict.fromkeys(collections))
        found = {key: row for part in parts for key, row in part.items()}
    order = [name.removeprefix("vaults/") for name in (*JUDGED, *VAULTS)]
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0].split()[0])))


def render(rows: Rows) -> str:
    """The table as Markdown."""
    lines = [_HEAD, f"| set | notes | queries | {' | '.join(_COLUMNS)} |", f"|---|--:|--:|{'---|' * len(_COLUMNS)}"]
    for (label, n_notes, n_queries), row in rows.items():
        best = max(round(scores.ndcg, 3) for scores in row.values())
        cells = [str(row[name]) if name in row else "" for name in _COLUMNS]
        marked = [
            f"**{cell[:5]}**{cell[5:]}" if name in row and round(row[name].ndcg, 3) == best else cell
            for name, cell in zip(_COLUMNS, cells, strict=True)
        ]
        lines.append(f"| {label} | {n_notes} | {n_queries} | {' | '.join(marked)} |")
    return "\n".join(lines) + "\n"


def committed() -> Mapping[str, Row]:
    """The committed table: set -> system -> scores."""
    return dict(_parsed(TABLE.read_text(encoding="utf-8").splitlines()))


def _parsed(lines: Sequence[str]) -> Iterator[tuple[str, Row]]:
    for line in lines:
        cells = [cell.strip().replace("*", "") for cell in line.strip("|").split("|")]
        if len(cells) == len(_COLUMNS) + 3 and re.fullmatch(r"\d+", cells[1]):
            figures = {name: cell.split() for name, cell in zip(_COLUMNS, cells[3:], strict=True) if cell}
            yield (
                cells[0],
                {
                    name: Scores(ndcg=float(ndcg), mrr=float(mrr), recall=float(recall))
                    for name, (ndcg, mrr, recall) in figures.items()
                },
            )


def main() -> None:
    """Measure all and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    found = render(everything(asked.shared, is_with_peers=True))
    if asked.write:
        TABLE.write_text(found, encoding="utf-8")
    print(found)


if __name__ == "__main__":
    main()
