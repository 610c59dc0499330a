"""A ranking in, a ranking out: boosts, filters, rescoring. Each writes what it did into the trail."""

from collections.abc import Callable, Collection, Mapping

from attrs import field, frozen

from search.graph.links import LinkIndex
from search.ids import NoteId
from search.query import NOTHING_UNDERSTOOD, Understood
from search.vault.note import Note


def _unknown(_note: NoteId) -> int | None:
    return None


@frozen(eq=False, kw_only=True)
class Context:
    """What a stage may know of the vault and the moment; it stays as it is while one query is answered."""

    notes: Mapping[NoteId, Note] = field(factory=dict)
    links: LinkIndex = field(factory=LinkIndex)
    notes_per_folder: Mapping[str, int] = field(factory=dict)  # directly in each, the root's under ""
    admitted: frozenset[NoteId] | None = None  # what the query's filter lets through; None: every note
    limit: int = 30  # notes that will be shown
    now: float = 0.0  # seconds since the epoch
    gate: float | None = None  # the raw cosine from which a note is sure; None where meaning was not asked
    anchors: Mapping[str, tuple[float, float]] = field(factory=dict)  # see `search.normalize.strength`
    unmeasured: Collection[NoteId] = ()  # notes that words found and that have no vectors
    rerank_scores: Mapping[NoteId, float] = field(factory=dict)  # what a reranker said; empty where none was asked
    understood: Understood = NOTHING_UNDERSTOOD  # what the query means besides its words; only notes that may be found
    named: Mapping[NoteId, tuple[str, float]] = field(factory=dict)  # names within the query, and their share of it
    length_of: Callable[[NoteId], int | None] = _unknown  # characters of a short note's text, None for others

    def tags_of(self, note: NoteId) -> tuple[str, ...]:
        """The note's tags, none for a note that is gone."""
        known = self.notes.get(note)
        return known.tags if known is not None else ()

    def modified_of(self, note: NoteId) -> float | None:
        """When the note was changed last, in seconds since the epoch; None for a note that is gone."""
        known = self.notes.get(note)
        return None if known is None else known.modified

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to from the top of the vault."""
        return self.links.resolve(NoteId(""), name)
