"""Notes related to a note, a section or a selection, each with the reason.

`relatedness` ranks them, `subject` says what the note is about, `reasons` writes the sentences. A section or selection
has words, meaning, links and citations of its own; tags and folder are those of its note. Nothing is embedded, and only
files of notes that may be related are read.

An answer is cached until anything in the vault changes, as it depends on document frequencies, links and vectors. The
analysis of a note's text is cached until that note changes. So a change elsewhere does not repeat it, and yet no answer
is older than the vault.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import assert_never

from attrs import evolve, frozen

from search.answer.evidence import Evidence, Field, FieldMatch, GraphEvidence
from search.answer.explain import quote
from search.answer.ranking import Hit, Ranking
from search.answer.result import FoundNote
from search.budget import Budget
from search.graph.heading_text import readings
from search.graph.headings import section_named
from search.graph.neighbourhood import Neighbourhood, neighbourhood_of, neighbourhood_of_lines
from search.ids import NoteId, is_by_name
from search.index.indexer import Indexer
from search.navigation.distinctive import DistinctiveTerm, Lookup, words_in
from search.navigation.file_parts import placed
from search.navigation.reasons import Reasons, section_at, sentences
from search.navigation.relatedness import MEANING, MENTIONS, Meaning, Related, rank_related, words_of
from search.navigation.subject import Subject, Texts, folded, subject_of
from search.notice import Notice, NoticeKind
from search.providers.lru import LruCache
from search.query import Linked
from search.snippets.excerpts import beginning, excerpts, lines_of, opening, sections_of
from search.snippets.spots import HighlightTerm
from search.vault.lines import split_lines
from search.vault.note import Note

_N_WORDS_SHOWN = 10  # as evidence
_N_ANSWERS = 128  # cached
_COMMON = 0.25  # of all notes: a word or tag of more of them is no reason
_COMMON_HEADING = 0.01  # of all notes: a heading of more of them ("Summary") says nothing
_FEW = 3  # in a small vault, what so many notes have is a reason


@frozen(kw_only=True)
class Place:
    """The subject of a query: a whole note, or some of its lines (half-open, from 0)."""

    note: NoteId
    lines: tuple[int, int] | None = None


@frozen(kw_only=True)
class RelatedNote:
    """A related note, with the reason in its `sentence`; `is_linked` if one of the two notes links to the other."""

    found: FoundNote
    is_linked: bool


@frozen(kw_only=True)
class RelatedNotes:
    """The answer. `total` counts all related notes, before the cut to the limit."""

    notes: tuple[RelatedNote, ...] = ()
    notices: tuple[Notice, ...] = ()
    total: int = 0
    is_complete: bool = True
    generation: int = 0


class RelatedFinder:
    """Related notes, with caches: answers until anything in the vault changes, texts until their note changes."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._texts = Texts(indexer)
        self._kept = LruCache[object, RelatedNotes](_N_ANSWERS)

    def find(
        self,
        place: Place,
        *,
        heading: str = "",
        linked: Linked = Linked.INCLUDE,
        limit: int,
        n_snippets: int,
        meaning: Meaning | None,
        budget: Budget,
    ) -> RelatedNotes:
        """The notes related to a place, or to the section `heading` of its note; best first, ties by id.

        A missing note has no related notes. For a missing heading the whole note is used. Both are reported.
        """
        note = self._indexer.vault.notes.get(place.note)
        if note is None:
            notice = _no_such_note(place.note, self._indexer.vault.skipped.get(place.note))
            return RelatedNotes(generation=self._indexer.corpus.generation, notices=(notice,))
        notices: tuple[Notice, ...] = ()
        if heading:
            place = evolve(place, lines=section_named(note, heading))
            notices = () if place.lines is not None else (_no_such_heading(heading),)
        n_vectors = None if meaning is None else meaning.n_vectors
        key = (place, heading, linked, limit, n_snippets, self._indexer.corpus.generation, n_vectors)
        if kept := self._kept.get(key):
            return kept
        context = _context(self._texts, note, place, meaning, budget)
        hits = _in_order(context.related.ranking, context.linked, linked)
        shown = [item for hit in hits[:limit] if (item := _shown(hit, context, n_snippets)) is not None]
        told = sentences([(reasons, item.found.hit) for item, reasons in shown])
        answer = RelatedNotes(
            notes=tuple(
                evolve(item, found=evolve(item.found, sentence=sentence))
                for (item, _), sentence in zip(shown, told, strict=True)
            ),
            notices=notices,
            total=len(hits),
            generation=context.generation,
        )
        self._kept.put(key, answer)
        return answer


