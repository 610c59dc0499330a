"""The notes that a query's filter and scope allow, worked out before anything is ranked."""

from search.budget import Budget
from search.filters.evaluate import evaluate_filter
from search.filters.lost import lost_properties
from search.filters.scope import scope, unknown_names
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.notice import Notice
from search.query import ParsedQuery, Query


def allowed_notes(
    query: Query, parsed: ParsedQuery, indexer: Indexer, *, budget: Budget
) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
    """The notes that a query's filter and scope allow, None for all notes; and notices about unknown names in it.

    Raises:
        Cancelled: the budget was cancelled.
    """
    view = IndexedVaultView(indexer)
    notes = view.corpus_notes() if parsed.filter is not None or is_scoped(query) else {}
    in_scope, notices = scope(query, notes)
    lost = lost_properties(query, parsed, indexer)
    if parsed.filter is None:
        return in_scope, (*notices, *lost)
    found = evaluate_filter(
        parsed.filter,
        notes if in_scope is None else {note: notes[note] for note in in_scope},
        text_of=indexer.vault.text,
        may_hold=view.candidates_containing,
        may_be_named=view.candidates_named,
        notes_with_word=view.notes_containing,
        linked=view.notes_for_link,
        budget=budget,
    )
    unknown = unknown_names(parsed.filter, notes, linked=view.notes_for_link)
    return found.ids, (*notices, *unknown, *lost, *found.notices)


def is_scoped(query: Query) -> bool:
    """Whether the query's options limit the search to some notes, whatever its words."""
    return bool(query.folder or query.tags or query.types or query.limit_to)
