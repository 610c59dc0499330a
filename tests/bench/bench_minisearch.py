"""Measures how well MiniSearch ranks on sets of the ranking table, set up as the Obsidian plugin Omnisearch does it.

Run: npm install minisearch, then
     python -m tests.bench.bench_minisearch --json tests/bench/runs/DATE-minisearch.json FOLDER [COLLECTION ...]

FOLDER has `node_modules`. Omnisearch itself runs only inside Obsidian, so this is a stand-in: `minisearch_setup.mjs`
says what it has in common with the plugin and what it lacks. Figures are as in `tests/ranking/TABLE.md`, 0..1.
"""

import argparse
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from search.ids import NoteId
from search.vault.markdown import parse_note
from tests.bench.runs import run_of
from tests.ranking.judged import load, notes_of, query_sets, shared_folder

COLLECTIONS = ("cranfield", "cacm", "vaults/obsidian-tasks", "vaults/dendron-site", "vaults/cpp-docs")
SETS = ("judged", "anchors", "renamed", "alias")  # sentences around a link are no queries where all words must match
NOTE = (
    "A stand-in for Omnisearch, which runs only inside Obsidian: its engine, MiniSearch, with the fields, weights, "
    "prefixes and spelling tolerance that Omnisearch's source sets by default, and its rule that all words of a query "
    "must match; without its filters. nDCG@10, MRR@10 and recall@100."
)


def main() -> None:
    """Measure the collections and write the run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", help="where `npm install minisearch` was run")
    parser.add_argument("collections", metavar="COLLECTION", nargs="*", default=COLLECTIONS)
    parser.add_argument("--json", metavar="FILE", type=Path, required=True)
    options = parser.parse_args()
    figures: dict[str, Mapping[str, float]] = {}
    for collection in options.collections:
        figures |= measure(collection, options.folder)
    version = json.loads((Path(options.folder) / "node_modules/minisearch/package.json").read_text())["version"]
    run = run_of("bench_minisearch", figures, NOTE)
    run["versions"]["minisearch"] = version
    options.json.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


def measure(collection: str, folder: str) -> Mapping[str, Mapping[str, float]]:
    """The figures of each set of a collection, by its label in the ranking table."""
    shared = shared_folder()
    scorer, root = load(shared, "score"), notes_of(shared, collection)
    sets = [queries for queries in query_sets(shared, collection) if queries.name in SETS]
    ran = subprocess.run(
        ["node", str(Path(__file__).with_suffix(".mjs")), folder],
        input=json.dumps(
            {
                "notes": [_fields(file, root) for file in sorted(root.rglob("*.md"))],
                "queries": {f"{queries.name} {id_}": queries.texts[id_] for queries in sets for id_ in queries.qrels},
            }
        ),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    found = {id_: [scorer.name(note) for note in hits] for id_, hits in json.loads(ran.stdout).items()}
    figures = {}
    for queries in sets:
        scores = queries.score({id_: found[f"{queries.name} {id_}"] for id_ in queries.qrels}, scorer)
        shares = {"ndcg_share": scores.ndcg, "mrr_share": scores.mrr, "recall_share": scores.recall}
        figures[queries.label.replace(" †", "")] = shares
        print(queries.label, shares, flush=True)
    return figures


def _fields(file: Path, root: Path) -> Mapping[str, str]:
    """A note with the fields that Omnisearch indexes."""
    path, text = file.relative_to(root), file.read_text("utf-8", "replace")
    note = parse_note(NoteId(path.as_posix()), text).note
    return {
        "id": path.as_posix(),
        "basename": path.stem,
        "directory": path.parent.as_posix().removeprefix("."),
        "aliases": " ".join(note.aliases),
        "content": text,
        **{
            f"headings{level}": " ".join(heading.text for heading in note.headings if heading.level == level)
            for level in (1, 2, 3)
        },
    }


if __name__ == "__main__":
    main()