def _no_such_note(note: NoteId, why: str | None) -> Notice:
    message = f"{note} is not searched: {why}." if why else f"There is no note {note}."
    return Notice(NoticeKind.NOTE, "no-such-note", message, note)


def _no_such_heading(heading: str) -> Notice:
    message = f"The note has no heading {quote(heading)}; the whole note was used."
    return Notice(NoticeKind.DEGRADED, "no-such-heading", message, heading)


def _in_order(ranking: Ranking[NoteId], known: frozenset[NoteId], linked: Linked) -> list[Hit[NoteId]]:
    """The hits in the order in which they are shown; `known` are the notes that are linked already."""
    match linked:
        case Linked.INCLUDE:
            return list(ranking)
        case Linked.LAST:
            return sorted(ranking, key=lambda hit: hit.id in known)
        case Linked.EXCLUDE:
            return [hit for hit in ranking if hit.id not in known]
        case _:
            assert_never(linked)


@frozen(kw_only=True, eq=False)
class _Context:
    """All that an answer is made of, from one state of the vault."""

    indexer: Indexer
    subject: Subject
    around: Neighbourhood
    linked: frozenset[NoteId]  # to or from the whole note
    notes: Mapping[NoteId, Note]
    related: Related
    meaning: Meaning | None
    generation: int

    @cached_property
    def n_with_heading(self) -> Mapping[str, int]:
        """The number of notes that have a heading with this text."""
        return Counter(text for note in self.notes.values() for text in set(note.heading_texts))

    def section_at(self, note: Note, lines: tuple[int, int] | None) -> str:
        """The heading above some lines, as plain text; empty if it is the note's title or one of many notes."""
        heading = section_at(note, lines)
        n_most = max(_FEW, _COMMON_HEADING * len(self.notes))
        return readings(heading)[2].strip() if self.n_with_heading.get(heading, 0) <= n_most else ""

    def lines_of(self, note: NoteId, chunk: int) -> tuple[int, int] | None:
        """The lines of a note's passage; None without vectors."""
        return None if self.meaning is None else self.meaning.lines_of(note, chunk)


def _context(texts: Texts, note: Note, place: Place, meaning: Meaning | None, budget: Budget) -> _Context:
    indexer = texts.indexer
    lines = () if place.lines is None else split_lines(texts.of(note).text)
    with indexer.lock:
        corpus, postings = indexer.corpus, indexer.corpus.postings
        notes = {id_: other for id_, other in corpus.notes.items() if id_ == note.id or not is_by_name(id_)}
        generation = corpus.generation
        whole = around = neighbourhood_of(note.id, corpus.links)
        if place.lines is not None:
            around = neighbourhood_of_lines(note, place.lines, lines, corpus.links, notes)
    subject = subject_of(texts, note, place.lines, notes, Lookup(corpus.vocabulary, postings))
    budget.check()
    return _Context(
        indexer=indexer,
        subject=subject,
        around=around,
        linked=whole.linked,
        notes=notes,
        related=rank_related(subject, around, notes, meaning, budget),
        meaning=meaning,
        generation=generation,
    )


# What is shown


