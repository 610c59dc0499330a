"""Whether files next to the notes change what a search for notes finds: figures of judged vaults, with and without.

Run: python tests/ranking/attachments.py [--write] [--hybrid VAULT ...] [VAULT ...]

A copy of a vault gets a folder of files made of the notes' own words, so that they compete for every query: PDFs whose
pages are paragraphs of random notes, canvases with such cards, images with a sentence as caption, and images without
text. For each set of queries three rankings are measured, the first 100 of each: that of the notes alone, the notes of
the ranking with all files, and that ranking itself, in which no file is a right answer. With `--write`, the table
becomes ATTACHMENTS.md.
"""

import argparse
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

sys.path.insert(1, str(Path(__file__).parents[1]))

from attrs import frozen
from hybrid import Hybrid
from judged import CACHE, NOTES_ONLY, QuerySet, Scores, as_words, load, notes_of, query_sets, request_for, shared_folder
from kit.attachments import pdf
from kit.pictures import jpeg, xmp
from snapshot import unpack

from search.cache.folder import path_in_cache
from search.engine import Engine, open_engine
from search.ids import NoteId, is_note
from search.query import Query
from search.ranking.rank import rank
from search.semantic.settings import AutoIndex, Indexing
from search.settings import MODELS, Settings
from search.vault.settings import VaultSettings

TABLE = Path(__file__).with_name("ATTACHMENTS.md")
VAULTS = ("vaults/foam", "vaults/obsidian-tasks", "vaults/silverbullet")
HYBRID = ("vaults/foam",)
FOLDER = "files next to the notes"
_PDF_EVERY, _CANVAS_EVERY, _CAPTION_EVERY, _PICTURE_EVERY = 5, 5, 4, 2  # of the notes, one file each
_N_PAGES, _ON_PAGE, _N_CARDS = 5, 6, 10  # paragraphs
_DEPTH = 100  # the maximum limit of a query
_WORD = re.compile(r"\w{3,}")
_HEAD = """\
# Files next to notes

Each cell: nDCG@10, MRR@10, recall@100, as in `TABLE.md`. Written by `python tests/ranking/attachments.py --write`.
Next to the notes of each vault are PDFs, canvases and images with captions, all made of paragraphs of random notes, and
images without text; `attachments.py` says how many. "Notes among all" are the first 100 notes of the ranking with all
files, in its order; in "all", the first 100 hits, these files are there, and none is a right answer. "Moved" counts the
queries whose first note is another one than without the files.

| set | ranking | notes | files | notes alone | notes among all | all | moved |
|---|---|--:|--:|---|---|---|--:|
"""


Ranked = Callable[[str], Sequence[NoteId]]
"""The whole ranking for the text of a query."""


@frozen(kw_only=True)
class Row:
    """The figures of one set of queries."""

    label: str
    ranking: str
    n_notes: int
    n_files: int
    alone: Scores
    among: Scores
    everything: Scores
    n_moved: int
    n_queries: int

    def __str__(self) -> str:
        """The line of the table."""
        cells = (self.label, self.ranking, self.n_notes, self.n_files, self.alone, self.among, self.everything)
        return f"| {' | '.join(map(str, cells))} | {self.n_moved} of {self.n_queries} |"


def add_files(root: Path) -> int:
    """Write the files next to the notes in `root`; returns how many."""
    notes = sorted(root.rglob("*.md"))
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in notes]
    paragraphs = [part.strip() for text in texts for part in text.split("\n\n") if len(_WORD.findall(part)) > 5]
    source, folder = random.Random(5), root / FOLDER  # noqa: S311 - the same files on every run
    folder.mkdir()
    files: dict[str, bytes] = {}
    for number in range(len(notes)):
        if number % _PDF_EVERY == 0:
            pages = ["\n\n".join(source.choices(paragraphs, k=_ON_PAGE)) for _ in range(_N_PAGES)]
            files[f"paper {number}.pdf"] = pdf(*pages)
        if number % _CANVAS_EVERY == 1:
            cards = [
                {"id": str(at), "type": "text", "text": text}
                for at, text in enumerate(source.choices(paragraphs, k=_N_CARDS))
            ]
            files[f"board {number}.canvas"] = json.dumps({"nodes": cards}).encode()
        if number % _CAPTION_EVERY == 2:
            caption = " ".join(_WORD.findall(source.choice(paragraphs))[:20])
            files[f"IMG_{number}.jpg"] = jpeg(xmp=xmp(dc_description=caption))
        if number % _PICTURE_EVERY == 1:
            files[f"Pasted image {number}.jpg"] = jpeg(noise=number.to_bytes(4, "big"))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return len(files)


