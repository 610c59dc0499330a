"""One vault, searched: keeps the corpus true to the files and open buffers, and answers queries from it.

Changes are seen without any event: before a query, at most every second, the files' states are compared with what was
read. A few changed notes are read on the spot; many, as at the first query, by a thread of their own, and until it is
done answers are marked partial. One lock guards the corpus; it is held for a batch of reading or for one ranking, some
ten milliseconds each, never while files are read.

Never writes to the vault; never raises for what a query or a note says, only for a vault that is not there.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from attrs import evolve, field, frozen

from search.answer.explain import sentence
from search.answer.notice import Notice, NoticeKind
from search.answer.ranking import Hit
from search.answer.result import FoundNote, Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.corpus import Corpus
from search.errors import ConfigError, VaultError, VaultseekError
from search.ids import NoteId
from search.memory import give_back
from search.pipeline import Meaning, Ranked, matches_in, rank
from search.ports import Embedder
from search.progress import Progress, silent
from search.providers.embedders import open_embedder
from search.providers.openai_compatible import open_remote_embedder
from search.query import ExpandedQuery, Mode, ParsedQuery, Query
from search.semantics import Semantics, SemanticStatus
from search.settings import AutoIndex, Settings
from search.syntax import parse
from search.text.filters import admitted
from search.text.scope import scope
from search.text.snippets import excerpts, opening, sections_of, wanted_of
from search.vault.markdown import Parsed
from search.vault.snapshot import Vault
from search.vectors.store import store_folder

_GAPS = frozenset({"unreadable", "note-too-large", "unparsed"})  # notices of the vault that every answer repeats
_SWEEP_EVERY_S = 1.0  # a typed query is several requests a second; files change far less often
_INLINE_NOTES = 64  # so many changed notes are read before the answer: some 20 milliseconds
_BATCH_NOTES = 256  # read between two publications: small enough that a first partial answer is soon there
_WAIT_STEP_S = 0.05  # how soon a waiting query sees that it was cancelled


@frozen(kw_only=True)
class Status:
    """How a vault stands. `skipped`: path -> why it is not searched."""

    root: str
    n_notes: int
    n_pending: int  # still to be read
    is_complete: bool
    generation: int
    skipped: Mapping[str, str] = field(factory=dict)
    notices: tuple[Notice, ...] = ()
    n_words: int = 0  # distinct tokens
    semantic: SemanticStatus | None = None  # None where words alone are searched


Expand = Callable[[str, Budget], ExpandedQuery]
"""Says what a query may mean besides; takes a few seconds at most and raises nothing but `Cancelled`."""


def open_engine(
    root: Path, settings: Settings | None = None, *, key: str = "", expand: Expand | None = None
) -> "Engine":
    """An engine as a user has it: with the model or endpoint that the settings name, unless they switch it off.

    `key` is that of the endpoint for vectors. Opening sends nothing.

    Raises:
        VaultError: as `Engine`.
        ConfigError: the key cannot be one.
    """
    settings = settings or Settings()
    return Engine(root, settings, embedder=_embedder(settings, key), expand=expand)


def _embedder(settings: Settings, key: str) -> Embedder | None:
    if not settings.enable_semantic or settings.embedding_problem:
        return None
    if settings.embedding is not None:
        return open_remote_embedder(settings.embedding, key=key)
    return open_embedder(settings.embedding_model)


class Engine:
    """One vault and what is known of it. All methods may be called from any thread; they block until done."""

    def __init__(
        self,
        root: Path,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        expand: Expand | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open a vault without reading it; `clock` (seconds) says how long ago the last sweep was.

        Without an `embedder` words alone are searched. With one, queries are answered by meaning as well, unless they
        or the settings say otherwise. With `expand` as well, the meaning of a question is that of a passage too which
        might answer it.

        Raises:
            VaultError: `root` is missing, is a file, or may not be read.
        """
        self.settings = settings or Settings()
        self._vault = Vault(root, self.settings.vault)
        self.semantics = _semantics(embedder, self._vault, self.settings)
        self._expand = expand
        self._corpus = Corpus()
        self._lock = threading.Lock()  # guards the corpus
        self._sweeping = threading.Lock()  # one sweep at a time; the others find its result
        self._reading = threading.Condition()
        self._pending: dict[NoteId, None] = {}  # to be read, in this order
        self._n_read = 0
        self._reader: threading.Thread | None = None
        self._clock = clock
        self._swept_at: float | None = None  # None: there was no sweep yet
        self._is_due = True  # sweep before the next answer, however short ago the last one was
        self._is_closed = False

    # Questions

    def search(
        self,
        query: Query,
        *,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
        on_answer: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Answer a query.

        While many notes are still to be read, waits `patience_s` at most (None: until all are read) and then answers
        from what there is, with `is_complete` False and a notice.

        What words find is told to `on_answer` at once, if the answer that is returned may say more: then the notes that
        words found are given vectors, within the settings' patience, and ranked by meaning too.

        Raises:
            VaultError: the vault's folder is gone or may not be read any more.
            Cancelled: the budget was cancelled.
        """
        answer = self._search(query, budget, patience_s, progress, on_answer)
        if self._is_stale(answer):
            self._is_due = True
            answer = self._search(query, budget, patience_s, progress, on_answer)
        return answer

    def _is_stale(self, answer: SearchResult) -> bool:
        """Whether a note that is shown changed or went since the last sweep, which may be a second ago."""
        is_lost = answer.total > 0 and not answer.hits
        return is_lost or not self._vault.is_current(found.hit.id for found in answer.hits)

    def _search(
        self,
        query: Query,
        budget: Budget,
        patience_s: float | None,
        progress: Progress,
        on_answer: Callable[[SearchResult], None] | None,
    ) -> SearchResult:
        watch = _Stopwatch()
        self.refresh(budget=budget, patience_s=patience_s, progress=progress)
        watch.lap("read")
        parsed = parse(query.text)
        is_complete = self._is_complete
        let_in, notices = self._filter(query, parsed, budget)
        watch.lap("filter")
        partial = () if is_complete else (self._partial(),)
        remarks = (*parsed.notices, *notices, *partial, *self._gaps(), *self._unwired(query))
        found = _Found(query, parsed, let_in, remarks, is_complete)
        semantics = self._asked(query, parsed)
        if semantics is None:
            return self._shown(found, self._rank(found, None, budget, watch), Mode.KEYWORD, budget, watch)
        by_words = self._rank(found, None, budget, watch)
        if on_answer is not None and self._mode(query) is Mode.HYBRID:
            on_answer(self._shown(found, by_words, Mode.KEYWORD, budget, watch))
        with semantics.asking():
            wanted = (hit.id for hit in by_words.ranking) if is_complete else None
            meaning, more = self._meaning(semantics, found, budget, wanted, progress)
            watch.lap("embed")
            ranked = by_words if meaning is None else self._rank(found, meaning, budget, watch)
        if is_complete:
            semantics.follow()
        mode = Mode.KEYWORD if meaning is None else self._mode(query)
        return self._shown(evolve(found, notices=(*found.notices, *more)), ranked, mode, budget, watch)

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Say where a note stands in the answer to a query and why, or at which step it fell out.

        Raises as `search` does; a note that does not exist is a reason, not an error.
        """
        self.refresh(budget=budget)
        parsed = parse(query.text)
        let_in, notices = self._filter(query, parsed, budget)
        found = _Found(query, parsed, let_in, (*parsed.notices, *notices, *self._unwired(query)), self._is_complete)
        semantics = self._asked(query, parsed)
        meaning, more = (None, []) if semantics is None else self._meaning(semantics, found, budget, None, silent)
        ranked = self._rank(found, meaning, budget, _Stopwatch())
        with self._lock:
            exists = note in self._corpus.notes
            slot = self._corpus.postings.slots.get(note)
        shown = self._describe(ranked, parsed, ranked.ranking.top(query.limit).hits)
        reason = Reason(
            note=note,
            rank=ranked.ranking.ranks.get(note) or ranked.lexical.ranks.get(note),
            total=ranked.n_found,
            step="",
            sentence="",
            last_shown=shown[-1] if shown else None,
            notices=(*found.notices, *more),
        )
        step, why = self._step(note, ranked, let_in, exists=exists, slot=slot, limit=query.limit)
        described = self._describe(ranked, parsed, [hit for hit in ranked.ranking if hit.id == note])
        return evolve(reason, step=step, sentence=why, found=described[0] if described else None)

    def indexed(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> Semantics:
        """Search by meaning, for its commands, once all notes are read.

        Raises:
            ConfigError: it is switched off.
            VaultError, Cancelled: as `search`.
        """
        if self.semantics is None:
            if self.settings.embedding_problem:
                raise VaultseekError(self.settings.embedding_problem)
            raise ConfigError("enableSemantic", "false", "true, for there to be an index")
        self.refresh(budget=budget, progress=progress)
        return self.semantics

    def find_note(self, name: str) -> NoteId:
        """The note that a person means by a path, with or without extension, or by a name; else `name` as it is."""
        with self._lock:
            for path in (name, f"{name}.md", f"{name}.markdown"):
                if path in self._corpus.notes:
                    return NoteId(path)
            meant = self._corpus.leads_to(name)
            return meant or min(self._corpus.names.named(name), default=NoteId(name))

    def status(self) -> Status:
        """How the vault stands, without reading anything."""
        with self._reading:
            n_pending = len(self._pending)
        return Status(
            root=str(self._vault.root),
            n_notes=len(self._corpus.notes),
            n_pending=n_pending,
            is_complete=self._is_complete,
            generation=self._corpus.generation,
            skipped=dict(self._vault.skipped),
            notices=tuple(self._vault.notices),
            n_words=len(self._corpus.vocabulary),
            semantic=None if self.semantics is None else self.semantics.status(),
        )

    # Changes

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Lay an editor's text over the file, or over nothing; called anew for each change of it."""
        parsed = self._vault.open_buffer(note, text)
        self._publish((parsed,), (note,))

    def close_buffer(self, note: NoteId) -> None:
        """The file counts again, as it is on disk at the next query; a note that was never saved is gone."""
        self._publish((), self._vault.close_buffer(note).removed)
        self._is_due = True

    def hint(self, notes: Iterable[NoteId]) -> None:
        """These files may have changed: look at them before the next query, even if size and time are the same."""
        self._vault.hint(notes)
        self._is_due = True

    def close(self) -> None:
        """Stop reading; the engine answers nothing after this."""
        with self._reading:
            self._is_closed = True
            self._pending.clear()
            self._reading.notify_all()
            reader = self._reader
        if reader is not None:
            reader.join()
        if self.semantics is not None:
            self.semantics.close()

    # Reading

    @property
    def _is_complete(self) -> bool:
        return not self._pending and self._swept_at is not None

    def refresh(
        self, *, budget: Budget = UNLIMITED, patience_s: float | None = None, progress: Progress = silent
    ) -> None:
        """Sweep for changes and read them, as `search` does before it answers.

        Raises as `search` does.
        """
        deadline = None if patience_s is None else time.monotonic() + patience_s
        self._sweep(budget)
        with self._reading:
            while self._pending and self._reader is not None:
                budget.check()
                progress(self._n_read, self._n_read + len(self._pending))
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._reading.wait(_WAIT_STEP_S if left is None else min(left, _WAIT_STEP_S))
            is_done = not self._pending
        self._require_open()
        if is_done:
            progress(self._n_read, self._n_read)
            if self.semantics is not None and self.settings.indexing.auto_index is AutoIndex.ON_STARTUP:
                self.semantics.follow()

    def _require_open(self) -> None:
        if self._is_closed:
            raise VaultError(str(self._vault.root), "the vault was closed")

    def _sweep(self, budget: Budget) -> None:
        with self._sweeping:
            self._require_open()
            if self._is_due or self._swept_at is None or self._clock() - self._swept_at >= _SWEEP_EVERY_S:
                self._is_due = False
                self._look_for_changes(budget)
            if not self._start_reader():
                self._read_batch(_INLINE_NOTES, budget)

    def _look_for_changes(self, budget: Budget) -> None:
        try:
            changes = self._vault.sweep(budget)
        except BaseException:
            self._is_due = True
            raise
        self._publish((), changes.removed)
        with self._reading:
            self._pending.update(dict.fromkeys(changes.to_read))
            self._swept_at = self._clock()

    def _start_reader(self) -> bool:
        """Whether a thread reads what is pending; it does not where that is little."""
        with self._reading:
            if self._reader is None and len(self._pending) > _INLINE_NOTES and not self._is_closed:
                self._n_read = 0
                self._reader = threading.Thread(target=self._read_all, name="vault-reader", daemon=True)
                self._reader.start()
            return self._reader is not None

    def _read_all(self) -> None:
        try:
            while self._read_batch(_BATCH_NOTES, UNLIMITED) or not self._end_reading():
                pass
        finally:
            with self._reading:
                self._reader = None
                self._reading.notify_all()
            with self._lock:
                self._corpus.vocabulary.forget_pieces()
            give_back()

    def _end_reading(self) -> bool:
        """Whether nothing is left; decided together with who starts the next thread, so that no note is left over."""
        with self._reading:
            if self._pending and not self._is_closed:
                return False
            self._reader = None
            return True

    def _read_batch(self, n_notes: int, budget: Budget) -> bool:
        """Read the next pending notes and publish them; False when there are none."""
        with self._reading:
            batch = list(self._pending)[:n_notes]
        if not batch or self._is_closed:
            return False
        parsed = list(self._vault.read(batch))
        self._publish(parsed, batch)
        with self._reading:
            for note in batch:
                self._pending.pop(note, None)
            self._n_read += len(batch)
            self._reading.notify_all()
        budget.check()
        return True

    def _publish(self, parsed: Iterable[Parsed], notes: Iterable[NoteId]) -> None:
        """Bring the corpus to what the vault knows of `notes`; what somebody has read anew meanwhile stays as it is."""
        with self._lock:
            known = self._vault.notes
            self._corpus.update(item for item in parsed if known.get(item.note.id) is item.note)
            self._corpus.remove(note for note in notes if note not in known)

    # Answers

    def _asked(self, query: Query, parsed: ParsedQuery) -> Semantics | None:
        """Who answers by meaning, if anybody is to."""
        return None if self._mode(query) is Mode.KEYWORD or not parsed.terms else self.semantics

    def _meaning(
        self, semantics: Semantics, found: "_Found", budget: Budget, wanted: Iterable[NoteId] | None, progress: Progress
    ) -> tuple[Meaning | None, list[Notice]]:
        """The semantic source, None where it cannot answer, and what is to be said of it once it was asked.

        `wanted`: the notes that words found, which are embedded for it; None: nothing is embedded.
        """
        query = found.query
        vector, notices = semantics.ask(_question(found.parsed), is_chosen=query.mode is not None, budget=budget)
        if vector is None:
            return None, notices
        if self._expand is not None:
            expanded = self._expand(_question(found.parsed) if found.parsed.filter else query.text, budget)
            notices += expanded.notices
            vector = semantics.blend(vector, expanded.hyde, budget=budget, notices=notices)
        if wanted is not None:
            notices += semantics.prepare(tuple(wanted), budget=budget, progress=progress)
        settings = self.settings.pipeline.semantic
        weight = 1.0 if self._mode(query) is Mode.VECTOR else query.semantic_weight
        meaning = semantics.meaning(
            vector,
            settings if query.semantic_scope is None else evolve(settings, scope=query.semantic_scope),
            admitted=found.let_in,
            weight=weight,
            budget=budget,
            notices=notices,
        )
        return meaning, notices

    def _unwired(self, query: Query) -> tuple[Notice, ...]:
        """What is to be said of endpoints that were named and cannot be asked."""
        if self._mode(query) is Mode.KEYWORD or not self.settings.enable_semantic:
            return ()
        told = (
            ("semantic-failed", "Words alone were searched", self.settings.embedding_problem),
            ("expansion-failed", "No chat model was asked", self.settings.chat_problem),
        )
        return tuple(
            Notice(NoticeKind.DEGRADED, code, f"{what}: {problem}.") for code, what, problem in told if problem
        )

    def _mode(self, query: Query) -> Mode:
        return query.mode or self.settings.mode

    def _rank(self, found: "_Found", meaning: Meaning | None, budget: Budget, watch: "_Stopwatch") -> Ranked:
        with self._lock:
            return rank(
                found.query,
                found.parsed,
                self._corpus,
                self.settings.pipeline,
                admitted=found.let_in,
                meaning=meaning,
                budget=budget,
                lap=watch.lap,
            )

    def _shown(self, found: "_Found", ranked: Ranked, mode: Mode, budget: Budget, watch: "_Stopwatch") -> SearchResult:
        """A ranking as an answer."""
        hits = self._describe(ranked, found.parsed, ranked.ranking.top(found.query.limit).hits, budget)
        watch.lap("explain")
        return SearchResult(
            hits=hits,
            notices=found.notices,
            timings_ms=dict(watch.laps),
            mode=mode,
            total=ranked.n_found,
            is_complete=found.is_complete,
            generation=ranked.generation,
            terms=tuple(item.term.text for item in ranked.posted),
        )

    def _filter(
        self, query: Query, parsed: ParsedQuery, budget: Budget
    ) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
        with self._lock:
            notes = dict(self._corpus.notes) if parsed.filter is not None or _is_scoped(query) else {}
        within, notices = scope(query, notes)
        if parsed.filter is None:
            return within, notices
        universe = notes if within is None else {note: notes[note] for note in within}
        found = admitted(
            parsed.filter, universe, text_of=self._vault.text, having=self._having, holding=self._holding, budget=budget
        )
        return found.ids, (*notices, *found.notices)

    def _holding(self, word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a filter's question
        with self._lock:
            return self._corpus.holding(word, is_whole=is_whole)

    def _having(self, text: str) -> frozenset[NoteId] | None:
        with self._lock:
            return self._corpus.having(text)

    def _describe(
        self, ranked: Ranked, parsed: ParsedQuery, hits: Iterable[Hit[NoteId]], budget: Budget = UNLIMITED
    ) -> tuple[FoundNote, ...]:
        """The hits as they are shown, with matches, excerpts and a sentence each."""
        with self._lock:
            shown = [(hit, note) for hit in hits if (note := self._corpus.notes.get(hit.id)) is not None]
        matches = matches_in(ranked, [hit.id for hit, _ in shown], self.settings.pipeline)
        phrases = [term.text for term in parsed.terms if term.is_phrase]
        wanted = wanted_of(((item.term, item.idf) for item in ranked.weighed), phrases)
        found = []
        for hit, note in shown:
            budget.check()
            whole = evolve(hit, evidence=evolve(hit.evidence, matches=matches.get(hit.id, ())))
            text = self._vault.text(hit.id)
            if not text and hit.id not in self._vault.notes:
                continue  # it went away since it was ranked
            snippets = excerpts(note, text, wanted, n_snippets=self.settings.n_snippets)
            if (lines := hit.evidence.semantic_lines) and not any(snippet.highlights for snippet in snippets):
                snippets = opening(text, *lines) or snippets
            found.append(
                FoundNote(
                    hit=whole,
                    title=note.title,
                    sentence=sentence(whole),
                    snippets=snippets,
                    sections=sections_of(note, snippets),
                )
            )
        return tuple(found)

    def _gaps(self) -> tuple[Notice, ...]:
        """What a search cannot find although it is in the vault, or that there is nothing to be found in."""
        gaps = [notice for notice in self._vault.notices if notice.code in _GAPS]
        if gaps:
            more = f", and {len(gaps) - 1} more like it; the status names them all" if len(gaps) > 1 else ""
            return (Notice(gaps[0].kind, gaps[0].code, gaps[0].message + more, gaps[0].subject),)
        if self._is_complete and not self._corpus.notes:
            message = f"There are no Markdown notes in {self._vault.root}."
            return (Notice(NoticeKind.SKIPPED, "empty-vault", message, str(self._vault.root)),)
        return ()

    def _partial(self) -> Notice:
        with self._reading:
            n_pending = len(self._pending)
        message = f"{n_pending} notes are still being read; the answer may change."
        return Notice(NoticeKind.PARTIAL, "still-reading", message)

    def _step(
        self,
        note: NoteId,
        ranked: Ranked,
        let_in: frozenset[NoteId] | None,
        *,
        exists: bool,
        slot: int | None,
        limit: int,
    ) -> tuple[str, str]:
        """The step that decided about a note, and a sentence on it."""
        if not exists:
            why = self._vault.skipped.get(note)
            return ("excluded", f"The file is not searched: {why}.") if why else ("missing", "There is no such note.")
        if let_in is not None and note not in let_in:
            return "filter", "The query's filter does not admit it."
        if note not in ranked.ranking.ranks and (slot is None or not ranked.candidates.is_found[slot]):
            return "grep", "None of the query's words stands in it."
        return _place(note, ranked, limit)


def _place(note: NoteId, ranked: Ranked, limit: int) -> tuple[str, str]:
    """The step and the sentence for a note that was found."""
    n_found, n_ranked = ranked.n_found, len(ranked.lexical)
    if (place := ranked.ranking.ranks.get(note)) is not None:
        stands = f"It stands at {place} of {n_found}"
        return ("ranked", f"{stands}.") if place <= limit else ("limit", f"{stands}; {limit} are shown.")
    if (place := ranked.lexical.ranks.get(note)) is not None:
        return "limit", f"Its words rank it {place} of {n_ranked}; no boost lifts that into the first {limit}."
    return "candidates", f"Of {n_found} notes that match, {n_ranked} with more or rarer words of it were ranked."


@frozen
class _Found:
    """A query understood, with what its filter lets in."""

    query: Query
    parsed: ParsedQuery
    let_in: frozenset[NoteId] | None
    notices: tuple[Notice, ...]
    is_complete: bool


class _Stopwatch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.laps[step] = self.laps.get(step, 0.0) + (now - self._last) * 1000.0
        self._last = now


def _semantics(embedder: Embedder | None, vault: Vault, settings: Settings) -> Semantics | None:
    if embedder is None:
        return None
    folder = settings.indexing.folder
    cache = Path(folder).expanduser() if folder else _user_cache()
    store = store_folder(cache, vault.root)
    if settings.embedding is None:
        return Semantics(embedder, vault, store, settings.indexing)
    # A folder of its own: vectors that were paid for outlive a look at another model.
    name = blake2b(embedder.model.encode(), digest_size=8).hexdigest()
    store = store.with_name(f"{store.name}-{name}")
    return Semantics(embedder, vault, store, settings.indexing, where=settings.embedding.base_url)


def _user_cache() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - who searches by words alone needs none

    return user_cache_path("vaultseek", appauthor=False)


def _question(parsed: ParsedQuery) -> str:
    """What is asked, as words: filters decide what may be found, and mean nothing."""
    return " ".join(term.text for term in parsed.terms)


def _is_scoped(query: Query) -> bool:
    return bool(query.folder or query.tags or query.limit_to)
