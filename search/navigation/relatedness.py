"""How related notes are to a subject: seven sources, and the sum of their scores.

    score = sum over the sources of  weight * unit score,  each 0..1

    meaning    .25  the anchored cosine: half by the mean of the passages, half by the best pair of passages
    words      .18  the share of the text's distinctive words (`navigation/distinctive`)
    mentions   .18  t / (T + 4), with t the idf of those words of the other's title that the text has, T that of all;
               none for a note that the text links to
    citations  .17  c / (c + 1), with c from the notes that link to both and those linked from here that link there
    links      .13  1 if one links to the other
    tags       .05  the share of the note's tags, weighted by idf
    folder     .04  1 if both are in the same folder, unless it is large or the top one

tests/ranking/RELATED.md measures them. A score does not depend on the other results, so it is also the strength of a
related note. Without vectors, the words also get the weight of meaning.

Each source names its best notes; all of these are then scored by every source, so that no note loses for being the 31st
of one. For notes of the same template, meaning counts only by the share of the rest of the text.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol

import numpy as np
from attrs import field, frozen

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found, Fused
from search.budget import Budget
from search.graph.neighbourhood import Neighbourhood
from search.ids import NoteId
from search.navigation.distinctive import DistinctiveTerm, count_words, idf_of, shared_words
from search.navigation.subject import Subject, folded
from search.normalize.anchored import anchored, anchored_arithmetic
from search.vault.note import Note
from search.vectors.index import Alike

MEANING, WORDS, LINKS, CITATIONS, MENTIONS, TAGS, FOLDER = (
    "meaning",
    "words",
    "links",
    "citations",
    "mentions",
    "tags",
    "folder",
)
WEIGHTS = {MEANING: 0.25, WORDS: 0.18, MENTIONS: 0.18, CITATIONS: 0.17, LINKS: 0.13, TAGS: 0.05, FOLDER: 0.04}
ENOUGH = 10  # notes: if fewer are found, words that most notes have and the folder find more

_N_BEST = 30  # of each source; more do not change the first ten
_DAMPING = 4.0  # idf: a title of one common word proves little
_MAX_FOLDER = 200  # notes; sharing a larger folder says nothing
_MAX_FOLDER_SHARE = 0.25  # of the vault


class Meaning(Protocol):
    """The part of semantic search that is used here."""

    @property
    def anchors(self) -> tuple[float, float]:
        """The raw cosine that is worth nothing, and that of a sure match."""

    @property
    def n_vectors(self) -> int:
        """The number of vectors in memory."""

    def similar_notes(
        self, note: NoteId, lines: tuple[int, int] | None, n: int, *, others: Iterable[NoteId], budget: Budget
    ) -> tuple[Alike, ...] | None:
        """How much a note or some of its lines are like the nearest notes and `others`; None if unknown now."""

    def lines_of(self, note: NoteId, chunk: int) -> tuple[int, int] | None:
        """The lines of a note's passage; None if there is no such passage any more."""


@frozen(kw_only=True)
class Signal:
    """One source's score for a note: raw, and scaled to 0..1."""

    raw: float
    unit: float
    arithmetic: Arithmetic  # of the unit score, with `raw`


Signals = Mapping[str, Mapping[NoteId, Signal]]


@frozen(kw_only=True)
class Related:
    """The related notes, ranked, with what each source says of them.

    `terms` are the words that counted, `alike` has what meaning compared.
    """

    ranking: Ranking[NoteId]
    signals: Signals
    terms: tuple[DistinctiveTerm, ...]
    alike: Mapping[NoteId, Alike] = field(factory=dict)


_ONE = Arithmetic("1", {})


