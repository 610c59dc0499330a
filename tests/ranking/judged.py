"""Judged collections and real vaults as data: their notes, their queries and the right answers.

An archive is unpacked once, into `.ranking-cache` in the project's root; a plain folder is read where it is. Scores
come from the collections' own scorer, so that our figures and a peer's are comparable.
"""

import importlib.util
import os
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import zstandard
from attrs import evolve, frozen

from search.budget import UNLIMITED
from search.engine import Engine
from search.execution.request import resolve, with_named, with_signs
from search.filters.allowed import allowed_notes
from search.query import ParsedQuery, Query, RankedTerm
from search.ranking.rank import rank
from search.ranking.request import Request
from search.syntax import parse
from search.vault.settings import VaultSettings

CACHE = Path(__file__).parents[2] / ".ranking-cache"
MEASURES = ("nDCG@10", "MRR@10", "recall@100")
JUDGED = ("cranfield", "cacm", "lisa", "adi", "jaquad", "drcd")
VAULTS = (
    "vaults/cpp-docs",
    "vaults/dendron-site",
    "vaults/obsidian-tasks",
    "vaults/foam",
    "vaults/silverbullet",
    "vaults/tts-handbook",
)
QUESTIONED = tuple(vault for vault in VAULTS if vault != "vaults/cpp-docs")  # have natural questions
UNJUDGED = ("vaults/kepano", "vaults/tldr")
_DEPTH = 100  # the maximum limit of a query

Read = Callable[[str], ParsedQuery]
Run = Mapping[str, Sequence[str]]  # query -> notes' names, best first


@frozen(kw_only=True)
class Scores:
    """Means over the judged queries, each 0..1."""

    ndcg: float
    mrr: float
    recall: float

    def __str__(self) -> str:
        """The three means as a cell of the table."""
        return f"{self.ndcg:.3f} {self.mrr:.3f} {self.recall:.3f}"


@frozen(kw_only=True)
class QuerySet:
    """Queries for one collection. `sources`: the notes that a query was copied from, removed from every ranking."""

    collection: str
    name: str  # judged, anchors, renamed, alias, context or questions
    texts: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, Sequence[str]]

    @property
    def label(self) -> str:
        """The set's name in the table's first column."""
        dagger = " †" if any(self.sources.values()) else ""
        return f"{self.collection.removeprefix('vaults/')} {self.name}{dagger}"

    def score(self, run: Run, scorer: ModuleType) -> Scores:
        """The means of a run, by the collections' own scorer."""
        _, rows = scorer.evaluate(run, self.qrels, self.sources)
        ndcg, mrr, recall = rows.mean(axis=0).tolist()
        return Scores(ndcg=ndcg, mrr=mrr, recall=recall)


NOTES_ONLY = VaultSettings(file_types=())
"""For every engine that is measured: the judgments are about notes, and the peers read nothing else."""


def shared_folder() -> Path:
    """The folder of the collections: VAULTSEEK_SHARED, else `shared` next to the project. It may be missing."""
    return Path(os.environ.get("VAULTSEEK_SHARED", CACHE.parents[1] / "shared"))


def load(shared: Path, name: str) -> ModuleType:
    """The module with the scorer (`score`) or the peers (`baselines`), stored next to the collections."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, shared / "eval" / f"{name}.py")
        if spec is None or spec.loader is None:
            raise FileNotFoundError(name)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def notes_of(shared: Path, collection: str) -> Path:
    """The folder that holds a collection's notes, unpacked first if necessary."""
    below = collection if collection.startswith("vaults/") else f"{collection}/notes"
    loose = shared / "eval" / below
    archive = loose.with_name(f"{loose.name}.tar.zst")
    if not archive.exists():
        return loose
    target = CACHE / below
    mark = target.with_name(f"{target.name}.unpacked")
    if not mark.exists() or mark.read_text() != str(archive.stat().st_size):
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            archive.open("rb") as packed,
            zstandard.ZstdDecompressor().stream_reader(packed) as stream,
            tarfile.open(fileobj=stream, mode="r|") as tar,
        ):
            tar.extractall(target.parent, filter="data")
        mark.write_text(str(archive.stat().st_size))
    return target


def query_sets(shared: Path, collection: str) -> list[QuerySet]:
    """The sets of queries that belong to a collection."""
    scorer = load(shared, "score")
    base = shared / "eval" / collection
    kinds = {"anchors": "", "renamed": "renamed-", "alias": "alias-", "context": "context-"}
    asked = shared / "eval/questions" / collection.removeprefix("vaults/")
    places = (
        {kind: (f"{base}.{prefix}queries.jsonl", f"{base}.{prefix}qrels.jsonl") for kind, prefix in kinds.items()}
        | {"questions": (f"{asked}.queries.jsonl", f"{asked}.qrels.jsonl")}
        if collection.startswith("vaults/")
        else {"judged": (f"{base}/queries.jsonl", f"{base}/qrels.jsonl")}
    )
    found = []
    for kind, (queries, qrels) in places.items():
        rows = list(scorer.rows(queries)) if Path(queries).exists() else []
        if rows:
            found.append(
                QuerySet(
                    collection=collection,
                    name=kind,
                    texts={str(row["id"]): row["text"] for row in rows},
                    qrels=scorer.load_qrels(qrels),
                    sources={str(row["id"]): [scorer.name(at) for at in row.get("sources", ())] for row in rows},
                )
            )
    return found


def ours(engine: Engine, queries: QuerySet, scorer: ModuleType, read: Read = parse) -> Run:
    """The answers of the whole pipeline, without excerpts: those take most of the time and change no order."""
    return {id_: [scorer.name(note) for note in found_by(engine, queries.texts[id_], read)] for id_ in queries.qrels}


def found_by(engine: Engine, text: str, read: Read = parse) -> list[str]:
    """The notes that `engine.search` shows for a query, in its order."""
    request = request_for(engine, Query(text=text, limit=_DEPTH), read(text))
    return [hit.id for hit in rank(request, engine.indexer.corpus).ranking.top(_DEPTH).hits]


def request_for(engine: Engine, query: Query, parsed: ParsedQuery) -> Request:
    """The request that the engine makes of the query, with `parsed` as its parsed text."""
    request = evolve(resolve(query, engine.settings, now=0.0), parsed=parsed)
    request = evolve(request, allowed=allowed_notes(query, parsed, engine.indexer, budget=UNLIMITED)[0])
    return with_signs(with_named(request, engine.indexer), engine.indexer, budget=UNLIMITED)


def as_words(text: str) -> ParsedQuery:
    """The text as plain words: quotes, parentheses and a capital OR are punctuation, as in the judges' prose."""
    return evolve(parse(text), terms=(RankedTerm(text, is_prefix=True),), filter=None, notices=())
