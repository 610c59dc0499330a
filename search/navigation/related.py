"""Notes related to a note, a section or a selection: by words, meaning, links, citations, tags and folder.

    score = sum over the sources of  weight * unit score,  each 0..1

    meaning    .45  the anchored cosine of the nearest passage
    words      .20  the share of the text's distinctive words (`navigation/distinctive`)
    links      .15  1 if one links to the other
    citations  .08  c / (c + 1), with c from the notes that cite both, where notes with many links count less
    tags       .08  the share of the note's tags, weighted by idf
    folder     .04  1 if both are in the same folder, unless it is large

This score does not depend on the other results, so it is also the strength of a related note.
Without vectors, the words also get the weight of meaning. Parts of a note that come from a template do not count,
neither words nor tags; for notes of the same template, the similarity in meaning counts only by the share of the rest.

A section or selection has words, meaning, links and citations of its own; tags and folder are those of its note. Notes
that are already linked with the note are included and marked, whatever part of it the query is about. Nothing is
embedded, and only files of notes that may be related are read.

An answer is cached until anything in the vault changes, as it depends on document frequencies, links and vectors. The
analysis of a note's text is cached until that note changes. So a change elsewhere does not repeat it, and yet no answer
is older than the vault.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from attrs import evolve, frozen

from search.answer.evidence import Evidence, Field, FieldMatch, GraphEvidence
from search.answer.explain import listed, quote
from search.answer.ranking import Hit, Ranking
from search.answer.result import FoundNote
from search.answer.trail import Arithmetic, Found, Fused
from search.budget import Budget
from search.graph.headings import section_named
from search.graph.neighbourhood import Neighbourhood, neighbourhood_of, neighbourhood_of_lines
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.postings import Postings
from search.navigation.distinctive import (
    DistinctiveTerm,
    Lookup,
    count_words,
    distinctive,
    pieces_of,
    shared_words,
    template_pieces,
    words_in,
)
from search.normalize.anchored import anchored_arithmetic, to_anchored
from search.notice import Notice, NoticeKind
from search.providers.lru import LruCache
from search.snippets.excerpts import beginning, excerpts, lines_of, opening, sections_of
from search.snippets.spots import HighlightTerm
from search.vault.lines import to_lf
from search.vault.note import Note

MEANING, WORDS, LINKS, CITATIONS, TAGS, FOLDER = "meaning", "words", "links", "citations", "tags", "folder"
WEIGHTS = {MEANING: 0.45, WORDS: 0.20, LINKS: 0.15, CITATIONS: 0.08, TAGS: 0.08, FOLDER: 0.04}
MIN_SCORE = 0.05  # a lower score means a word in common, as any two notes have

_N_NEAR = 60  # candidates from meaning, words or tags
_N_TEMPLATE_TEXTS = 40  # notes that are searched for the lines of a template
_SAME_TEMPLATE = 2  # pieces of a template that make a note one of its notes
_TEMPLATE_SHARE = 0.5  # a word or tag that this share of a template's notes have comes from the template
_MAX_FOLDER = 200  # notes; sharing a larger folder says nothing
_N_WORDS_NAMED = 3  # in a sentence
_N_WORDS_SHOWN = 10  # as evidence
_N_CLAUSES = 3
_N_ANSWERS = 128  # cached
_N_CHARACTERS = 50_000  # of a text that are analysed, as counting words takes 2 seconds a megabyte
_N_TEXTS = 512  # cached analyses: those of some ten answers


@frozen(kw_only=True)
class Place:
    """The subject of a query: a whole note, or some of its lines (half-open, from 0)."""

    note: NoteId
    lines: tuple[int, int] | None = None


class Meaning(Protocol):
    """The part of semantic search that is used here."""

    @property
    def anchors(self) -> tuple[float, float]:
        """The raw cosine that is worth nothing, and that of a sure match."""

    @property
    def n_vectors(self) -> int:
        """The number of vectors in memory."""

    def similar_notes(
        self, note: NoteId, lines: tuple[int, int] | None, n: int, *, budget: Budget
    ) -> Ranking[NoteId] | None:
        """The notes nearest to a note or to some of its lines, by cosine; None if they are unknown now."""


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


@frozen(kw_only=True)
class _Signal:
    """One source's score for a note: raw, and scaled to 0..1."""

    raw: float
    unit: float
    arithmetic: Arithmetic  # of the unit score, with `raw`
    lines: tuple[int, int] | None = None  # of the similar passage


