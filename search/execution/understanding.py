"""What is asked of whoever understands queries, and what may be asked of the vault for it.

The understanding itself is handed in: it is made of words and data, and the core knows neither languages nor intents.
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
    """What a query may be understood as."""

    PINS = "pins"  # notes and tags that it names
    DATES = "dates"
    ACRONYMS = "acronyms"
    INTENT = "intent"
    KINDS = "kinds"  # no query's own meaning: which kinds notes have


class VaultView(Protocol):
    """What is known of a vault, as far as understanding needs it. Nothing in it changes while a query is understood."""

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes."""

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to."""

    def notes_named(self, name: str) -> Iterable[NoteId]:
        """The notes of this title, alias or file name."""

    def notes_with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes with a folded token; None where they are more than `at_most`."""

    def text_of(self, note: NoteId) -> str:
        """A note's text."""

    def daily_notes(self) -> DailyNotes:
        """Where daily notes are kept."""


Understand = Callable[[ParsedQuery, VaultView, frozenset[Idea], float, Budget], Understood]
"""What a query means; asked for some ideas only, `now` in seconds since the epoch. Raises nothing but `Cancelled`."""


_ASKS_FOR = {Pin: Idea.PINS, Dates: Idea.DATES, Kind: Idea.INTENT}


def ideas_of(pipeline: Pipeline) -> frozenset[Idea]:
    """The ideas that a design makes use of."""
    by_stage = {idea for kind, idea in _ASKS_FOR.items() if any(isinstance(stage, kind) for stage in pipeline.stages)}
    return frozenset(by_stage | ({Idea.ACRONYMS} if pipeline.acronyms is not None else set()))
