"""Ranked notes as they are shown: with what matched, excerpts and a sentence each; and why one is not among them.

Only what is shown is described; texts are read while the corpus is free.
"""

from collections.abc import Iterable

from attrs import evolve

from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.explain import sentence
from search.answer.ranking import Hit
from search.answer.result import FoundNote
from search.answer.trail import Found
from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.pipeline import Ranked, matches_in
from search.query import ParsedQuery
from search.reading import Reading
from search.settings import Settings
from search.symbols import Symbol
from search.text.fold import fold
from search.text.names import plain
from search.text.snippets import excerpts, opening, sections_of, wanted_of

BY_NAME = "names"  # the source of an answer's first step


def describe(
    ranked: Ranked,
    parsed: ParsedQuery,
    hits: Iterable[Hit[NoteId]],
    *,
    reading: Reading,
    settings: Settings,
    budget: Budget = UNLIMITED,
) -> tuple[FoundNote, ...]:
    """The hits as they are shown, in their order; a note that went away since it was ranked is left out."""
    with reading.lock:
        shown = [(hit, note) for hit in hits if (note := reading.corpus.notes.get(hit.id)) is not None]
    matches = matches_in(ranked, [hit.id for hit, _ in shown])
    phrases = [term.text for term in parsed.terms if term.is_phrase]
    wanted = wanted_of(((item.term, item.idf) for item in ranked.weighed), phrases)
    found = []
    for hit, note in shown:
        budget.check()
        whole = evolve(hit, evidence=evolve(hit.evidence, matches=matches.get(hit.id, ())))
        text = reading.vault.text(hit.id)
        if not text and hit.id not in reading.vault.notes:
            continue
        snippets = excerpts(note, text, wanted, n_snippets=settings.n_snippets)
        if (lines := hit.evidence.semantic_lines) and not any(snippet.highlights for snippet in snippets):
            snippets = opening(text, *lines) or snippets
        found.append(
            FoundNote(
                hit=whole,
                title=note.title,
                sentence=sentence(whole),
                snippets=snippets,
                sections=sections_of(note, snippets),
            )
        )
    return tuple(found)


def by_name(query: str, symbols: Iterable[Symbol]) -> tuple[FoundNote, ...]:
    """Notes found by what they are called alone, each once and without excerpts; the best of a note's names counts."""
    found: dict[NoteId, FoundNote] = {}
    for symbol in symbols:
        if symbol.note not in found:
            exact = symbol.name if plain(symbol.name) == plain(query) else ""
            match = FieldMatch(Field.TITLE, " ".join(fold(query).split()), 1.0, kind=_kind_of(query, symbol.name))
            evidence = Evidence(matches=(match,), exact_name=exact)
            hit = Hit.found(symbol.note, Found(BY_NAME, symbol.score), evidence=evidence)
            found[symbol.note] = FoundNote(hit=hit, title=symbol.title, sentence=sentence(hit))
    return tuple(found.values())


def _kind_of(query: str, name: str) -> MatchKind:
    if plain(query) in plain(name).split(" "):
        return MatchKind.WORD
    return MatchKind.PREFIX if f" {plain(name)}".find(f" {plain(query)}") >= 0 else MatchKind.INNER


def verdict(
    note: NoteId, ranked: Ranked, let_in: frozenset[NoteId] | None, *, reading: Reading, limit: int
) -> tuple[str, str]:
    """The step of a search that decided about a note, and a sentence on it."""
    with reading.lock:
        exists = note in reading.corpus.notes
        slot = reading.corpus.postings.slots.get(note)
    if not exists:
        why = reading.vault.skipped.get(note)
        return ("excluded", f"The file is not searched: {why}.") if why else ("missing", "There is no such note.")
    if let_in is not None and note not in let_in:
        return "filter", "The query's filter does not admit it."
    if note not in ranked.ranking.ranks and (slot is None or not ranked.candidates.is_found[slot]):
        return "grep", "None of the query's words stands in it."
    return _place(note, ranked, limit)


def _place(note: NoteId, ranked: Ranked, limit: int) -> tuple[str, str]:
    """The step and the sentence for a note that was found."""
    n_found, n_ranked = ranked.n_found, len(ranked.lexical)
    if (place := ranked.ranking.ranks.get(note)) is not None:
        stands = f"It stands at {place} of {n_found}"
        return ("ranked", f"{stands}.") if place <= limit else ("limit", f"{stands}; {limit} are shown.")
    if (place := ranked.lexical.ranks.get(note)) is not None:
        return "limit", f"Its words rank it {place} of {n_ranked}; no boost lifts that into the first {limit}."
    return "candidates", f"Of {n_found} notes that match, {n_ranked} with more or rarer words of it were ranked."