_ONE = Arithmetic("1", {})
Signals = dict[str, dict[NoteId, _Signal]]


@frozen(eq=False)
class _Text:
    """The analysis of a note's text, computed on first use; only the beginning of a long text or section counts."""

    note: Note
    text: str

    @cached_property
    def pieces(self) -> frozenset[str]:
        """All pieces, including front matter."""
        return frozenset(pieces_of(self.text[:_N_CHARACTERS]))

    @cached_property
    def body(self) -> tuple[list[str], Counter[str]]:
        """The pieces after the front matter, and how often each word occurs in them."""
        return self.within(self.note.body_line, None)

    def within(self, start: int, end: int | None) -> tuple[list[str], Counter[str]]:
        """The same for some lines."""
        pieces = pieces_of("\n".join(self.text.split("\n")[start:end])[:_N_CHARACTERS])
        return pieces, count_words(pieces)


class _Texts:
    """Analysed texts, each cached as long as its note stays the same value."""

    def __init__(self, indexer: Indexer) -> None:
        self.indexer = indexer
        self._kept = LruCache[NoteId, _Text](_N_TEXTS)

    def of(self, note: Note) -> _Text:
        """The text of a note; empty for a deleted note."""
        kept = self._kept.get(note.id)
        if kept is not None and kept.note is note:
            return kept
        text = _Text(note, to_lf(self.indexer.vault.text(note.id)))
        if self.indexer.vault.notes.get(note.id) is note:  # else the text may be newer than the note
            self._kept.put(note.id, text)
        return text


class Related:
    """Related notes, with caches: answers until anything in the vault changes, texts until their note changes."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._texts = _Texts(indexer)
        self._kept = LruCache[object, RelatedNotes](_N_ANSWERS)

    def find(
        self,
        place: Place,
        *,
        heading: str = "",
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
        key = (place, heading, limit, n_snippets, self._indexer.corpus.generation, n_vectors)
        if kept := self._kept.get(key):
            return kept
        context = _context(self._texts, note, place, meaning, budget)
        shown = [_shown(hit, context, n_snippets) for hit in context.ranking.top(limit)]
        answer = RelatedNotes(
            notes=tuple(item for item in shown if item is not None),
            notices=notices,
            total=len(context.ranking),
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


@frozen(kw_only=True)
class _Source:
    """The subject's text, without the parts from a template."""

    note: Note
    terms: tuple[DistinctiveTerm, ...]
    tags: frozenset[str]  # folded
    siblings: frozenset[NoteId] = frozenset()  # notes of the same template
    own_share: float = 1.0  # share of the text that is not from the template


