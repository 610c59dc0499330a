"""How well misspelt queries find their note. Each query gets one random edit in one word, seeded by the query.

Run: PYTHONPATH=. python tests/ranking/misspelt.py vaults/foam vaults/obsidian-tasks

Prints, for each set, MRR@10 of the original queries, of the misspelt ones without correction, and of the misspelt ones
with correction. The edit (a letter left out, doubled, replaced or exchanged with the next one) is made in a word of at
least four letters; queries without such a word are left out.
"""

import argparse
import random
import re
from pathlib import Path

from attrs import evolve
from judged import NOTES_ONLY, as_words, load, notes_of, ours, query_sets, shared_folder

from search.engine import Engine
from search.index.spelling import Typos
from search.settings import Settings

_WORD = re.compile(r"[^\W\d_]{4,}")


def misspelt(text: str) -> str:
    """The text with one edit in one of its words; unchanged if no word is long enough."""
    chance = random.Random(text)  # noqa: S311 - no secret
    words = list(_WORD.finditer(text))
    if not words:
        return text
    word = chance.choice(words)
    at = chance.randrange(word.start(), word.end() - 1)
    one, two = text[at], text[at + 1]
    edits = [two, one + one + two, chance.choice("abcdefghijklmnopqrstuvwxyz") + two]
    edits += [two + one] if one != two else []
    return text[:at] + chance.choice(edits) + text[at + 2 :]


def measure(shared: Path, collection: str) -> list[str]:
    """A line of the table for each set of the collection."""
    scorer = load(shared, "score")
    engine = Engine(notes_of(shared, collection), Settings(vault=NOTES_ONLY))
    engine.refresh()
    corrected = engine.settings
    plain = evolve(corrected, pipeline=evolve(corrected.pipeline, typos=Typos(weight=0.0)))
    lines = []
    for queries in query_sets(shared, collection):
        kept = {
            id_: found for id_, found in queries.qrels.items() if misspelt(queries.texts[id_]) != queries.texts[id_]
        }
        right = evolve(queries, qrels=kept)
        wrong = evolve(right, texts={id_: misspelt(queries.texts[id_]) for id_ in kept})
        figures = []
        for settings, asked in ((corrected, right), (plain, wrong), (corrected, wrong)):
            engine.settings = settings
            figures.append(f"{asked.score(ours(engine, asked, scorer, as_words), scorer).mrr:.3f}")
        lines.append(f"| {queries.label} | {len(kept)} | {' | '.join(figures)} |")
    engine.close()
    return lines


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collections", nargs="+")
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    print("| set | queries | as they are | misspelt | misspelt, corrected |\n|---|--:|--:|--:|--:|")
    for collection in asked.collections:
        print("\n".join(measure(asked.shared, collection)), flush=True)


if __name__ == "__main__":
    main()
