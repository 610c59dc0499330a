"""Which notes a query may find at all: its filter and its scope, asked before anything is ranked."""

from search.budget import Budget
from search.filters.evaluate import evaluate_filter
from search.filters.scope import scope, unknown_names
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.notice import Notice
from search.query import ParsedQuery, Query


class Admission:
    """Of one vault; nothing of it is kept."""

    def __init__(self, reading: Indexer) -> None:
        self._reading = reading
        self._corpus = reading.corpus
        self._lock = reading.lock  # guards the corpus

    def let_in(
        self, query: Query, parsed: ParsedQuery, budget: Budget
    ) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
        """The notes that a query's filter and scope let in, None for all of them; and what is to be said of these."""
        with self._lock:
            notes = dict(self._corpus.notes) if parsed.filter is not None or is_scoped(query) else {}
        within, notices = scope(query, notes)
        if parsed.filter is None:
            return within, notices
        universe = notes if within is None else {note: notes[note] for note in within}
        linked = IndexedVaultView(self._reading).notes_for_link
        found = evaluate_filter(
            parsed.filter,
            universe,
            text_of=self._reading.vault.text,
            having=self._having,
            named=self._named,
            holding=self._holding,
            linked=linked,
            budget=budget,
        )
        return found.ids, (*notices, *unknown_names(parsed.filter, notes, linked=linked), *found.notices)

    def _holding(self, word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a filter's question
        with self._lock:
            return self._corpus.notes_containing(word, is_whole=is_whole)

    def _named(self, text: str) -> frozenset[NoteId] | None:
        with self._lock:
            return self._corpus.candidates_containing(text, is_name=True)

    def _having(self, text: str) -> frozenset[NoteId] | None:
        with self._lock:
            return self._corpus.candidates_containing(text)


def is_scoped(query: Query) -> bool:
    """Whether only some notes are looked at, whatever the query's words."""
    return bool(query.folder or query.tags or query.limit_to)