def rank_related(
    subject: Subject, around: Neighbourhood, notes: Mapping[NoteId, Note], meaning: Meaning | None, budget: Budget
) -> Related:
    """The notes of the vault that are related to a subject, best first; ties by id. `around` is its neighbourhood."""
    terms, near = subject.terms, _in_folder(subject, notes)
    mentions = _by_mentions(subject, notes, around.outgoing)
    signals: dict[str, Mapping[NoteId, Signal]] = {
        LINKS: _by_links(around),
        CITATIONS: _by_citations(around),
        TAGS: _by_tags(subject.tags, notes, subject.note.id),
    }
    found = {*_with_most(terms, subject), *_best(mentions), *(id_ for by in signals.values() for id_ in by)}
    found = {id_ for id_ in found if id_ in notes and id_ != subject.note.id}
    budget.check()
    alike = _alike(meaning, subject, found, budget)
    signals[MEANING] = {} if meaning is None else _by_meaning(alike.values(), meaning.anchors, subject)
    found |= {id_ for id_ in signals[MEANING] if id_ in notes}
    if len(found) < ENOUGH:
        terms = subject.all_terms
        found |= {*near, *_with_most(terms, subject)} - {subject.note.id}
    signals[WORDS] = _by_words(terms, subject, found)
    signals[MENTIONS] = {id_: mentions[id_] for id_ in found if id_ in mentions}
    signals[FOLDER] = dict.fromkeys(found & near, Signal(raw=1.0, unit=1.0, arithmetic=_ONE))
    budget.check()
    return Related(ranking=_fused(signals, found), signals=signals, terms=terms, alike=alike)


def _best(signals: Mapping[NoteId, Signal]) -> list[NoteId]:
    return sorted(signals, key=lambda id_: (-signals[id_].unit, id_))[:_N_BEST]


# The sources


def _with_most(terms: tuple[DistinctiveTerm, ...], subject: Subject) -> list[NoteId]:
    """The notes that share most of the terms, perhaps with the subject's own."""
    postings = subject.lookup.postings
    scores = shared_words(terms, postings)
    return [postings.notes[slot] for slot in (-scores).argsort(kind="stable")[: _N_BEST + 1].tolist() if scores[slot]]


def _by_words(terms: tuple[DistinctiveTerm, ...], subject: Subject, found: Iterable[NoteId]) -> dict[NoteId, Signal]:
    postings = subject.lookup.postings
    scores = shared_words(terms, postings)
    most = sum(term.weight * term.idf for term in terms)
    arithmetic = Arithmetic("min(1, raw / most)", {"most": most})
    slots = {id_: slot for id_ in found if (slot := postings.slots.get(id_)) is not None and scores[slot] > 0.0}
    return {
        id_: Signal(raw=float(scores[slot]), unit=min(1.0, float(scores[slot]) / most), arithmetic=arithmetic)
        for id_, slot in slots.items()
    }


def _by_mentions(subject: Subject, notes: Mapping[NoteId, Note], linked: frozenset[NoteId]) -> dict[NoteId, Signal]:
    """The notes with words of their titles in the subject's text; not those `linked` there, which a link names."""
    shared = {
        id_: both
        for id_, note in notes.items()
        if id_ != subject.note.id and id_ not in linked and (both := subject.counts.keys() & words_of(note.title))
    }
    known = subject.lookup.ids(sorted({word for id_ in shared for word in words_of(notes[id_].title)}))
    sizes = subject.lookup.postings.sizes(np.fromiter(known.values(), np.uint32, len(known)))
    idf = {word: idf_of(int(size), len(notes)) for word, size in zip(known, sizes, strict=True)}
    signals = {}
    for id_, both in shared.items():
        some, all_ = (math.fsum(idf.get(word, 0.0) for word in words) for words in (both, words_of(notes[id_].title)))
        numbers = {"idf_shared": some, "idf_title": all_, "damping": _DAMPING}
        arithmetic = Arithmetic("idf_shared / (idf_title + damping)", numbers)
        signals[id_] = Signal(raw=float(len(both)), unit=some / (all_ + _DAMPING), arithmetic=arithmetic)
    return signals


@lru_cache(maxsize=16384)
def words_of(title: str) -> frozenset[str]:
    """The informative words of a title."""
    return frozenset(count_words([title]))


def _alike(meaning: Meaning | None, subject: Subject, found: Iterable[NoteId], budget: Budget) -> dict[NoteId, Alike]:
    if meaning is None:
        return {}
    similar = meaning.similar_notes(subject.note.id, subject.lines, _N_BEST, others=sorted(found), budget=budget) or ()
    return {alike.note: alike for alike in similar}


