"""Notes that have to do with a note, a section or a selection: by what it says, what it means, and what it is tied to.

    score = sum over the sources of  weight * unit score,  each 0..1

    meaning    .45  the anchored cosine of the nearest passage
    words      .20  the share of the text's distinctive words (`text/distinct`)
    links      .15  1 where one links to the other
    citations  .08  notes that cite both, one with many links counting less: c / (c + 1)
    tags       .08  the share of the note's tags by idf
    folder     .04  1 where both lie in a folder that is not large

Where there are no vectors, the words have the meaning's weight too. What a template put into the note does not count:
neither its words nor its tags, and notes of the same template are alike in meaning only as far as the rest goes.

Of a section or a selection, words, meaning, links and citations are its own; tags and folder are those of the note.
What the note links to or is linked from is marked, not left out, whatever part of it is asked about. Nothing is
embedded, and no file is read but of notes in question.

An answer is kept until anything in the vault changes: how rare words and tags are, who links where and what has come
to be alike is in it. What was read from the text of a note, its own or that of another one which may have the same
template, is kept as long as that note is as it was. So after a change elsewhere no text is taken apart again, and yet
nothing that is shown is older than the vault.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import Lock

from attrs import evolve, frozen

from search.answer.evidence import Evidence, Field, FieldMatch, GraphEvidence
from search.answer.explain import listed, quote
from search.answer.ranking import Hit, Ranking
from search.answer.result import FoundNote
from search.answer.trail import Found, Fused
from search.budget import UNLIMITED, Budget
from search.graph.ties import Ties, ties_of, ties_of_lines
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.postings import Postings
from search.navigation.distinctive import (
    Distinct,
    Lookup,
    counted,
    distinctive,
    pieces_of,
    shared_words,
    template_pieces,
    words_in,
)
from search.normalize.anchored import to_anchored
from search.notice import Notice
from search.snippets.excerpts import beginning, excerpts, lines_of, opening, sections_of
from search.snippets.spots import HighlightTerm
from search.vault.lines import to_lf
from search.vault.note import Note

MEANING, WORDS, LINKS, CITATIONS, TAGS, FOLDER = "meaning", "words", "links", "citations", "tags", "folder"
WEIGHTS = {MEANING: 0.45, WORDS: 0.20, LINKS: 0.15, CITATIONS: 0.08, TAGS: 0.08, FOLDER: 0.04}
MIN_SCORE = 0.05  # below it two notes have a word in common, as any two have

N_NEAR = 60  # notes that meaning or words may bring in
_N_TEMPLATE_TEXTS = 40  # notes that are looked at for traces of a template
_SAME_TEMPLATE = 2  # pieces of a template that a note must have to be of it
_TEMPLATE_SHARE = 0.5  # of the notes of a template: a word or tag that so many have is the template's
_MAX_FOLDER = 200  # notes of a folder that says something
_N_WORDS_NAMED = 3  # in a sentence
_N_WORDS_TOLD = 10  # as evidence
_N_CLAUSES = 3
_N_KEPT = 128  # answers
_N_CHARACTERS = 50_000  # of a text say what it is about; words of a longer one are counted at 2 seconds a megabyte
_N_TEXTS = 512  # taken apart: those of some ten answers


@frozen(kw_only=True)
class Place:
    """What is asked about: a whole note, or some of its lines (half-open, from 0)."""

    note: NoteId
    lines: tuple[int, int] | None = None


@frozen(kw_only=True)
class RelatedNote:
    """A note, why it is related in its `sentence`, and whether one of the two links to the other."""

    found: FoundNote
    is_linked: bool


@frozen(kw_only=True)
class RelatedNotes:
    """The answer. `total` counts all that are related, before the limit."""

    notes: tuple[RelatedNote, ...] = ()
    notices: tuple[Notice, ...] = ()
    total: int = 0
    is_complete: bool = True
    generation: int = 0


@frozen(kw_only=True)
class Alike:
    """What meaning says: the ranking by cosine, and the cosines that are worth nothing and that are sure."""

    ranking: Ranking[NoteId]
    floor: float
    gate: float


@frozen(kw_only=True)
class _Clue:
    """One source's word for a note: its raw figure and that between 0 and 1."""

    raw: float
    unit: float
    lines: tuple[int, int] | None = None  # the passage that it is about


Clues = dict[str, dict[NoteId, _Clue]]


