"""Related notes, measured: links are hidden in copies of real vaults, and each hidden target should be found again.

Run: python tests/ranking/related_links.py [--write] [VAULT ...]

A hidden link is deleted together with the text that it shows, and its source is asked for related notes that are not
linked. Only links that are the one connection between two notes count. Without `--write` the table is printed.

The notes' vectors are those of `snapshot.py`; only the notes that lost a link are embedded again. Vaults without a
snapshot are measured by words alone.
"""

import argparse
import math
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from attrs import frozen
from judged import CACHE, NOTES_ONLY, notes_of, shared_folder
from snapshot import EMBEDDED, unpack

from search.cache.folder import path_in_cache
from search.engine import Engine, open_engine
from search.ids import NoteId
from search.query import Mode
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vault.note import Link, LinkKind, Note
from search.vault.spans import Span, spans_on

TABLE = Path(__file__).with_name("RELATED.md")
VAULTS = ("vaults/obsidian-tasks", "vaults/foam", "vaults/dendron-site", "vaults/silverbullet")
WITH_VECTORS, BY_WORDS = "ours, with vectors", "ours, by words"
MEAN, BEST_PAIR, BM25, ADAMIC_ADAR = "mean of chunk vectors", "best pair of chunks", "BM25, 25 terms", "Adamic-Adar"
SYSTEMS = (WITH_VECTORS, BY_WORDS, MEAN, BEST_PAIR, BM25, ADAMIC_ADAR)
N_LINKS = 80  # of each vault, if it has so many
_N_FOUND = 100  # results that are looked at
_HEAD = """# Related notes, measured

Each cell: MRR of the hidden targets, the share of them in the first 5, the share in the first 10. Written by
`python tests/ranking/related_links.py --write`; a test compares a fresh run with it.

Links are hidden in a copy of each vault: in up to 80 notes, one link is deleted together with the text that it shows.
Then the note is asked for related notes, and the rank of the link's target among those that are not linked counts.
Only links that are the one connection between two notes are hidden.

Next to ours: the cosine of the notes' mean vectors, the best cosine of two of their chunks, BM25 (k1 1.2, b .75) of the
note's 25 best words, and Adamic-Adar over the links.
The best MRR of each column is bold.
"""

Ranked = Callable[[NoteId], Sequence[NoteId]]  # all notes by similarity to a note, best first
Row = Mapping[str, "Found"]


@frozen
class Found:
    """How well hidden targets were found, each 0..1."""

    mrr: float
    in_5: float
    in_10: float

    @classmethod
    def of(cls, ranks: Sequence[int | None]) -> "Found":
        """The figures of some ranks, counted from 1; None for a target that was not found."""
        found = [rank for rank in ranks if rank is not None]
        shares = [sum(rank <= n for rank in found) / len(ranks) for n in (5, 10)]
        return cls(sum(1.0 / rank for rank in found) / len(ranks), *shares)

    def __str__(self) -> str:
        """The figures as a cell of the table."""
        return f"{self.mrr:.3f} {self.in_5:.2f} {self.in_10:.2f}"


@frozen(kw_only=True)
class Hidden:
    """A vault in which links are hidden. `links` has the target of each source's hidden link. The caller closes it."""

    engine: Engine
    links: Mapping[NoteId, NoteId]
    has_vectors: bool

    def measure(self, ranked: Ranked) -> Found:
        """How well a ranking of notes finds the hidden targets."""
        index = self.engine.indexer.corpus.links
        ranks = []
        for source, target in self.links.items():
            linked = {*index.outlinks(source), *index.backlinks(source), source}
            open_ = [note for note in ranked(source) if note not in linked]
            ranks.append(open_.index(target) + 1 if target in open_ else None)
        return Found.of(ranks)

    def ours(self, mode: Mode) -> Found:
        """How well related notes find the hidden targets."""

        def ranked(source: NoteId) -> list[NoteId]:
            answer = self.engine.related(source, limit=_N_FOUND + len(self.links), mode=mode)
            return [item.found.hit.id for item in answer.notes if not item.is_linked][:_N_FOUND]

        return self.measure(ranked)