def settled(engine: Engine) -> Engine:
    """The engine, when it has read all files."""
    engine.refresh()
    engine.indexer.extraction.wait()
    return engine


def notes_in(ids: Iterable[NoteId]) -> list[NoteId]:
    """The notes of a ranking with other files."""
    return [id_ for id_ in ids if is_note(id_)]


def ranked_by_words(engine: Engine, text: str) -> list[NoteId]:
    """The whole ranking for a query by words."""
    request = request_for(engine, Query(text=text, limit=_DEPTH), as_words(text))
    return [hit.id for hit in rank(request, engine.indexer.corpus).ranking]


def ranked_by_both(hybrid: Hybrid, text: str) -> list[NoteId]:
    """The whole ranking for a query by words and meaning."""
    return [hit.id for hit in hybrid.ranking(hybrid.look_up(text, as_words))]


def compare(
    queries: QuerySet, ranking: str, ranked: tuple[Ranked, Ranked], counts: tuple[int, int], scorer: ModuleType
) -> Row:
    """The figures of two ways to rank: the notes alone, and with files."""
    found = [{query: ranks(queries.texts[query]) for query in queries.qrels} for ranks in ranked]
    alone, everything, among = (
        {query: [scorer.name(id_) for id_ in kept(ids)[:_DEPTH]] for query, ids in run.items()}
        for run, kept in ((found[0], list), (found[1], list), (found[1], notes_in))
    )
    return Row(
        label=queries.label,
        ranking=ranking,
        n_notes=counts[0],
        n_files=counts[1],
        alone=queries.score(alone, scorer),
        among=queries.score(among, scorer),
        everything=queries.score(everything, scorer),
        n_moved=sum(alone[query][:1] != among[query][:1] for query in alone),
        n_queries=len(alone),
    )


def counts_of(notes: Engine, both: Engine) -> tuple[int, int]:
    """How many notes there are, and how many other files."""
    n_notes = len(notes.indexer.corpus.notes)
    return n_notes, len(both.indexer.corpus.notes) - n_notes


def by_words(shared: Path, collection: str) -> Iterator[Row]:
    """The figures of a vault by words."""
    scorer = load(shared, "score")
    with TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        shutil.copytree(notes_of(shared, collection), root)
        notes = settled(Engine(root, settings=Settings(vault=NOTES_ONLY)))
        add_files(root)
        both = settled(Engine(root, settings=Settings(vault=VaultSettings())))
        ranked = partial(ranked_by_words, notes), partial(ranked_by_words, both)
        for queries in query_sets(shared, collection):
            yield compare(queries, "words", ranked, counts_of(notes, both), scorer)
        notes.close()
        both.close()


def by_both(shared: Path, collection: str) -> Iterator[Row]:
    """The figures of a vault by words and meaning, with all texts of notes and files embedded."""
    scorer = load(shared, "score")
    with TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        shutil.copytree(notes_of(shared, collection), root)
        notes = _hybrid(root, collection, Path(folder) / "vectors of notes", NOTES_ONLY)
        add_files(root)
        both = _hybrid(root, collection, Path(folder) / "vectors", VaultSettings())
        settled(both.engine)
        both.engine.maintenance().update()
        ranked = partial(ranked_by_both, notes), partial(ranked_by_both, both)
        for queries in query_sets(shared, collection):
            yield compare(queries, "hybrid", ranked, counts_of(notes.engine, both.engine), scorer)
        notes.engine.close()
        both.engine.close()


def _hybrid(root: Path, collection: str, vectors: Path, files: VaultSettings) -> Hybrid:
    unpack(collection, path_in_cache(vectors, root))
    indexing = Indexing(folder=str(vectors), auto_index=AutoIndex.NEVER, in_background=False)
    return Hybrid(open_engine(root, Settings(embedding_model=MODELS[1], indexing=indexing, vault=files)))


def main() -> None:
    """Print the table, or write it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("vaults", nargs="*", default=VAULTS)
    arguments.add_argument("--hybrid", nargs="*", default=HYBRID)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    CACHE.mkdir(exist_ok=True)
    rows = []
    for measure, collections in ((by_words, asked.vaults), (by_both, asked.hybrid)):
        for collection in collections:
            for row in measure(asked.shared, collection):
                rows.append(row)
                print(row, flush=True)
    if asked.write:
        TABLE.write_text(_HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