@frozen(eq=False)
class _Text:
    """What a note's text says, taken apart as far as somebody asked; of a long one, or a long section, the begin."""

    note: Note
    text: str

    @cached_property
    def pieces(self) -> frozenset[str]:
        """All of them, front matter too."""
        return frozenset(pieces_of(self.text[:_N_CHARACTERS]))

    @cached_property
    def body(self) -> tuple[list[str], Counter[str]]:
        """The pieces below the front matter, and how often each word stands in them."""
        return self.within(self.note.body_line, None)

    def within(self, start: int, end: int | None) -> tuple[list[str], Counter[str]]:
        """The same of some lines."""
        pieces = pieces_of("\n".join(self.text.split("\n")[start:end])[:_N_CHARACTERS])
        return pieces, counted(pieces)


class _Texts:
    """Texts taken apart, each kept as long as its note stays the value that it is."""

    def __init__(self, reading: Indexer) -> None:
        self.reading = reading
        self._lock = Lock()
        self._kept: OrderedDict[NoteId, _Text] = OrderedDict()

    def of(self, note: Note) -> _Text:
        """The text of a note; empty for one that is gone."""
        with self._lock:
            kept = self._kept.get(note.id)
            if kept is not None and kept.note is note:
                self._kept.move_to_end(note.id)
                return kept
        text = _Text(note, to_lf(self.reading.vault.text(note.id)))
        if self.reading.vault.notes.get(note.id) is note:  # else the text may be that of a newer note
            with self._lock:
                self._kept[note.id] = text
                while len(self._kept) > _N_TEXTS:
                    self._kept.popitem(last=False)
        return text


class Related:
    """Answers, kept as long as nothing in the vault changes; what a text says, as long as its note does not."""

    def __init__(self, reading: Indexer) -> None:
        self._reading = reading
        self._texts = _Texts(reading)
        self._lock = Lock()
        self._kept: OrderedDict[object, RelatedNotes] = OrderedDict()

    def find(
        self,
        place: Place,
        *,
        limit: int,
        n_snippets: int,
        alike: Callable[[], Alike | None],
        stamp: object,
        budget: Budget = UNLIMITED,
    ) -> RelatedNotes:
        """The related notes, best first, ties by id; none for a note that is not there.

        `alike` is asked for what meaning says, None for nothing; `stamp` changes when it would say something else.
        """
        note = self._reading.vault.notes.get(place.note)
        if note is None:
            return RelatedNotes(generation=self._reading.corpus.generation)
        key = (place, limit, n_snippets, self._reading.corpus.generation, stamp)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        case = _case(self._texts, note, place, alike(), budget)
        told = [_told(hit, case, n_snippets) for hit in case.ranking.top(limit)]
        answer = RelatedNotes(
            notes=tuple(item for item in told if item is not None),
            total=len(case.ranking),
            generation=case.generation,
        )
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > _N_KEPT:
                self._kept.popitem(last=False)
        return answer


@frozen(kw_only=True)
class _Source:
    """The text that is asked about, without what a template put there."""

    note: Note
    terms: tuple[Distinct, ...]
    tags: frozenset[str]  # folded, its own
    siblings: frozenset[NoteId] = frozenset()  # of the same template
    own_share: float = 1.0  # of its text that is not the template's


def _case(texts: _Texts, note: Note, place: Place, alike: Alike | None, budget: Budget) -> "_Case":
    reading = texts.reading
    lines = () if place.lines is None else texts.of(note).text.split("\n")
    with reading.lock:
        corpus, postings = reading.corpus, reading.corpus.postings
        notes, generation = dict(corpus.notes), corpus.generation
        whole = ties_of(note.id, corpus.links)
        ties = whole if place.lines is None else ties_of_lines(note, place.lines, lines, corpus.links, notes)
        n_in_folder = corpus.notes_per_folder.get(note.folder, 0)
    source = _source(texts, note, place, notes, Lookup(corpus.vocabulary, postings))
    budget.check()
    clues: Clues = {WORDS: _by_words(source.terms, postings, note.id)}
    clues[MEANING] = {} if alike is None else _by_meaning(alike, source)
    clues |= {LINKS: _by_links(ties), CITATIONS: _by_citations(ties), TAGS: _by_tags(source.tags, notes, note.id)}
    candidates = {id_ for found in clues.values() for id_ in found if id_ in notes} - {note.id}
    if 1 < n_in_folder <= _MAX_FOLDER and not any(
        notes[id_].folder == note.folder for id_ in source.siblings if id_ in notes
    ):
        clues[FOLDER] = {id_: _Clue(raw=1.0, unit=1.0) for id_ in candidates if notes[id_].folder == note.folder}
    ranking = _fused(clues, candidates)
    budget.check()
    return _Case(
        reading=reading,
        source=source,
        ties=ties,
        linked=whole.linked,
        clues=clues,
        notes=notes,
        postings=postings,
        ranking=ranking,
        generation=generation,
    )


# What the text is about


