"""How far the strength of the first result can be trusted, over the questions of five vaults.

Run: python tests/ranking/reliability.py [--write]

Prints the tables of RELIABILITY.md: in ten bins of strength, how often the first note is right; and how many queries
are answered with nothing or with weak results only, for questions that the vault answers, for those of a vault of
another subject, and for words that mean nothing.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from attrs import frozen
from hybrid import open_hybrid
from judged import QUESTIONED, load, query_sets, shared_folder

from search.answer.strength import WEAK
from search.query import Mode, Query

TABLE = Path(__file__).with_name("RELIABILITY.md")
MODES = (Mode.KEYWORD, Mode.HYBRID)
OWN, FOREIGN, GIBBERISH = "answered by the vault", "of a vault of another subject", "words that mean nothing"
_ANOTHER_SUBJECT = "vaults/tts-handbook"  # of an office; the others document programs for notes
_N_FOREIGN = 100
_GIBBERISH = ("frotz gnusto", "xyzzy plugh", "qwlkj sdfgh", "brillig slithy toves", "how do I frobnicate the quux")
_HEAD = """# Strength, measured

Written by `python tests/ranking/reliability.py --write`, over the 130 questions of QUESTIONS.md. A first note is right
if it has any label; the labels are not complete, so some notes that count as wrong answer the question too. The
questions of a vault of another subject are a sample of 100: some of them ("what's new", "how do I get help") have an
answer in any vault, and their words stand in each. So a low strength is a good reason to doubt a result, and a high one
says that the note has the words or the meaning of the query, not that it answers it.
"""


@frozen
class Asked:
    """One query as it was answered: the best strength of the first three results, and of the first one."""

    kind: str
    mode: Mode
    first: float
    is_right: bool
    is_weak: bool  # or without any result


def measure(shared: Path) -> Iterator[Asked]:
    """Ask each vault its own questions, those of another subject, and words that mean nothing, in both modes."""
    sets = {
        name: next(queries for queries in query_sets(shared, name) if queries.name == "questions")
        for name in QUESTIONED
    }
    pairs = [
        (name, text)
        for name in QUESTIONED
        for other in QUESTIONED
        if (name == _ANOTHER_SUBJECT) != (other == _ANOTHER_SUBJECT)
        for text in map(sets[other].texts.__getitem__, sets[other].qrels)
    ]
    foreign = Random(1).sample(pairs, _N_FOREIGN)  # noqa: S311 not for secrets
    short_name = load(shared, "score").name
    for name, queries in sets.items():
        hybrid = open_hybrid(shared, name)
        asked = [(OWN, queries.texts[id_], labels) for id_, labels in queries.qrels.items()]
        asked += [(FOREIGN, text, {}) for vault, text in foreign if vault == name]
        asked += [(GIBBERISH, text, {}) for text in _GIBBERISH]
        for kind, text, labels in asked:
            for mode in MODES:
                hits = hybrid.engine.search(Query(text=text, limit=3, mode=mode)).hits
                yield Asked(
                    kind,
                    mode,
                    (hits[0].strength or 0.0) if hits else 0.0,
                    bool(hits) and labels.get(short_name(hits[0].hit.id), 0) > 0,
                    all(hit.strength_level == WEAK for hit in hits),
                )
        hybrid.engine.close()


def render(queries: Sequence[Asked]) -> str:
    """Both tables as Markdown."""
    heads = [f"{mode.value}: questions | first note right" for mode in MODES]
    lines = [_HEAD, f"| strength of the first | {' | '.join(heads)} |", "|---|--:|--:|--:|--:|"]
    for at in range(10):
        cells = []
        for mode in MODES:
            inside = [
                one.is_right
                for one in queries
                if (one.kind, one.mode) == (OWN, mode) and min(int(one.first * 10), 9) == at
            ]
            cells += [str(len(inside)), f"{fmean(inside):.2f}" if inside else ""]
        lines.append(f"| {at / 10:.1f} to {(at + 1) / 10:.1f} | {' | '.join(cells)} |")
    lines += ["", f"| nothing or weak | queries | {' | '.join(mode.value for mode in MODES)} |", "|---|--:|--:|--:|"]
    for kind in (OWN, FOREIGN, GIBBERISH):
        weak = [[one.is_weak for one in queries if (one.kind, one.mode) == (kind, mode)] for mode in MODES]
        lines.append(f"| {kind} | {len(weak[0])} | {' | '.join(f'{fmean(found):.1%}' for found in weak)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure all vaults and print or write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    found = render(list(measure(asked.shared)))
    if asked.write:
        TABLE.write_text(found, encoding="utf-8")
    print(found)


if __name__ == "__main__":
    main()
