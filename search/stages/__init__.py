"""Stages: functions from a ranking, their settings and a `Context` to a ranking, such as boosts, cuts and rescoring.

Each stage writes what it did to a score into the trail.
"""

from collections.abc import Callable, Collection, Mapping

from attrs import field, frozen

from search.graph.links import LinkIndex
from search.ids import NoteId
from search.query import NOTHING_UNDERSTOOD, Understood
from search.vault.note import Note


def _unknown(_note: NoteId) -> int | None:
    return None


def _never(_note: NoteId) -> bool:
    return False


@frozen(eq=False, kw_only=True)
class Context:
    """What stages may read about the vault and the time; constant while one query is answered."""

    notes: Mapping[NoteId, Note] = field(factory=dict)
    links: LinkIndex = field(factory=LinkIndex)
    notes_per_folder: Mapping[str, int] = field(factory=dict)  # directly in each folder; "" is the root
    allowed: frozenset[NoteId] | None = None  # the notes that the query's filter allows; None: all
    limit: int = 30  # notes that will be shown
    now: float = 0.0  # seconds since the epoch
    gate: float | None = None  # the raw cosine of a sure match; None without the semantic source
    anchors: Mapping[str, tuple[float, float]] = field(factory=dict)  # see `search.normalize.strength`
    without_vectors: Collection[NoteId] = ()  # lexical hits that have no vectors
    rerank_scores: Mapping[NoteId, float] = field(factory=dict)  # from a reranker; empty without one
    understood: Understood = NOTHING_UNDERSTOOD  # query understanding, limited to notes that may be found
    named: Mapping[NoteId, tuple[str, float]] = field(
        factory=dict
    )  # notes named in the query: name, share of the query
    name_matches: Mapping[NoteId, float] = field(
        factory=dict
    )  # how far a note's name is what the query asks for, 0..1; see `matching.caption_match`
    is_stub: Callable[[NoteId], bool] = _never  # whether a note says next to nothing but where to look
    whole_word: str = ""  # the query's only word; empty if it has several, see `stages.whole`
    tiers: Mapping[NoteId, int] = field(factory=dict)  # how well each note has that word, 1 to 3; 0 for other notes
    length_of: Callable[[NoteId], int | None] = _unknown  # characters of a short note's text, None for other notes
