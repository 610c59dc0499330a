"""What a query means besides its words, without a model: what it names, its dates, its acronyms, what is wanted.

Each idea is a module of its own; here they are asked, and their answers put into the core's words. A query without any
of these costs some ten microseconds.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime, tzinfo

from attrs import evolve, field, frozen

from expansion.acronyms import AcronymBook, Words
from expansion.dated import Dated, DatedNotes
from expansion.dates import DatesRead, read_dates
from expansion.intent import detect_intent
from expansion.kinds import Kinds, kinds_of
from expansion.lexicon import Lexicon
from expansion.pins import Named, named_in, pinned_notes
from search.analysis.tokens import tokens
from search.budget import Budget
from search.execution.understanding import Idea, VaultView
from search.filters.fields import tag_test
from search.filters.scope import unknown_name
from search.ids import NoteId
from search.notice import Notice
from search.query import DatedNote, ParsedQuery, PinnedNote, QueryExpansion, Understood

_MOST_WORDS = 64  # of a query that are looked at; what is longer is a text
_MOST_PINNED = 100  # notes of a date that stand first; no answer shows more
_EPOCH = date(1970, 1, 1).toordinal()


@frozen(eq=False)
class Understanding:
    """Understands the queries of one vault. Implements `Understand` of `search.execution.understanding`; thread-safe.

    `zone` says when days begin; None: where this machine is. `notices` are said with every answer.
    """

    lexicon: Lexicon
    zone: tzinfo | None = None
    notices: tuple[Notice, ...] = ()
    _book: AcronymBook = field(init=False, repr=False)
    _dated: DatedNotes = field(init=False, repr=False)

    @_book.default
    def _empty_book(self) -> AcronymBook:
        return AcronymBook(self.lexicon.acronyms)

    @_dated.default
    def _no_dates(self) -> DatedNotes:
        return DatedNotes(self.zone)

    def __call__(
        self, parsed: ParsedQuery, known: VaultView, wanted: frozenset[Idea], now: float, budget: Budget
    ) -> Understood:
        """What `parsed` means, as far as ideas are wanted.

        Raises:
            Cancelled: nobody waits any more.
        """
        words = " ".join(term.text for term in parsed.terms if not term.is_phrase).split(maxsplit=_MOST_WORDS)
        text = " ".join(words[:_MOST_WORDS])
        found = Understood(notices=self.notices)
        if Idea.KINDS in wanted:
            found = evolve(found, kinds_of=_kinds_by(known, self.lexicon.kinds))
        if Idea.PINS in wanted and ("#" in parsed.text or "[[" in parsed.text):
            named = named_in(parsed.text)
            notices = (*found.notices, *_unknown_tags(named, known))
            found = evolve(found, pins=_pins(named, known), notices=notices)
        if Idea.DATES in wanted and text:
            found = self._with_dates(found, text, known, now)
        if Idea.INTENT in wanted and text:
            found = self._with_intent(found, text, known)
        if Idea.ACRONYMS in wanted and text and not found.is_only_date:
            vault = Words(notes=known.notes, notes_with_token=known.notes_with_token, text_of=known.text_of)
            meant = self._book.expand(text, vault, budget=budget)
            found = evolve(found, expansions=tuple(QueryExpansion(one.typed, one.text, one.clause) for one in meant))
        return found

    def _with_dates(self, found: Understood, text: str, known: VaultView, now: float) -> Understood:
        try:
            today = datetime.fromtimestamp(now, self.zone).date()
        except (OverflowError, ValueError, OSError):
            return found
        read = read_dates(text, today=today, languages=self.lexicon.dates)
        if not read.dates:
            return found
        languages = self.lexicon.dates
        dated = self._dated.find(read.dates, known.notes, daily=known.daily_notes(), languages=languages)
        notes = tuple(_dated_note(note, one) for note, one in dated.items())
        said = (token for spoken in read.dates if spoken.is_relative for token in tokens(spoken.text))
        found = evolve(found, dated=notes, date_words=frozenset(said if notes else ()))
        if _is_only_date(read, text, known):
            return evolve(found, is_only_date=True)
        if read.is_whole:
            if not read.drops_words:  # a note of a month or of a week says so by its very name
                named = sorted(note for note in known.notes_named(text) if note not in dated)
                called = (PinnedNote(note, f"called {text}", len(found.pins)) for note in named)
                found = evolve(found, pins=(*found.pins, *called))
            first = max((pin.place for pin in found.pins), default=0) + 1
            pins = (PinnedNote(one.note, one.why, first + at) for at, one in enumerate(notes[:_MOST_PINNED]))
            return evolve(found, pins=(*found.pins, *pins))
        return found

    def _with_intent(self, found: Understood, text: str, known: VaultView) -> Understood:
        detected = detect_intent(text, self.lexicon.intents)
        if not detected.is_sure:
            return found
        return evolve(
            found,
            intent=detected.clause,
            kind_factors=detected.intent.kinds,
            source_factors=detected.intent.weights,
            kinds_of=_kinds_by(known, self.lexicon.kinds),
        )


def _unknown_tags(named: Named, known: VaultView) -> Iterator[Notice]:
    """A notice for each tag that no note carries; a link that leads nowhere may be a note that is yet to be written."""
    for tag in named.tags:
        if not any(map(tag_test(tag), (carried for note in known.notes.values() for carried in note.tags))):
            yield unknown_name("tag", tag, (carried for note in known.notes.values() for carried in note.tags))


def _pins(named: Named, known: VaultView) -> tuple[PinnedNote, ...]:
    """Notes by link each in a place of its own; those of tags side by side behind them."""
    pinned = pinned_notes(named, known.notes, resolve_link=known.resolve_link, notes_named=known.notes_named)
    by_link = [one for one in pinned if one.is_link]
    by_tag = [one for one in pinned if not one.is_link]
    return (
        *(PinnedNote(one.note, one.why, at) for at, one in enumerate(by_link)),
        *(PinnedNote(one.note, one.why, len(by_link)) for one in by_tag),
    )


def _is_only_date(read: DatesRead, text: str, known: VaultView) -> bool:
    """Whether the words stand for the date alone; a note of that very name ("Yesterday") is meant as well.

    A single word that notes hold ("mañana") may be looked for as a word too.
    """
    if not read.drops_words or any(True for _ in known.notes_named(text)):
        return False
    return " " in text or any(known.notes_with_token(token, 0) is not None for token in tokens(text))


def _dated_note(note: NoteId, one: Dated) -> DatedNote:
    return DatedNote(note, one.clause, one.day.toordinal() - _EPOCH - 0.1 * one.how, one.is_named)


def _kinds_by(known: VaultView, kinds: Kinds) -> Callable[[NoteId], frozenset[str]]:
    notes = known.notes

    def of(note: NoteId) -> frozenset[str]:
        found = notes.get(note)
        return frozenset() if found is None else kinds_of(found, kinds)

    return of