def _source(texts: _Texts, note: Note, place: Place, notes: Mapping[NoteId, Note], lookup: Lookup) -> _Source:
    text = texts.of(note)
    asked, counts = text.body if place.lines is None else text.within(*place.lines)
    title = note.title if place.lines is None else ""
    first = distinctive(counts, title, lookup)
    suspects = _suspects(first, note, notes, lookup.postings)
    others = {id_: texts.of(notes[id_]).pieces for id_ in suspects}
    template = template_pieces(text.pieces, others.values())
    siblings = frozenset(id_ for id_, pieces in others.items() if len(pieces & template) >= _SAME_TEMPLATE)
    tags = _folded(note.tags)
    if not siblings:
        return _Source(note=note, terms=first, tags=tags)
    own = [piece for piece in asked if piece not in template]
    n_tagged = Counter(tag for id_ in siblings for tag in _folded(notes[id_].tags))
    slots = [slot for id_ in siblings if (slot := lookup.postings.slots.get(id_)) is not None]
    terms = distinctive(counts - counted(piece for piece in asked if piece in template), title, lookup)
    return _Source(
        note=note,
        terms=tuple(term for term in terms if term.share_of(slots) < _TEMPLATE_SHARE),
        tags=frozenset(tag for tag in tags if n_tagged[tag] < _TEMPLATE_SHARE * len(siblings)),
        siblings=siblings,
        own_share=sum(map(len, own)) / max(1, sum(map(len, asked))),
    )