def hide(shared: Path, collection: str, *, is_embedded: bool) -> Hidden:
    """A copy of a vault with hidden links; with `is_embedded` all its notes get vectors."""
    original = notes_of(shared, collection)
    engine = Engine(original, Settings(vault=NOTES_ONLY))
    engine.refresh()
    chosen = _chosen(engine)
    texts = {source: _without(engine, source, span) for source, (_, span) in chosen.items()}
    engine.close()
    root, folder = CACHE / "hidden" / collection, CACHE / "hidden" / "vectors"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(original, root)
    for source, text in texts.items():
        times = (root / source).stat()
        (root / source).write_text(text, "utf-8", newline="")
        os.utime(root / source, ns=(times.st_atime_ns, times.st_mtime_ns))
    if is_embedded:
        unpack(collection, path_in_cache(folder, root))
    indexing = Indexing(folder=str(folder), in_background=False)
    copy = open_engine(root, Settings(indexing=indexing, vault=NOTES_ONLY, n_snippets=1))
    copy.refresh()
    if is_embedded:
        copy.maintenance().update()
    return Hidden(
        engine=copy, links={source: target for source, (target, _) in chosen.items()}, has_vectors=is_embedded
    )


def _chosen(engine: Engine) -> dict[NoteId, tuple[NoteId, Span]]:
    """Up to `N_LINKS` notes, each with the target and the place of the link to hide; chosen by a hash of names."""
    index, found = engine.indexer.corpus.links, {}
    for note in engine.indexer.corpus.notes.values():
        targets = Counter(index.resolve(note.id, link.target) for link in note.links)
        once = {
            target: link
            for link in note.links
            if (target := index.resolve(note.id, link.target)) is not None
            and targets[target] == 1
            and target != note.id
            and note.id not in index.outlinks(target)
            and link.kind in {LinkKind.WIKI, LinkKind.MARKDOWN}
            and link.line >= note.body_line
        }
        for target in sorted(once, key=lambda target: _hash(f"{note.id} {target}")):
            if span := _span_of(engine, note, once[target]):
                found[note.id] = (target, span)
                break
    return {id_: found[id_] for id_ in sorted(found, key=_hash)[:N_LINKS]}


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def _span_of(engine: Engine, note: Note, link: Link) -> Span | None:
    lines = engine.indexer.vault.text(note.id).split("\n")
    return next((span for span in spans_on(note, lines, [link.line]) if span.link == link), None)


def _without(engine: Engine, note: NoteId, span: Span) -> str:
    """The note's text without a link and the text that it shows."""
    lines = engine.indexer.vault.text(note).split("\n")
    line = lines[span.line]
    lines[span.line] = line[: span.start] + line[span.end :]
    return "\n".join(lines)


def measure(shared: Path, collection: str, systems: Iterable[str] = SYSTEMS) -> Row:
    """The figures of one vault, by system; without vectors only those of the systems that need none."""
    systems = [name for name in systems if collection in EMBEDDED or name not in {WITH_VECTORS, MEAN, BEST_PAIR}]
    hidden = hide(shared, collection, is_embedded=not {WITH_VECTORS, MEAN, BEST_PAIR}.isdisjoint(systems))
    measures: dict[str, Callable[[], Found]] = {
        WITH_VECTORS: lambda: hidden.ours(Mode.HYBRID),
        BY_WORDS: lambda: hidden.ours(Mode.KEYWORD),
        MEAN: lambda: hidden.measure(by_vectors(hidden.engine, is_mean=True)),
        BEST_PAIR: lambda: hidden.measure(by_vectors(hidden.engine, is_mean=False)),
        BM25: lambda: hidden.measure(by_bm25(hidden.engine)),
        ADAMIC_ADAR: lambda: hidden.measure(by_links(hidden.engine)),
    }
    found = {name: measures[name]() for name in systems}
    hidden.engine.close()
    return found


# The other systems


