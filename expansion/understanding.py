"""What a query means in addition to its words, found without a model: names, dates, acronyms and the user's intent.

Each idea has a module of its own. This module calls them and translates their results into the core's types. A query
without any of these takes about ten microseconds.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime, tzinfo

from attrs import Factory, evolve, field, frozen

from expansion.acronyms import AcronymBook
from expansion.dated_notes import DatedNotes
from expansion.dates import QueryDates, read_dates
from expansion.intent import detect_intent
from expansion.kinds import Kinds, kinds_of
from expansion.lexicon import Lexicon
from expansion.pins import QueryNames, named_in, pinned_notes
from search.analysis.tokens import tokens
from search.budget import Budget
from search.execution.understanding import Idea, VaultView
from search.filters.fields import tag_test
from search.filters.order import has_alternatives
from search.filters.scope import unknown_name
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.query import ParsedQuery, PinnedNote, Understood

_MAX_WORDS = 64  # of a query; further words are ignored
_MAX_PINNED = 100  # notes of a date that come first; no answer shows more


@frozen(eq=False)
class Understanding:
    """Understands the queries to one vault: an `Understand` of `search.execution.understanding`. Threads may share it.

    `zone` is the time zone in which days begin, None for that of this machine. Every answer repeats `notices`.
    """

    lexicon: Lexicon
    zone: tzinfo | None = None
    notices: tuple[Notice, ...] = ()
    _book: AcronymBook = field(default=Factory(lambda own: AcronymBook(own.lexicon.acronyms), takes_self=True))
    _dated: DatedNotes = field(default=Factory(lambda own: DatedNotes(own.zone), takes_self=True))

    def __call__(
        self, parsed: ParsedQuery, vault: VaultView, wanted: frozenset[Idea], now: float, budget: Budget
    ) -> Understood:
        """What `parsed` means according to the `wanted` ideas.

        Raises:
            Cancelled: the budget was cancelled.
        """
        words = " ".join(term.text for term in parsed.terms if not term.is_phrase).split(maxsplit=_MAX_WORDS)
        text = " ".join(words[:_MAX_WORDS])
        found = Understood(notices=self.notices)
        if Idea.KINDS in wanted:
            found = evolve(found, kinds_of=_kinds_by(vault, self.lexicon.kinds))
        if Idea.PINS in wanted and ("#" in parsed.text or "[[" in parsed.text):
            named = named_in(parsed.text)
            notices = (*found.notices, *_unknown_tags(named, vault))
            pins = pinned_notes(named, vault.notes, resolve_link=vault.resolve_link, notes_named=vault.notes_named)
            found = evolve(found, pins=pins, notices=notices)
        if Idea.DATES in wanted and text:
            found = self._with_dates(found, text, vault, now, has_others=has_alternatives(parsed.filter))
        if Idea.INTENT in wanted and text:
            found = self._with_intent(found, text, vault)
        if Idea.ACRONYMS in wanted and text and not found.is_only_date:
            found = evolve(found, expansions=self._book.expand(text, vault, budget=budget))
        return found

    def _with_dates(
        self, found: Understood, text: str, vault: VaultView, now: float, *, has_others: bool
    ) -> Understood:
        """Add the notes of the text's dates; with an OR that `has_others`, the query is never nothing but a date."""
        try:
            today = datetime.fromtimestamp(now, self.zone).date()
        except (OverflowError, ValueError, OSError):
            return found
        read = read_dates(text, today=today, languages=self.lexicon.dates)
        if not read.dates:
            return found
        languages = self.lexicon.dates
        notes = self._dated.find(read.dates, vault.notes, daily=vault.daily_notes(), languages=languages)
        found = evolve(found, notices=(*found.notices, *_of_copied_files(self._dated.shared_day(vault.notes), read)))
        relative = (token for mention in read.dates if mention.is_relative for token in tokens(mention.text))
        found = evolve(found, dated=notes, date_words=frozenset(relative if notes else ()))
        if not has_others and _is_only_date(read, text, vault):
            undated = () if notes else (_no_dated_note(read),)
            return evolve(found, is_only_date=True, notices=(*found.notices, *undated))
        if read.is_whole:
            if not read.drops_words:  # the note of a month or a week has that date as its name
                named = sorted({*vault.notes_named(text)} - {one.note for one in notes})
                called = (PinnedNote(note, f"called {text}", len(found.pins)) for note in named)
                found = evolve(found, pins=(*found.pins, *called))
            first = max((pin.place for pin in found.pins), default=0) + 1
            pins = (PinnedNote(one.note, one.why, first + at) for at, one in enumerate(notes[:_MAX_PINNED]))
            return evolve(found, pins=(*found.pins, *pins))
        return found

    def _with_intent(self, found: Understood, text: str, vault: VaultView) -> Understood:
        detected = detect_intent(text, self.lexicon.intents)
        if not detected.is_sure:
            return found
        return evolve(
            found,
            intent=detected.clause,
            kind_factors=detected.intent.kinds,
            source_factors=detected.intent.weights,
            kinds_of=_kinds_by(vault, self.lexicon.kinds),
        )


def _unknown_tags(named: QueryNames, vault: VaultView) -> Iterator[Notice]:
    """A notice for each tag that no note has. A link to a missing note gives none: the user may still write it."""
    used = [name for note in vault.notes.values() for name in note.tags] if named.tags else []
    for tag in named.tags:
        if not any(map(tag_test(tag), used)):
            yield unknown_name("tag", tag, used)


def _of_copied_files(shared: date | None, read: QueryDates) -> Iterator[Notice]:
    """A notice that the date of most files does not count, if the query asks for that date."""
    if shared is not None and any(span.first <= shared <= span.last for one in read.dates for span in one.spans):
        message = (
            f"Most files have the same date, {shared.isoformat()}, as after a copy; it does not count as a note's date."
        )
        yield Notice(NoticeKind.NOTE, "copied-files", message)


def _no_dated_note(read: QueryDates) -> Notice:
    """The notice that a query which is only a date finds nothing, with the days that were looked for."""
    spans = [span for one in read.dates for span in one.spans]
    days = ", ".join(dict.fromkeys(" to ".join(dict.fromkeys((str(span.first), str(span.last)))) for span in spans))
    return Notice(NoticeKind.NOTE, "no-dated-note", f"No note is dated {days}. For the words themselves, use quotes.")


def _is_only_date(read: QueryDates, text: str, vault: VaultView) -> bool:
    """Whether the words mean nothing but the date, so that notes are not searched for them.

    They mean more if a note has that name ("Yesterday"), or if notes contain a single such word ("mañana").
    """
    if not read.drops_words or any(True for _ in vault.notes_named(text)):
        return False
    return " " in text or any(vault.notes_with_token(token, 0) is not None for token in tokens(text))


def _kinds_by(vault: VaultView, kinds: Kinds) -> Callable[[NoteId], frozenset[str]]:
    notes = vault.notes

    def of(note: NoteId) -> frozenset[str]:
        found = notes.get(note)
        return frozenset() if found is None else kinds_of(found, kinds)

    return of