def _shown(hit: Hit[NoteId], context: _Context, n_snippets: int) -> tuple[RelatedNote, Reasons] | None:
    """A related note for display without its sentence, and what can be said of it; None if it was deleted meanwhile."""
    note, vault, subject = context.notes[hit.id], context.indexer.vault, context.subject
    text = vault.text(hit.id)
    if not text and hit.id not in vault.notes:
        return None
    slot = subject.lookup.postings.slots.get(hit.id)
    shared = () if slot is None else words_in(context.related.terms, slot)
    tags = _rare_tags(subject.tags & folded(note.tags), context.notes)
    evidence = _evidence(hit, context, shared, len(subject.tags & folded(note.tags)))
    lines, passage = lines_of(text), evidence.semantic_lines
    snippets = excerpts(note, lines, [HighlightTerm(term.text, term.idf) for term, _ in shared], n_snippets=n_snippets)
    snippets = snippets or (opening(lines, *passage) if passage else ()) or beginning(note, lines)
    found = FoundNote(
        hit=evolve(hit, evidence=evidence),
        title=note.title,
        sentence="",
        strength=hit.score,
        snippets=placed(snippets, note, vault),
        sections=sections_of(note, snippets),
    )
    reasons = _reasons(hit.id, context, shared, tags, passage)
    return RelatedNote(found=found, is_linked=hit.id in context.linked), reasons


def _evidence(
    hit: Hit[NoteId], context: _Context, shared: Sequence[tuple[DistinctiveTerm, int]], n_tags: int
) -> Evidence:
    meaning, alike = context.related.signals[MEANING].get(hit.id), context.related.alike.get(hit.id)
    n_links = int(hit.id in context.around.outgoing) + int(hit.id in context.around.incoming)
    n_citing = len(context.around.citing.get(hit.id, ()))
    graph = GraphEvidence(n_links, n_citing, n_tags, n_links + 0.5 * n_citing + 0.3 * n_tags, 1.0)
    return Evidence(
        matches=tuple(FieldMatch(Field.BODY, term.text, 1.0, count) for term, count in shared[:_N_WORDS_SHOWN]),
        cosine=None if meaning is None else meaning.raw,
        semantic_lines=None if meaning is None or alike is None else context.lines_of(hit.id, alike.chunk),
        graph=graph if n_links or n_citing or n_tags else None,
    )


def _reasons(
    id_: NoteId,
    context: _Context,
    shared: Sequence[tuple[DistinctiveTerm, int]],
    tags: Sequence[str],
    passage: tuple[int, int] | None,
) -> Reasons:
    note, notes, around = context.notes[id_], context.notes, context.around
    own = context.related.alike.get(id_)
    own_lines = None if own is None else context.lines_of(context.subject.note.id, own.own_chunk)
    words = [term.text for term, _ in shared if term.text.count(".") <= 1]  # else it is the path of a link
    rare = [term.text for term, _ in shared if term.text in words and len(term.found) <= _n_most(notes)]
    return Reasons(
        own_section=context.section_at(context.subject.note, own_lines) if context.subject.lines is None else "",
        section=context.section_at(note, passage),
        words=rare or words,
        title_words=_rare_first(context, words_of(note.title)) if id_ in context.related.signals[MENTIONS] else (),
        is_target=id_ in around.outgoing,
        is_source=id_ in around.incoming,
        citing=[notes[other].title for other in around.citing.get(id_, ()) if other in notes],
        via=[notes[other].title for other in around.via.get(id_, ()) if other in notes],
        tags=tags,
        folder=note.folder,
    )


def _rare_first(context: _Context, words: frozenset[str]) -> list[str]:
    """Those words that the subject has, without common ones unless there are no others; rarest first."""
    known = context.subject.lookup.ids(sorted(words & context.subject.counts.keys()))
    n_notes = {word: context.subject.lookup.place(id_)[1] for word, id_ in known.items()}
    rare = [word for word in known if n_notes[word] <= _n_most(context.notes)]
    return sorted(rare or known, key=lambda word: (n_notes[word], word))


def _rare_tags(tags: frozenset[str], notes: Mapping[NoteId, Note]) -> list[str]:
    """The tags that at most a quarter of all notes have, rarest first."""
    n_notes = {tag: sum(tag in folded(note.tags) for note in notes.values() if note.tags) for tag in tags}
    return sorted((tag for tag in tags if n_notes[tag] <= _n_most(notes)), key=lambda tag: (n_notes[tag], tag))


def _n_most(notes: Mapping[NoteId, Note]) -> float:
    return max(_FEW, _COMMON * len(notes))