def _context(texts: _Texts, note: Note, place: Place, meaning: Meaning | None, budget: Budget) -> "_Context":
    indexer = texts.indexer
    lines = () if place.lines is None else texts.of(note).text.split("\n")
    with indexer.lock:
        corpus, postings = indexer.corpus, indexer.corpus.postings
        notes, generation = dict(corpus.notes), corpus.generation
        whole = around = neighbourhood_of(note.id, corpus.links)
        if place.lines is not None:
            around = neighbourhood_of_lines(note, place.lines, lines, corpus.links, notes)
        n_in_folder = corpus.notes_per_folder.get(note.folder, 0)
    source = _source(texts, note, place, notes, Lookup(corpus.vocabulary, postings))
    budget.check()
    signals: Signals = {WORDS: _by_words(source.terms, postings, note.id)}
    signals[MEANING] = {} if meaning is None else _by_meaning(meaning, place, source, budget)
    signals |= {LINKS: _by_links(around), CITATIONS: _by_citations(around), TAGS: _by_tags(source.tags, notes, note.id)}
    candidates = {id_ for found in signals.values() for id_ in found if id_ in notes} - {note.id}
    if 1 < n_in_folder <= _MAX_FOLDER and not any(
        notes[id_].folder == note.folder for id_ in source.siblings if id_ in notes
    ):
        in_folder = _Signal(raw=1.0, unit=1.0, arithmetic=_ONE)
        signals[FOLDER] = {id_: in_folder for id_ in candidates if notes[id_].folder == note.folder}
    ranking = _fused(signals, candidates)
    budget.check()
    return _Context(
        indexer=indexer,
        source=source,
        around=around,
        linked=whole.linked,
        signals=signals,
        notes=notes,
        postings=postings,
        ranking=ranking,
        generation=generation,
    )


# The subject


def _source(texts: _Texts, note: Note, place: Place, notes: Mapping[NoteId, Note], lookup: Lookup) -> _Source:
    text = texts.of(note)
    subject, counts = text.body if place.lines is None else text.within(*place.lines)
    title = note.title if place.lines is None else ""
    first = distinctive(counts, title, lookup)
    candidates = _possible_siblings(first, note, notes, lookup.postings)
    others = {id_: texts.of(notes[id_]).pieces for id_ in candidates}
    template = template_pieces(text.pieces, others.values())
    siblings = frozenset(id_ for id_, pieces in others.items() if len(pieces & template) >= _SAME_TEMPLATE)
    tags = _folded(note.tags)
    if not siblings:
        return _Source(note=note, terms=first, tags=tags)
    own = [piece for piece in subject if piece not in template]
    n_tagged = Counter(tag for id_ in siblings for tag in _folded(notes[id_].tags))
    slots = [slot for id_ in siblings if (slot := lookup.postings.slots.get(id_)) is not None]
    terms = distinctive(counts - count_words(piece for piece in subject if piece in template), title, lookup)
    return _Source(
        note=note,
        terms=tuple(term for term in terms if term.share_of(slots) < _TEMPLATE_SHARE),
        tags=frozenset(tag for tag in tags if n_tagged[tag] < _TEMPLATE_SHARE * len(siblings)),
        siblings=siblings,
        own_share=sum(map(len, own)) / max(1, sum(map(len, subject))),
    )


