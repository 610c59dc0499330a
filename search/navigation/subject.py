"""The subject of a query for related notes: a note or some of its lines, by its own words and tags.

Parts that come from a template are not the note's own. The notes of a template, its *siblings*, are found by the lines
that they share.

The analysis of a text is cached until its note changes, whatever else changes in the vault.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property, lru_cache

from attrs import frozen

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
)
from search.providers.lru import LruCache
from search.vault.lines import split_lines, to_lf
from search.vault.note import Note

_N_TEMPLATE_TEXTS = 40  # notes that are searched for the lines of a template
_SAME_TEMPLATE = 2  # pieces of a template that make a note one of its notes
_TEMPLATE_SHARE = 0.5  # a word or tag that this share of a template's notes have comes from the template
_N_CHARACTERS = 50_000  # of a text that are analysed, as counting words takes 2 seconds a megabyte
_N_TEXTS = 512  # cached analyses: those of some ten answers


@frozen(eq=False)
class Text:
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
        pieces = pieces_of("\n".join(split_lines(self.text)[start:end])[:_N_CHARACTERS])
        return pieces, count_words(pieces)


class Texts:
    """Analysed texts, each cached as long as its note stays the same value."""

    def __init__(self, indexer: Indexer) -> None:
        self.indexer = indexer
        self._kept = LruCache[NoteId, Text](_N_TEXTS)

    def of(self, note: Note) -> Text:
        """The text of a note; empty for a deleted note."""
        kept = self._kept.get(note.id)
        if kept is not None and kept.note is note:
            return kept
        text = Text(note, to_lf(self.indexer.vault.text(note.id)))
        if self.indexer.vault.notes.get(note.id) is note:  # else the text may be newer than the note
            self._kept.put(note.id, text)
        return text


@frozen(kw_only=True, eq=False)
class Subject:
    """What a note, or a part of it, is about, without what comes from a template."""

    note: Note
    lines: tuple[int, int] | None  # None for the whole note
    counts: Mapping[str, int]  # how often each informative word occurs
    terms: tuple[DistinctiveTerm, ...]
    tags: frozenset[str]  # folded
    lookup: Lookup
    siblings: frozenset[NoteId] = frozenset()  # notes of the same template
    own_share: float = 1.0  # share of the text that is not from the template

    @property
    def title(self) -> str:
        """The title of a whole note; a part has none."""
        return self.note.title if self.lines is None else ""

    @cached_property
    def all_terms(self) -> tuple[DistinctiveTerm, ...]:
        """All words, also those that most notes have, and those of the names: for a note that shares few others."""
        names = count_words([self.title, self.note.name]) if self.title else Counter[str]()
        terms = distinctive(names + Counter(self.counts), self.title, self.lookup, is_any=True)
        return _without_shared(terms, self.siblings, self.lookup)


def subject_of(
    texts: Texts, note: Note, lines: tuple[int, int] | None, notes: Mapping[NoteId, Note], lookup: Lookup
) -> Subject:
    """The subject that a note is, or some lines of it (half-open, from 0). `notes` are all notes of the vault."""
    text = texts.of(note)
    pieces, counts = text.body if lines is None else text.within(*lines)
    title = note.title if lines is None else ""
    first = distinctive(counts, title, lookup)
    candidates = _possible_siblings(first, note, notes, lookup.postings)
    others = {id_: texts.of(notes[id_]).pieces for id_ in candidates}
    template = template_pieces(text.pieces, others.values())
    siblings = frozenset(id_ for id_, found in others.items() if len(found & template) >= _SAME_TEMPLATE)
    tags = folded(note.tags)
    if not siblings:
        return Subject(note=note, lines=lines, counts=counts, terms=first, tags=tags, lookup=lookup)
    own = [piece for piece in pieces if piece not in template]
    n_tagged = Counter(tag for id_ in siblings for tag in folded(notes[id_].tags))
    counts = counts - count_words(piece for piece in pieces if piece in template)
    return Subject(
        note=note,
        lines=lines,
        counts=counts,
        terms=_without_shared(distinctive(counts, title, lookup), siblings, lookup),
        tags=frozenset(tag for tag in tags if n_tagged[tag] < _TEMPLATE_SHARE * len(siblings)),
        lookup=lookup,
        siblings=siblings,
        own_share=sum(map(len, own)) / max(1, sum(map(len, pieces))),
    )


@lru_cache(maxsize=4096)
def folded(tags: tuple[str, ...]) -> frozenset[str]:
    """Tags without case, cached because many notes have the same ones."""
    return frozenset(map(str.casefold, tags))


def _without_shared(
    terms: tuple[DistinctiveTerm, ...], siblings: frozenset[NoteId], lookup: Lookup
) -> tuple[DistinctiveTerm, ...]:
    """The terms that fewer than half of the siblings have."""
    slots = [slot for id_ in siblings if (slot := lookup.postings.slots.get(id_)) is not None]
    return tuple(term for term in terms if term.share_of(slots) < _TEMPLATE_SHARE)


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
