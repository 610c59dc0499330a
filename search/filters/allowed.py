"""The notes that a query's filter and scope allow, worked out before anything is ranked."""

from search.budget import Budget
from search.filters.evaluate import evaluate_filter
from search.filters.scope import scope, unknown_names
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.notice import Notice
from search.query import ParsedQuery, Query


def allowed_notes(
    indexer: Indexer, query: Query, parsed: ParsedQuery, budget: Budget
) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
    """The notes that a query's filter and scope allow, None for all notes; and the notices about them.

    Takes the corpus lock for each look-up, never while texts are read.
    """
    corpus, lock = indexer.corpus, indexer.lock
    with lock:
        notes = dict(corpus.notes) if parsed.filter is not None or is_scoped(query) else {}
    in_scope, notices = scope(query, notes)
    if parsed.filter is None:
        return in_scope, notices

    def may_hold(text: str) -> frozenset[NoteId] | None:
        with lock:
            return corpus.having(text)

    def may_be_named(text: str) -> frozenset[NoteId] | None:
        with lock:
            return corpus.having(text, is_name=True)

    def notes_with_word(word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a plain callback
        with lock:
            return corpus.holding(word, is_whole=is_whole)

    linked = IndexedVaultView(indexer).linked
    found = evaluate_filter(
        parsed.filter,
        notes if in_scope is None else {note: notes[note] for note in in_scope},
        text_of=indexer.vault.text,
        may_hold=may_hold,
        may_be_named=may_be_named,
        notes_with_word=notes_with_word,
        linked=linked,
        budget=budget,
    )
    return found.ids, (*notices, *unknown_names(parsed.filter, notes, linked=linked), *found.notices)


def is_scoped(query: Query) -> bool:
    """Whether the query's options limit the search to some notes, whatever its words."""
    return bool(query.folder or query.tags or query.limit_to)
