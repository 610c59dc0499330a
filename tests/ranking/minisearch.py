"""Measures MiniSearch, set up as the Obsidian plugin Omnisearch sets it up, on the sets of the ranking table.

Run: npm install minisearch, then
     python tests/ranking/minisearch.py FOLDER tests/bench/runs/DATE-minisearch.json [COLLECTION ...]

FOLDER has `node_modules`. Omnisearch itself runs only inside Obsidian, so this is a stand-in: `minisearch.mjs` says
what it has in common with the plugin and what it lacks. The figures are written to a run file, see `tests/bench/runs`.
"""

import argparse
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from judged import load, notes_of, query_sets, shared_folder

from search.ids import NoteId
from search.vault.markdown import parse_note

COLLECTIONS = ("cranfield", "cacm", "vaults/obsidian-tasks", "vaults/dendron-site", "vaults/cpp-docs")
NOTE = (
    "A stand-in for Omnisearch, which runs only inside Obsidian: its engine, MiniSearch, with Omnisearch's fields, "
    "weights, prefixes, spelling tolerance and rule that all words must match, as in its source; without its filters. "
    "Written by tests/ranking/minisearch.py."
)


def main() -> None:
    """Measure the collections and write the run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="where `npm install minisearch` was run")
    parser.add_argument("file", type=Path)
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for collection in options.collections:
        figures |= measure(collection, options.folder)
    version = json.loads((Path(options.folder) / "node_modules/minisearch/package.json").read_text())["version"]
    run = {
        "script": "minisearch",
        "date": datetime.now(UTC).date().isoformat(),
        "note": NOTE,
        "versions": {"minisearch": version},
        "figures": figures,
    }
    options.file.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


def measure(collection: str, folder: str) -> dict[str, dict[str, float]]:
    """The figures of each set of a collection, 0..1."""
    shared = shared_folder()
    scorer, root = load(shared, "score"), notes_of(shared, collection)
    notes = [_fields(file, root) for file in sorted(root.rglob("*.md"))]
    found = {}
    for queries in query_sets(shared, collection):
        texts = {id_: queries.texts[id_] for id_ in queries.qrels}
        ran = subprocess.run(
            ["node", str(Path(__file__).with_suffix(".mjs")), folder],
            input=json.dumps({"notes": notes, "queries": texts}),
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        run = {id_: [scorer.name(note) for note in hits] for id_, hits in json.loads(ran.stdout).items()}
        scores = queries.score(run, scorer)
        found[queries.label] = {
            "notes": len(notes),
            "queries": len(texts),
            "queries_without_result": sum(not hits for hits in run.values()),
            "ndcg_at_10": round(scores.ndcg, 4),
            "mrr_at_10": round(scores.mrr, 4),
            "recall_at_100": round(scores.recall, 4),
        }
        print(queries.label, found[queries.label], flush=True)
    return found


def _fields(file: Path, root: Path) -> dict[str, object]:
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
