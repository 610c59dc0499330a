"""Contexts, measured: how often a right note is in a text of a thousand to four thousand tokens.

Run: python tests/ranking/context_table.py [--write] [--missed]

Prints the table of CONTEXT.md; `--missed` prints, instead, each question whose right notes are in no context of 4,000
tokens. A note is right if it has any label, and it is in a context if any of its text is.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from attrs import frozen
from hybrid import Hybrid, open_hybrid
from judged import QUESTIONED, QuerySet, load, query_sets, shared_folder
from sweep import sampled

from search.analysis.token_estimate import estimate_tokens
from search.budget import UNLIMITED
from search.ids import NoteId
from search.query import Mode, Query

TABLE = Path(__file__).with_name("CONTEXT.md")
BUDGETS = (1_000, 2_000, 4_000)
PASSAGES, BY_WORDS, WHOLE, CHUNKS = "ours", "ours, by words", "whole notes", "chunks by cosine"
SYSTEMS = (PASSAGES, BY_WORDS, WHOLE, CHUNKS)
COLLECTIONS = (*QUESTIONED, "cranfield", "cacm", "adi")
_N_NOTES = 30
_N_CHUNKS = 200
_N_JUDGED = 40  # queries of a judged collection
_HEAD = """# Contexts, measured

`vaultseek context` over the natural questions of five vaults and 40 queries each of three judged collections. Each
cell: the share of questions that have a right note in a context of 1,000, 2,000 and 4,000 tokens, as estimated. Written
by `python tests/ranking/context_table.py --write`.

- **ours** chooses passages as the command does, with all vectors; **by words** without any.
- **whole notes** puts the notes of the same search one after the other, and cuts the last one where the budget ends.
- **chunks by cosine** are those that have vectors (at most 256 word pieces, cut at headings and paragraphs), the
  nearest first, whatever note they are from.

Other ways to choose, over all 130 questions of the vaults. A passage's share of the best score in its note is
multiplied by a power of the note's rank, and doubled for the best passage of a note, or not:

| tokens of a passage | rank^-0.5 | rank^-0.3, as built | rank^-0.3, nothing doubled |
|--:|---|---|---|
| 120 | .92 .92 .95 | .92 .95 .97 | .85 .91 .92 |
| 200 | .89 .92 .95 | .91 .93 .96 | .84 .90 .93 |
| 300 | .88 .92 .94 | .88 .92 .95 | .79 .88 .92 |

Passages of 120 tokens find a little more and tell less; as built, they grow with the budget, up to 240.

All have the same headers and count tokens in the same way. The last two columns are what a context of ours of 4,000
tokens has: the number of notes, and the tokens. A difference of less than .04 over all questions means little.
"""


@frozen(kw_only=True)
class Measured:
    """One question: for each system and budget, whether a right note is in the context; and what the largest has."""

    found: Mapping[tuple[str, int], bool]
    n_notes: int
    n_tokens: int


def whole_notes(hybrid: Hybrid, ranked: Sequence[NoteId], n_tokens: int) -> list[NoteId]:
    """The notes of which a context of whole notes has something."""
    taken: list[NoteId] = []
    used = 0
    for note in ranked:
        if used >= n_tokens:
            break
        taken.append(note)
        used += estimate_tokens(f"[{len(taken)}] {note}:1\n{hybrid.engine.indexer.vault.text(note)}\n\n")
    return taken


def chunks_by_cosine(hybrid: Hybrid, text: str) -> Iterator[tuple[NoteId, int]]:
    """The notes of the chunks nearest to a question, the nearest chunk first, each with the tokens of the chunk."""
    vector, _ = hybrid.semantic.embed_query(text, is_chosen=True)
    if vector is None:
        return
    vault = hybrid.engine.indexer.vault
    near = hybrid.semantic.passages_near(vector, tuple(vault.notes), budget=UNLIMITED)
    every = sorted((-one.cosine, note, one.lines) for note, found in near.items() for one in found)
    for _, note, (first, end) in every[:_N_CHUNKS]:
        lines = vault.text(note).split("\n")[first:end]
        yield note, estimate_tokens("\n".join([f"[1] {note}:{first + 1}", *lines, "", ""]))


def within(chunks: Iterable[tuple[NoteId, int]], n_tokens: int) -> list[NoteId]:
    """The notes of the chunks that fit."""
    taken: list[NoteId] = []
    for note, cost in chunks:
        n_tokens -= cost
        if n_tokens < 0:
            break
        taken.append(note)
    return taken


def measure(shared: Path, collection: str) -> tuple[QuerySet, list[Measured]]:
    """A collection's questions, each measured."""
    scorer = load(shared, "score")
    queries = next(one for one in query_sets(shared, collection) if one.name in ("questions", "judged"))
    if collection not in QUESTIONED:
        queries = sampled(queries, _N_JUDGED)
    hybrid = open_hybrid(shared, collection)
    rows = []
    for id_, labels in queries.qrels.items():
        text = queries.texts[id_]
        right = {note for note, label in labels.items() if label > 0}
        chunks = list(chunks_by_cosine(hybrid, text))
        whole = Query(text=text, mode=Mode.HYBRID, limit=_N_NOTES)
        ranked = [found.hit.id for found in hybrid.engine.search(whole).hits]
        found = {}
        largest = None
        for n_tokens in BUDGETS:
            largest = hybrid.engine.context(whole, max_tokens=n_tokens)
            by_words = hybrid.engine.context(Query(text=text, mode=Mode.KEYWORD), max_tokens=n_tokens)
            notes = {
                PASSAGES: [passage.note for passage in largest.passages],
                BY_WORDS: [passage.note for passage in by_words.passages],
                WHOLE: whole_notes(hybrid, ranked, n_tokens),
                CHUNKS: within(chunks, n_tokens),
            }
            found |= {
                (system, n_tokens): any(scorer.name(note) in right for note in taken) for system, taken in notes.items()
            }
        assert largest is not None
        rows.append(Measured(found=found, n_notes=largest.n_notes, n_tokens=largest.n_tokens))
    hybrid.engine.close()
    return queries, rows


def row(name: str, questions: Sequence[Measured]) -> str:
    """A line of the table."""
    shares = (
        " ".join(f"{fmean(one.found[system, n] for one in questions):.2f}" for n in BUDGETS) for system in SYSTEMS
    )
    notes, tokens = fmean(one.n_notes for one in questions), fmean(one.n_tokens for one in questions)
    cells = " | ".join(shares)
    return f"| {name.removeprefix('vaults/')} | {len(questions)} | {cells} | {notes:.1f} | {tokens:,.0f} |"


def main() -> None:
    """Measure all collections and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--missed", action="store_true")
    asked = arguments.parse_args()
    lines = [
        _HEAD,
        f"| notes | questions | {' | '.join(SYSTEMS)} | notes in 4,000 | tokens |",
        f"|---|--:|{'---|' * len(SYSTEMS)}--:|--:|",
    ]
    of_vaults: list[Measured] = []
    for collection in COLLECTIONS:
        queries, rows = measure(asked.shared, collection)
        of_vaults += rows if collection in QUESTIONED else []
        lines.append(row(collection, rows))
        print(lines[-1], flush=True)
        if asked.missed:
            for id_, one in zip(queries.qrels, rows, strict=True):
                if not one.found[PASSAGES, BUDGETS[-1]]:
                    print("  missed:", queries.texts[id_], dict(queries.qrels[id_]))
    lines.append(row("all five vaults", of_vaults))
    print(lines[-1])
    if asked.write:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