def _possible_siblings(
    terms: tuple[DistinctiveTerm, ...], note: Note, notes: Mapping[NoteId, Note], postings: Postings
) -> list[NoteId]:
    """Notes that may have the same template: those that share most words, and the newest ones in the same folder."""
    scores = shared_words(terms, postings)
    best = (-scores).argsort(kind="stable")[:_N_TEMPLATE_TEXTS].tolist()
    similar = [postings.notes[slot] for slot in best if scores[slot]]
    in_folder = [id_ for id_ in notes if id_.rpartition("/")[0] == note.folder]
    in_folder.sort(key=lambda id_: -notes[id_].modified)
    found = dict.fromkeys((*similar[: _N_TEMPLATE_TEXTS // 2], *in_folder[: _N_TEMPLATE_TEXTS // 2], *similar))
    return [id_ for id_ in found if id_ != note.id and id_ in notes][:_N_TEMPLATE_TEXTS]


# The sources


def _by_words(terms: tuple[DistinctiveTerm, ...], postings: Postings, self_id: NoteId) -> dict[NoteId, _Signal]:
    scores = shared_words(terms, postings)
    most = sum(term.weight * term.idf for term in terms)
    arithmetic = Arithmetic("min(1, raw / most)", {"most": most})
    best = (-scores).argsort(kind="stable")[: _N_NEAR + 1].tolist()
    return {
        postings.notes[slot]: _Signal(
            raw=scores[slot], unit=min(1.0, float(scores[slot]) / most), arithmetic=arithmetic
        )
        for slot in best
        if scores[slot] > 0.0 and postings.notes[slot] != self_id
    }


def _by_meaning(meaning: Meaning, place: Place, source: _Source, budget: Budget) -> dict[NoteId, _Signal]:
    similar = meaning.similar_notes(place.note, place.lines, _N_NEAR, budget=budget) or Ranking()
    floor, gate = meaning.anchors
    cosines = [hit.score for hit in similar]
    units = to_anchored(cosines, low=floor, high=gate)
    return {
        hit.id: _Signal(
            raw=cosine,
            unit=unit * (source.own_share if hit.id in source.siblings else 1.0),
            arithmetic=_of_cosine(cosine, meaning.anchors, source.own_share if hit.id in source.siblings else None),
            lines=hit.evidence.semantic_lines,
        )
        for hit, cosine, unit in zip(similar, cosines, units, strict=True)
    }


def _of_cosine(cosine: float, anchors: tuple[float, float], own_share: float | None) -> Arithmetic:
    anchored = anchored_arithmetic(cosine, low=anchors[0], high=anchors[1], of="raw")
    if own_share is None:
        return anchored
    return Arithmetic(f"({anchored.formula}) * own_share", {**anchored.numbers, "own_share": own_share})


def _by_links(around: Neighbourhood) -> dict[NoteId, _Signal]:
    both = Counter((*around.outgoing, *around.incoming))
    return {id_: _Signal(raw=n_ways, unit=1.0, arithmetic=_ONE) for id_, n_ways in both.items()}


def _by_citations(around: Neighbourhood) -> dict[NoteId, _Signal]:
    arithmetic = Arithmetic("raw / (raw + 1)", {})
    return {id_: _Signal(raw=raw, unit=raw / (raw + 1.0), arithmetic=arithmetic) for id_, raw in around.cited.items()}


@lru_cache(maxsize=4096)
def _folded(tags: tuple[str, ...]) -> frozenset[str]:
    """Tags without case, cached because many notes have the same ones."""
    return frozenset(map(str.casefold, tags))


def _by_tags(tags: frozenset[str], notes: Mapping[NoteId, Note], self_id: NoteId) -> dict[NoteId, _Signal]:
    if not tags:
        return {}
    tagged = {
        id_: shared
        for id_, note in notes.items()
        if note.tags and id_ != self_id and (shared := tags & _folded(note.tags))
    }
    n_notes = Counter(tag for shared in tagged.values() for tag in shared)
    idf = {tag: math.log(1.0 + len(notes) / (1.0 + n_notes[tag])) for tag in tags}
    total = sum(idf.values())
    sums = {id_: sum(idf[tag] for tag in shared) for id_, shared in tagged.items()}
    best = sorted(sums, key=lambda id_: (-sums[id_], -notes[id_].modified, id_))[:_N_NEAR]
    return {
        id_: _Signal(
            raw=float(len(tagged[id_])),
            unit=sums[id_] / total,
            arithmetic=Arithmetic("idf_shared / idf_all", {"idf_shared": sums[id_], "idf_all": total}),
        )
        for id_ in best
    }


# The answer


def _fused(signals: Signals, candidates: Iterable[NoteId]) -> Ranking[NoteId]:
    weights = dict(WEIGHTS)
    if not signals[MEANING]:
        weights[WORDS] += weights.pop(MEANING)
    ranks = {
        name: {id_: rank for rank, id_ in enumerate(sorted(found, key=lambda id_: (-found[id_].unit, id_)), start=1)}
        for name, found in signals.items()
    }
    hits = []
    for id_ in candidates:
        own = [(name, found[id_]) for name, found in signals.items() if id_ in found]
        steps = [Found(name, float(signal.raw)) for name, signal in own]
        added = [
            Fused(name, ranks[name][id_], weights[name], weights[name] * signal.unit, _weighted(signal.arithmetic))
            for name, signal in own
        ]
        hits.append(Hit.found(id_, *steps, *added))
    return Ranking.of(hit for hit in hits if hit.score >= MIN_SCORE)


def _weighted(unit: Arithmetic) -> Arithmetic:
    return Arithmetic(f"weight * ({unit.formula})", unit.numbers)


@frozen(kw_only=True)
class _Context:
    """All that an answer is made of, from one state of the vault."""

    indexer: Indexer
    source: _Source
    around: Neighbourhood
    linked: frozenset[NoteId]  # to or from the whole note
    signals: Signals
    notes: Mapping[NoteId, Note]
    postings: Postings
    ranking: Ranking[NoteId]
    generation: int


def _shown(hit: Hit[NoteId], context: _Context, n_snippets: int) -> RelatedNote | None:
    """A related note for display; None if it was deleted in the meantime."""
    note, vault = context.notes[hit.id], context.indexer.vault
    text = vault.text(hit.id)
    if not text and hit.id not in vault.notes:
        return None
    slot = context.postings.slots.get(hit.id)
    shared = () if slot is None else words_in(context.source.terms, slot)
    tags = context.source.tags & _folded(note.tags)
    evidence = _evidence(hit, context, shared, len(tags))
    lines, passage = lines_of(text), evidence.semantic_lines
    snippets = excerpts(note, lines, [HighlightTerm(term.text, term.idf) for term, _ in shared], n_snippets=n_snippets)
    snippets = snippets or (opening(lines, *passage) if passage else ()) or beginning(note, lines)
    found = FoundNote(
        hit=evolve(hit, evidence=evidence),
        title=note.title,
        sentence=_reason(hit, context.around, [term.text for term, _ in shared], sorted(tags), note.folder),
        strength=hit.score,
        snippets=snippets,
        sections=sections_of(note, snippets),
    )
    return RelatedNote(found=found, is_linked=hit.id in context.linked)


def _evidence(
    hit: Hit[NoteId], context: _Context, shared: Sequence[tuple[DistinctiveTerm, int]], n_tags: int
) -> Evidence:
    meaning = context.signals[MEANING].get(hit.id)
    n_links = int(hit.id in context.around.outgoing) + int(hit.id in context.around.incoming)
    n_citing = context.around.n_citing.get(hit.id, 0)
    graph = GraphEvidence(n_links, n_citing, n_tags, n_links + 0.5 * n_citing + 0.3 * n_tags, 1.0)
    return Evidence(
        matches=tuple(FieldMatch(Field.BODY, term.text, 1.0, count) for term, count in shared[:_N_WORDS_SHOWN]),
        cosine=None if meaning is None else meaning.raw,
        semantic_lines=None if meaning is None else meaning.lines,
        graph=graph if n_links or n_citing or n_tags else None,
    )


def _reason(hit: Hit[NoteId], around: Neighbourhood, words: Sequence[str], tags: Sequence[str], folder: str) -> str:
    """One sentence with the strongest reasons, at most three."""
    if hit.id in around.outgoing & around.incoming:
        linked = "both link to each other"
    else:
        linked = "it is linked from here" if hit.id in around.outgoing else "it links here"
    n_citing = around.n_citing.get(hit.id, 0)
    clauses = {
        MEANING: "similar in meaning",
        WORDS: f"shares {listed([quote(word) for word in words[:_N_WORDS_NAMED]])}",
        LINKS: linked,
        CITATIONS: f"cited together in {n_citing} note{'s'[: n_citing != 1]}",
        TAGS: f"shares {listed(['#' + tag for tag in tags[:_N_WORDS_NAMED]])}",
        FOLDER: f"both are in {folder}/" if folder else "both are in the top folder",
    }
    amounts = {step.source: step.amount for step in hit.trail if isinstance(step, Fused)}
    strongest = sorted(amounts, key=lambda name: (-amounts[name], name))[:_N_CLAUSES]
    text = "; ".join(clauses[name] for name in strongest)
    return text[0].upper() + text[1:] + "."