def _suspects(
    terms: tuple[Distinct, ...], note: Note, notes: Mapping[NoteId, Note], postings: Postings
) -> list[NoteId]:
    """The notes that may be of the same template: those most alike in words, then the newest of the same folder."""
    scores = shared_words(terms, postings).scores
    best = (-scores).argsort(kind="stable")[:_N_TEMPLATE_TEXTS].tolist()
    near = [postings.notes[slot] for slot in best if scores[slot]]
    prefix = note.id[: note.id.rfind("/") + 1]
    n_before = len(prefix)
    beside = [id_ for id_ in notes if id_.startswith(prefix) and id_.find("/", n_before) < 0]
    beside.sort(key=lambda id_: -notes[id_].modified)
    found = dict.fromkeys((*near[: _N_TEMPLATE_TEXTS // 2], *beside[: _N_TEMPLATE_TEXTS // 2], *near))
    return [id_ for id_ in found if id_ != note.id and id_ in notes][:_N_TEMPLATE_TEXTS]


# What speaks for a note


def _by_words(terms: tuple[Distinct, ...], postings: Postings, self_id: NoteId) -> dict[NoteId, _Clue]:
    shared = shared_words(terms, postings)
    best = (-shared.scores).argsort(kind="stable")[: N_NEAR + 1].tolist()
    return {
        postings.notes[slot]: _Clue(raw=shared.scores[slot], unit=min(1.0, float(shared.scores[slot]) / shared.unit))
        for slot in best
        if shared.scores[slot] > 0.0 and postings.notes[slot] != self_id
    }


def _by_meaning(alike: Alike, source: _Source) -> dict[NoteId, _Clue]:
    cosines = [hit.score for hit in alike.ranking]
    units = to_anchored(cosines, low=alike.floor, high=alike.gate)
    return {
        hit.id: _Clue(
            raw=cosine,
            unit=unit * (source.own_share if hit.id in source.siblings else 1.0),
            lines=hit.evidence.semantic_lines,
        )
        for hit, cosine, unit in zip(alike.ranking, cosines, units, strict=True)
    }


def _by_links(ties: Ties) -> dict[NoteId, _Clue]:
    both = Counter((*ties.outgoing, *ties.incoming))
    return {id_: _Clue(raw=n_ways, unit=1.0) for id_, n_ways in both.items()}


def _by_citations(ties: Ties) -> dict[NoteId, _Clue]:
    return {id_: _Clue(raw=raw, unit=raw / (raw + 1.0)) for id_, raw in ties.cited.items()}


@lru_cache(maxsize=4096)
def _folded(tags: tuple[str, ...]) -> frozenset[str]:
    """Tags without regard to case; many notes have the same ones."""
    return frozenset(map(str.casefold, tags))


def _by_tags(tags: frozenset[str], notes: Mapping[NoteId, Note], self_id: NoteId) -> dict[NoteId, _Clue]:
    if not tags:
        return {}
    tagged = {
        id_: held for id_, note in notes.items() if note.tags and id_ != self_id and (held := tags & _folded(note.tags))
    }
    n_notes = Counter(tag for held in tagged.values() for tag in held)
    idf = {tag: math.log(1.0 + len(notes) / (1.0 + n_notes[tag])) for tag in tags}
    total = sum(idf.values())
    sums = {id_: sum(idf[tag] for tag in held) for id_, held in tagged.items()}
    best = sorted(sums, key=lambda id_: (-sums[id_], -notes[id_].modified, id_))[:N_NEAR]
    return {id_: _Clue(raw=float(len(tagged[id_])), unit=sums[id_] / total) for id_ in best}


# The answer


def _fused(clues: Clues, candidates: Iterable[NoteId]) -> Ranking[NoteId]:
    weights = dict(WEIGHTS)
    if not clues[MEANING]:
        weights[WORDS] += weights.pop(MEANING)
    ranks = {
        name: {id_: rank for rank, id_ in enumerate(sorted(found, key=lambda id_: (-found[id_].unit, id_)), start=1)}
        for name, found in clues.items()
    }
    hits = []
    for id_ in candidates:
        held = [(name, found[id_]) for name, found in clues.items() if id_ in found]
        steps = [Found(name, float(clue.raw)) for name, clue in held]
        added = [Fused(name, ranks[name][id_], weights[name], weights[name] * clue.unit) for name, clue in held]
        hits.append(Hit.found(id_, *steps, *added))
    return Ranking.of(hit for hit in hits if hit.score >= MIN_SCORE)


@frozen(kw_only=True)
class _Case:
    """All that an answer is made of, of one moment."""

    reading: Indexer
    source: _Source
    ties: Ties
    linked: frozenset[NoteId]  # to or from the whole note
    clues: Clues
    notes: Mapping[NoteId, Note]
    postings: Postings
    ranking: Ranking[NoteId]
    generation: int


def _told(hit: Hit[NoteId], case: _Case, n_snippets: int) -> RelatedNote | None:
    """A note as it is shown; None where it went away meanwhile."""
    note, vault = case.notes[hit.id], case.reading.vault
    text = vault.text(hit.id)
    if not text and hit.id not in vault.notes:
        return None
    slot = case.postings.slots.get(hit.id)
    shared = () if slot is None else words_in(case.source.terms, slot)
    tags = case.source.tags & _folded(note.tags)
    evidence = _evidence(hit, case, shared, len(tags))
    lines, passage = lines_of(text), evidence.semantic_lines
    snippets = excerpts(note, lines, [HighlightTerm(term.text, term.idf) for term, _ in shared], n_snippets=n_snippets)
    snippets = snippets or (opening(lines, *passage) if passage else ()) or beginning(note, lines)
    found = FoundNote(
        hit=evolve(hit, evidence=evidence),
        title=note.title,
        sentence=_reason(hit, case.ties, [term.text for term, _ in shared], sorted(tags), note.folder),
        snippets=snippets,
        sections=sections_of(note, snippets),
    )
    return RelatedNote(found=found, is_linked=hit.id in case.linked)


def _evidence(hit: Hit[NoteId], case: _Case, shared: Sequence[tuple[Distinct, int]], n_tags: int) -> Evidence:
    meaning = case.clues[MEANING].get(hit.id)
    n_links = int(hit.id in case.ties.outgoing) + int(hit.id in case.ties.incoming)
    n_citing = case.ties.n_citing.get(hit.id, 0)
    ties = GraphEvidence(n_links, n_citing, n_tags, n_links + 0.5 * n_citing + 0.3 * n_tags, 1.0)
    return Evidence(
        matches=tuple(FieldMatch(Field.BODY, term.text, 1.0, count) for term, count in shared[:_N_WORDS_TOLD]),
        cosine=None if meaning is None else meaning.raw,
        semantic_lines=None if meaning is None else meaning.lines,
        graph=ties if n_links or n_citing or n_tags else None,
    )


def _reason(hit: Hit[NoteId], ties: Ties, words: Sequence[str], tags: Sequence[str], folder: str) -> str:
    """One sentence: what spoke most for the note, three things at most."""
    if hit.id in ties.outgoing & ties.incoming:
        linked = "both link to each other"
    else:
        linked = "it is linked from here" if hit.id in ties.outgoing else "it links here"
    n_citing = ties.n_citing.get(hit.id, 0)
    said = {
        MEANING: "similar in meaning",
        WORDS: f"shares {listed([quote(word) for word in words[:_N_WORDS_NAMED]])}",
        LINKS: linked,
        CITATIONS: f"cited together in {n_citing} note{'s'[: n_citing != 1]}",
        TAGS: f"shares {listed(['#' + tag for tag in tags[:_N_WORDS_NAMED]])}",
        FOLDER: f"both lie in {folder}/" if folder else "both lie in the top folder",
    }
    amounts = {step.source: step.amount for step in hit.trail if isinstance(step, Fused)}
    strongest = sorted(amounts, key=lambda name: (-amounts[name], name))[:_N_CLAUSES]
    text = "; ".join(said[name] for name in strongest)
    return text[0].upper() + text[1:] + "."