def _by_meaning(alike: Iterable[Alike], anchors: tuple[float, float], subject: Subject) -> dict[NoteId, Signal]:
    floor, gate = anchors
    signals = {}
    for one in alike:
        cosine = round(one.cosine, 4)  # vectors of int8 are no more exact than that
        if cosine <= floor:
            continue
        share = subject.own_share if one.note in subject.siblings else None
        unit = anchored(cosine, floor, gate)
        arithmetic = anchored_arithmetic(cosine, low=floor, high=gate, of="raw")
        if share is not None:
            unit *= share
            arithmetic = Arithmetic(f"({arithmetic.formula}) * own_share", {**arithmetic.numbers, "own_share": share})
        signals[one.note] = Signal(raw=cosine, unit=unit, arithmetic=arithmetic)
    return signals


def _by_links(around: Neighbourhood) -> dict[NoteId, Signal]:
    both = Counter((*around.outgoing, *around.incoming))
    return {id_: Signal(raw=n_ways, unit=1.0, arithmetic=_ONE) for id_, n_ways in both.items()}


def _by_citations(around: Neighbourhood) -> dict[NoteId, Signal]:
    arithmetic = Arithmetic("raw / (raw + 1)", {})
    return {
        id_: Signal(raw=raw, unit=raw / (raw + 1.0), arithmetic=arithmetic) for id_, raw in around.connected.items()
    }


def _by_tags(tags: frozenset[str], notes: Mapping[NoteId, Note], self_id: NoteId) -> dict[NoteId, Signal]:
    if not tags:
        return {}
    tagged = {
        id_: shared
        for id_, note in notes.items()
        if note.tags and id_ != self_id and (shared := tags & folded(note.tags))
    }
    n_notes = Counter(tag for shared in tagged.values() for tag in shared)
    idf = {tag: math.log(1.0 + len(notes) / (1.0 + n_notes[tag])) for tag in sorted(tags)}
    total = math.fsum(idf.values())
    sums = {id_: math.fsum(idf[tag] for tag in shared) for id_, shared in tagged.items()}
    best = sorted(sums, key=lambda id_: (-sums[id_], -notes[id_].modified, id_))[: 2 * _N_BEST]
    return {
        id_: Signal(
            raw=float(len(tagged[id_])),
            unit=sums[id_] / total,
            arithmetic=Arithmetic("idf_shared / idf_all", {"idf_shared": sums[id_], "idf_all": total}),
        )
        for id_ in best
    }


def _in_folder(subject: Subject, notes: Mapping[NoteId, Note]) -> set[NoteId]:
    """The other notes in the subject's folder; none if it is large or the top one, or if a template put them there."""
    folder = subject.note.folder
    if not folder:
        return set()
    near = {id_ for id_ in notes if id_.rpartition("/")[0] == folder}
    if len(near) > min(_MAX_FOLDER, _MAX_FOLDER_SHARE * len(notes)) or near & subject.siblings:
        return set()
    return near - {subject.note.id}


# The score


def _fused(signals: Signals, found: Iterable[NoteId]) -> Ranking[NoteId]:
    weights = dict(WEIGHTS)
    if not signals[MEANING]:
        weights[WORDS] += weights.pop(MEANING)
    ranks = {
        name: {id_: rank for rank, id_ in enumerate(sorted(by, key=lambda id_: (-by[id_].unit, id_)), start=1)}
        for name, by in signals.items()
    }
    hits = []
    for id_ in found:
        own = [(name, signals[name][id_]) for name in WEIGHTS if id_ in signals[name]]
        steps = [Found(name, float(signal.raw)) for name, signal in own]
        added = [
            Fused(name, ranks[name][id_], weights[name], weights[name] * signal.unit, _weighted(signal.arithmetic))
            for name, signal in own
        ]
        if any(step.amount for step in added):
            hits.append(Hit.found(id_, *steps, *added))
    return Ranking.of(hits)


def _weighted(unit: Arithmetic) -> Arithmetic:
    return Arithmetic(f"weight * ({unit.formula})", unit.numbers)
