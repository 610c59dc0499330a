"""Natural questions, as people type them, over five vaults: how often the right note is first.

Run: python tests/ranking/questions.py [--write] [--queries]

Prints the table of QUESTIONS.md; `--queries` prints, instead, each question whose right note is not first, with what
stands before it. A note is right if it has any label.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from attrs import frozen
from hybrid import Hybrid, open_hybrid
from judged import QUESTIONED, QuerySet, Run, as_words, load, notes_of, query_sets, shared_folder
from table import AS_WORDS, BY_GISTS, HALF, HYBRID, texts_of

TABLE = Path(__file__).with_name("QUESTIONS.md")
PEERS = ("bm25s-stem", "fts5-porter")
_SYSTEMS = (AS_WORDS, BY_GISTS, HALF, HYBRID, *PEERS)
_HEAD = """# Natural questions, measured

130 questions, worded as people type them, over five vaults; the right notes were labelled by hand. Each cell: nDCG@10,
share of questions whose first note is right, share with a right note among the first three. Written by
`python tests/ranking/questions.py --write`. The columns are those of `TABLE.md`.
A difference of less than .035 nDCG@10 over all questions, or .1 on one vault, means little.
"""


@frozen(kw_only=True)
class Answered:
    """How one system answered one question: nDCG@10, and the rank of the best right note (0 = none in ten)."""

    ndcg: float
    rank: int


def measure(shared: Path, collection: str) -> tuple[QuerySet, Mapping[str, Run]]:
    """A vault's questions, and the ranked notes of each system for each of them."""
    scorer, baselines = load(shared, "score"), load(shared, "baselines")
    queries = next(queries for queries in query_sets(shared, collection) if queries.name == "questions")
    runs: dict[str, dict[str, list[str]]] = {system: {} for system in _SYSTEMS}
    hybrid = open_hybrid(shared, collection)
    for id_ in queries.qrels:
        for system, notes in _ours(hybrid, queries.texts[id_]).items():
            runs[system][id_] = [scorer.name(note) for note in notes]
    hybrid.engine.close()
    docs = [(name, baselines.title_of(name, text, True), text) for name, text in texts_of(notes_of(shared, collection))]
    for peer in PEERS:
        search = baselines.ENGINES[peer](docs)
        runs[peer] = {id_: [scorer.name(note) for note in search(queries.texts[id_])] for id_ in queries.qrels}
    return queries, runs


def _ours(hybrid: Hybrid, text: str) -> Mapping[str, list[str]]:
    lookup = hybrid.look_up(text, as_words)
    return {
        AS_WORDS: hybrid.ranked(lookup.by_words),
        BY_GISTS: hybrid.ranked(lookup.first_pass),
        HALF: hybrid.ranked(lookup.halved),
        HYBRID: hybrid.ranked(lookup),
    }


def answered(shared: Path, queries: QuerySet, run: Run) -> list[Answered]:
    """Each question's figures, in the order of the labels."""
    _, rows = load(shared, "score").evaluate(run, queries.qrels)
    return [Answered(ndcg=ndcg, rank=round(1 / mrr) if mrr else 0) for ndcg, mrr, _ in rows.tolist()]


def cell(questions: Sequence[Answered]) -> str:
    """The three means of the table."""
    first = fmean(question.rank == 1 for question in questions)
    in_three = fmean(1 <= question.rank <= 3 for question in questions)
    return f"{fmean(question.ndcg for question in questions):.3f} {first:.2f} {in_three:.2f}"


def render(rows: Mapping[str, Mapping[str, Sequence[Answered]]]) -> str:
    """The table as Markdown: vault -> system -> questions, and a line for all."""
    everything = {system: [one for row in rows.values() for one in row[system]] for system in _SYSTEMS}
    lines = [_HEAD, f"| vault | questions | {' | '.join(_SYSTEMS)} |", f"|---|--:|{'---|' * len(_SYSTEMS)}"]
    for name, row in {**rows, "all": everything}.items():
        cells = (cell(row[system]) for system in _SYSTEMS)
        lines.append(f"| {name.removeprefix('vaults/')} | {len(row[AS_WORDS])} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _missed(queries: QuerySet, run: Run, system: str) -> Iterator[str]:
    for id_, labels in queries.qrels.items():
        notes = run[id_]
        right = next((rank for rank, note in enumerate(notes, 1) if labels.get(note, 0) > 0), None)
        if right != 1:
            yield f"{system}: {queries.texts[id_]!r}: right at {right}, first {notes[:3]}, wanted {dict(labels)}"


def main() -> None:
    """Measure all vaults and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--queries", action="store_true")
    asked = arguments.parse_args()
    rows: dict[str, dict[str, list[Answered]]] = {}
    for collection in QUESTIONED:
        queries, runs = measure(asked.shared, collection)
        rows[collection] = {system: answered(asked.shared, queries, run) for system, run in runs.items()}
        if asked.queries:
            for system in (AS_WORDS, HYBRID):
                print(f"--- {collection}", *_missed(queries, runs[system], system), sep="\n")
    found = render(rows)
    if asked.write:
        TABLE.write_text(found, encoding="utf-8")
    print(found)


if __name__ == "__main__":
    main()
