"""The port for query understanding: what it can find in a query, and what it may look up in the vault.

The caller passes the implementation in, so the core contains neither word lists of languages nor intents.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from search.budget import Budget
from search.ids import NoteId
from search.query import ParsedQuery, Understood
from search.ranking.pipeline import Pipeline
from search.stages.dates import Dates
from search.stages.kind import Kind
from search.stages.pin import Pin
from search.vault.daily import DailyNotes
from search.vault.note import Note


class Idea(StrEnum):
    """What understanding can find in a query."""

    PINS = "pins"  # notes and tags that it names
    DATES = "dates"
    ACRONYMS = "acronyms"
    INTENT = "intent"
    KINDS = "kinds"  # which kinds the notes have; says nothing about the query


class VaultView(Protocol):
    """What query understanding may look up in a vault. The view does not change while a query is understood."""

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes."""

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to."""

    def notes_named(self, name: str) -> Iterable[NoteId]:
        """The notes of this title, alias or file name."""

    def notes_with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes with a folded token; None if there are more than `at_most`."""

    def text_of(self, note: NoteId) -> str:
        """A note's text."""

    def daily_notes(self) -> DailyNotes:
        """Where daily notes are kept."""


Understand = Callable[[ParsedQuery, VaultView, frozenset[Idea], float, Budget], Understood]
"""Understands a query as far as the given ideas go. `now` is in seconds since the epoch; raises only `Cancelled`."""


_IDEA_OF_STAGE = {Pin: Idea.PINS, Dates: Idea.DATES, Kind: Idea.INTENT}


def ideas_of(pipeline: Pipeline) -> frozenset[Idea]:
    """The ideas that a pipeline uses."""
    used = {idea for kind, idea in _IDEA_OF_STAGE.items() if any(isinstance(stage, kind) for stage in pipeline.stages)}
    return frozenset(used | ({Idea.ACRONYMS} if pipeline.acronyms is not None else set()))
