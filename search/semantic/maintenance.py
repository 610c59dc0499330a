"""The commands on a vault's vectors: plan, update, rebuild, clear, collect garbage.

Every command is about all vectors of a vault: those of names and openings, which come first, and those of whole texts.

A command that is cancelled keeps what it has done. It pauses for every search, like the background indexer, which
embeds notes through the same methods.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from search.budget import UNLIMITED, Budget, Cancelled
from search.ids import NoteId
from search.notice import Notice
from search.ports import Progress, silent
from search.semantic.concepts import ConceptKeeper
from search.semantic.gists import MOST_BYTES, cut_gist
from search.semantic.note_embedder import NoteEmbedder
from search.semantic.note_vectors import NoteVectors
from search.semantic.query_vectors import QueryVectors
from search.semantic.scheduler import Scheduler
from search.semantic.status import THIS_COMPUTER, PartPlan, Plan

_GISTS_AT_ONCE = 8  # texts: a tenth of a second, as long as one passage of a whole text
_SORTED_FOR = 32  # notes
_MOST_USED = 1000  # notes that are remembered
_N_TIMED = 50  # notes whose passages may be embedded to see how long it takes
_TIMED_S = 1.0  # for how long at most


class Maintenance:
    """The vectors of one vault, the objects that make them, and the commands on them."""

    def __init__(
        self, vectors: NoteVectors, scheduler: Scheduler, where: str, *, gists: NoteVectors | None = None
    ) -> None:
        """`where` the model runs, for display; `gists` are the vectors of names and openings, if they are used."""
        self.vectors = vectors
        self.gists = gists
        self.scheduler = scheduler
        self.where = where
        self.note_embedder = NoteEmbedder(vectors)
        self.embedders: tuple[NoteEmbedder, ...] = (self.note_embedder,)  # in the order of the work
        if gists is not None:
            first = NoteEmbedder(gists, cut=cut_gist, batch_size=_GISTS_AT_ONCE, most_bytes=MOST_BYTES)
            self.embedders = (first, self.note_embedder)
        self.count_links: Callable[[], Mapping[NoteId, int]] = dict  # how many notes link to each note
        self.used: dict[NoteId, None] = {}  # the notes that searches have found, the latest last
        self.queries = QueryVectors(vectors.embedder, scheduler)
        self.concepts = ConceptKeeper(vectors.embedder, vectors.storage.folder, scheduler)
        self.completed_generation: int | None = None  # of the vault, when all notes had vectors; None: look again

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Problems of the store, and of the vectors made since the start."""
        found = list(self.vectors.storage.notices)
        codes = {notice.code for notice in found}  # the same trouble with both stores is reported once
        more = self.gists.storage.notices if self.gists else ()
        return (*found, *(notice for notice in more if notice.code not in codes))

    def plan(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> Plan:
        """The work that `update` would do. Reads and cuts every note without vectors, and stores nothing.

        A model on this computer embeds a few of the passages to see how long that takes, unless it did so before.
        An endpoint gets no text, so the time is unknown until it embedded some.

        Raises:
            VaultseekError: the store cannot be read, or the model cannot be loaded.
        """
        plans = [self._plan(embedder, budget, progress) for embedder in self.embedders]
        seconds = [plan.seconds for plan in plans]
        return Plan(
            n_notes=len(self.vectors.vault.notes),
            n_missing=plans[-1].n_missing,
            n_missing_gists=plans[0].n_missing if self.gists else 0,
            n_foreign=len(self.vectors.unreadable()),
            n_chunks=sum(plan.n_chunks for plan in plans),
            n_tokens=sum(plan.n_tokens for plan in plans),
            seconds=None if None in seconds else sum(filter(None, seconds)),
            model=self.vectors.embedder.model,
            where=self.where,
        )

    def _plan(self, embedder: NoteEmbedder, budget: Budget, progress: Progress) -> PartPlan:
        storage, model = embedder.storage, self.vectors.embedder
        was_open = storage.is_open
        with self.scheduler.model_lock:
            is_open = storage.folder.is_dir() and storage.open_without_request()  # else opening would make the folder
            missing = self._missing(embedder.vectors) if is_open else tuple(embedder.vectors.unchecked())
        timed = frozenset(Random(0).sample(missing, min(_N_TIMED, len(missing))))  # noqa: S311 not for secrets
        samples: list[str] = []
        unreadable = self.vectors.unreadable()  # such a note may have vectors of a Latin name or passage
        seen: set[str] = set()  # hashes of passages, since the model reads one that occurs in several notes once
        n_missing = n_tokens = n_chars = 0
        for at, note in enumerate(missing):
            budget.check()
            progress(at, len(missing))
            with self.scheduler.model_lock:
                found = embedder.new_passages(note, budget, is_all_new=not is_open)
                new = [text for text_hash, text in found.items() if text_hash not in seen]
                n_tokens += sum(map(model.count_tokens, new))
            seen |= found.keys()
            n_missing += bool(new) and note not in unreadable
            n_chars += sum(map(len, new))
            samples += new if note in timed else ()
        progress(len(missing), len(missing))
        if self.where == THIS_COMPUTER:
            self._measure(embedder, samples, budget)
        if not was_open and model.known_dimensions is None:
            with self.scheduler.model_lock:
                storage.close()  # embedding opens it again with the vector length that the model has then
        return PartPlan(n_missing, len(seen), n_tokens, embedder.throughput.seconds_for(n_chars))

    def _measure(self, embedder: NoteEmbedder, passages: Sequence[str], budget: Budget) -> None:
        """Measure the throughput with some of these passages, unless it is known; takes about a second."""
        throughput, began = embedder.throughput, time.perf_counter()
        if throughput.is_known or not passages:
            return
        with self.scheduler.model_lock:
            self.vectors.embedder.embed_passages(passages[:1], budget=budget)  # loads the model
            for passage in Random(0).sample(passages, len(passages)):  # noqa: S311 likewise
                started = time.perf_counter()
                self.vectors.embedder.embed_passages([passage], budget=budget)
                throughput.add(len(passage), time.perf_counter() - started)
                if time.perf_counter() - began > _TIMED_S:
                    break

    def update(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Embed all notes that have no vectors; returns for how many of them the model was used.

        Raises:
            VaultseekError: the model failed, or the store cannot be written.
            Cancelled: the budget was cancelled.
        """
        self.queries.learn_dimensions(budget)
        missing = []
        with self.scheduler.model_lock:
            for embedder in self.embedders:
                embedder.storage.retry_writing()
                embedder.storage.writable()
                missing.append(self._missing(embedder.vectors))
        before = [embedder.n_embedded_notes for embedder in self.embedders]
        n_notes = len(set().union(*missing))
        n_done, n_texts = 0, sum(map(len, missing))
        for embedder, notes in zip(self.embedders, missing, strict=True):
            self.embed_all(embedder, notes, budget, _in_notes(progress, n_done, n_texts, n_notes))
            n_done += len(notes)
        self.concepts.learn(budget)
        progress(n_notes, n_notes)
        return max(embedder.n_embedded_notes - n for embedder, n in zip(self.embedders, before, strict=True))

    def rebuild(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Delete all vectors and embed all notes; raises as `update`."""
        self.clear()
        return self.update(budget=budget, progress=progress)

    def clear(self) -> None:
        """Delete all vectors.

        Raises:
            StoreError: the store cannot be written.
        """
        with self.scheduler.model_lock:
            for embedder in self.embedders:
                embedder.storage.writable()  # all of them are deleted, or none
            for embedder in self.embedders:
                embedder.storage.clear()
            self.completed_generation = None

    def collect_garbage(self) -> int:
        """Delete the vectors of notes that no longer exist; returns of how many notes.

        Raises:
            StoreError: the store cannot be written.
        """
        with self.scheduler.model_lock:
            return max(embedder.vectors.collect() for embedder in self.embedders)

    def flush(self) -> None:
        """Wait until all vectors are on disk. The caller holds the model lock.

        Raises:
            StoreError: the disk refused the vectors of a store; the other one was flushed all the same.
        """
        with contextlib.ExitStack() as all_of_them:
            for embedder in self.embedders:
                all_of_them.callback(embedder.storage.flush)

    def embed_all(
        self, embedder: NoteEmbedder, notes: Sequence[NoteId], budget: Budget, progress: Progress = silent
    ) -> None:
        """Embed these notes, the most important first, pausing for every search, and flush the store.

        Raises:
            Cancelled: the budget was cancelled, or the scheduler was closed.
            VaultseekError: the model failed, or the store cannot be written.
        """
        at = 0
        try:
            for part in self._by_importance(notes):
                for index, note in enumerate(part):
                    progress(at, len(notes))
                    self._embed(embedder, note, budget, part[index + 1 : index + embedder.batch_size])
                    embedder.storage.writable()
                    at += 1
        finally:
            with self.scheduler.model_lock:
                embedder.storage.flush()

    def note_use(self, notes: Sequence[NoteId]) -> None:
        """Remember that a search found these notes, best first: the background indexer embeds them next."""
        for note in reversed(notes):
            self.used.pop(note, None)
            self.used[note] = None
        while len(self.used) > _MOST_USED:
            del self.used[next(iter(self.used))]

    def _by_importance(self, notes: Sequence[NoteId]) -> Iterator[Sequence[NoteId]]:
        """All notes, some at a time: what searches found most recently, then what most notes link to, then as given.

        What searches find meanwhile comes next.
        """
        links = self.count_links()
        left = sorted(notes, key=lambda note: -links.get(note, 0))
        while left:
            used = {note: at for at, note in enumerate(list(self.used))}
            left.sort(key=lambda note: -used.get(note, -1))
            yield left[:_SORTED_FOR]
            del left[:_SORTED_FOR]

    def _missing(self, vectors: NoteVectors) -> tuple[NoteId, ...]:
        vectors.hide_deleted()
        return vectors.check(vectors.unchecked())

    def _embed(self, embedder: NoteEmbedder, note: NoteId, budget: Budget, ahead: Sequence[NoteId]) -> None:
        self._cut_long(embedder, note, budget)
        background = self.scheduler.background_budget(budget)
        while True:
            self.scheduler.wait_until_idle(budget)
            with contextlib.suppress(Cancelled), self.scheduler.model_lock:  # a search cancels it: try again when idle
                embedder.embed(note, background, ahead=ahead)
                return

    def _cut_long(self, embedder: NoteEmbedder, note: NoteId, budget: Budget) -> None:
        """Cut a long note without the model lock: it takes seconds, and searches can use the model meanwhile."""
        if embedder.is_long(note):
            self.scheduler.wait_until_idle(budget)
            with self.scheduler.model_lock:
                is_missing = not embedder.vectors.is_current(note)
            if is_missing:
                embedder.cut_ahead(note, self.scheduler.budget_until_closed(budget))


def _in_notes(progress: Progress, n_before: int, n_texts: int, n_notes: int) -> Progress:
    """The progress of a part of the work, shown in notes as that of all of it; `n_before` texts were done before."""
    return lambda done, _: progress((n_before + done) * n_notes // n_texts, n_notes)