def by_vectors(engine: Engine, *, is_mean: bool) -> Ranked:
    """By the cosine of mean vectors, or by the best cosine of two chunks."""
    assert engine.semantic is not None
    view = engine.semantic._vectors.view()
    names = sorted(view.notes)
    vectors = {}
    for name in names:
        parts = np.array([view.mean(np.array([row])) for row in view.rows_of([name]).tolist()])
        mean = parts.mean(axis=0)
        vectors[name] = (mean / (np.linalg.norm(mean) or 1.0))[None] if is_mean else parts

    def ranked(source: NoteId) -> list[NoteId]:
        own = vectors.get(source)
        if own is None:
            return []
        cosines = {name: float((own @ vectors[name].T).max()) for name in names}
        return sorted(names, key=lambda name: (-cosines[name], name))

    return ranked


def by_bm25(engine: Engine, *, n_terms: int = 25, k1: float = 1.2, b: float = 0.75) -> Ranked:
    """By BM25 of the note's words with the highest tf * idf."""
    vault = engine.indexer.vault
    counts = {id_: Counter(re.findall(r"[^\W\d_]{2,}", vault.text(id_).casefold())) for id_ in vault.notes}
    df = Counter(word for found in counts.values() for word in found)
    idf = {word: math.log(1.0 + (len(counts) - n + 0.5) / (n + 0.5)) for word, n in df.items()}
    lengths = {id_: found.total() for id_, found in counts.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))

    def ranked(source: NoteId) -> list[NoteId]:
        own = counts[source]
        terms = sorted(own, key=lambda word: (-own[word] * idf[word], word))[:n_terms]
        scores = {
            id_: sum(
                idf[word] * tf * (k1 + 1.0) / (tf + k1 * (1.0 - b + b * lengths[id_] / mean))
                for word in terms
                if (tf := found[word])
            )
            for id_, found in counts.items()
        }
        return sorted((id_ for id_ in scores if scores[id_]), key=lambda id_: (-scores[id_], id_))

    return ranked


def by_links(engine: Engine) -> Ranked:
    """By Adamic-Adar: the sum over common neighbours of 1 / ln(number of their neighbours)."""
    index, notes = engine.indexer.corpus.links, engine.indexer.corpus.notes
    around = {id_: {*index.outlinks(id_), *index.backlinks(id_)} for id_ in notes}

    def ranked(source: NoteId) -> list[NoteId]:
        scores = defaultdict[NoteId, float](float)
        for between in around[source]:
            for other in around[between]:
                scores[other] += 1.0 / math.log(max(2, len(around[between])))
        return sorted(scores, key=lambda id_: (-scores[id_], id_))

    return ranked


# The table


def as_table(columns: Mapping[str, Row], n_links: Mapping[str, int]) -> str:
    """The figures in Markdown: a line for each system, a column for each vault."""
    names = [f"{collection.removeprefix('vaults/')}, {n_links[collection]} links" for collection in columns]
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    best = {collection: max(found.mrr for found in row.values()) for collection, row in columns.items()}
    for system in SYSTEMS:
        cells = []
        for collection, row in columns.items():
            cell = str(row[system]) if system in row else ""
            is_best = system in row and row[system].mrr == best[collection]
            cells.append(f"**{cell[:5]}**{cell[5:]}" if is_best else cell)
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def committed() -> Mapping[str, Row]:
    """The figures of the committed table: vault -> system -> figures."""
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in TABLE.read_text("utf-8").replace("*", "").splitlines()
        if line.startswith("|")
    ]
    names = [cell.partition(",")[0] for cell in lines[0][1:]]
    rows = {
        name: {line[0]: Found(*map(float, line[at].split())) for line in lines[2:] if line[at]}
        for at, name in enumerate(names, start=1)
    }
    return {f"vaults/{name}": row for name, row in rows.items()}


def main() -> None:
    """Measure the vaults named on the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("vaults", nargs="*", default=VAULTS)
    arguments.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    asked = arguments.parse_args()
    columns, n_links = {}, {}
    for collection in asked.vaults:
        columns[collection] = measure(asked.shared, collection)
        engine = Engine(notes_of(asked.shared, collection), Settings(vault=NOTES_ONLY))
        engine.refresh()
        n_links[collection] = len(_chosen(engine))
        engine.close()
    table = as_table(columns, n_links)
    if asked.write:
        TABLE.write_text(table, "utf-8")
    else:
        print(table)


if __name__ == "__main__":
    main()
