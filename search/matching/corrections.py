"""Correct a query's words: misspelled words, words that the vault writes as two, and two that it writes as one.

A word is corrected if it finds nothing. If a single note contains it, a far more frequent similar word is added and
ranks below that note. Matches of the typed word always come first, and the term keeps its typed text.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
from attrs import evolve

from search.analysis.fold import fold, fold_with_offsets
from search.answer.evidence import MatchKind
from search.index.number_sets import distinct
from search.index.postings import Bools, Postings
from search.index.spelling import Correction, Spelling
from search.index.stems import StemTable
from search.index.vocabulary import NO_IDS, Vocabulary
from search.matching.terms import Form, PostedTerm, Term, post
from search.notice import Notice, NoticeKind

_RELIABLE = (MatchKind.WORD, MatchKind.STEM, MatchKind.PREFIX)  # an inner match may be chance


def correct(
    posted: Sequence[PostedTerm],
    vocabulary: Vocabulary,
    postings: Postings,
    spelling: Spelling,
    *,
    stems: StemTable | None = None,
) -> tuple[PostedTerm, ...]:
    """The terms in their order, with near matches for misspelled words, and with terms for split and joined words.

    Literal terms and stop words stay as they are.
    """
    # As for rarity, other files count only for words that no note has.
    n_notes_of = [_n_notes(item, postings.is_weighing) or _n_notes(item, postings.is_counted) for item in posted]
    unknown = {item.term.text for item, n_notes in zip(posted, n_notes_of, strict=True) if n_notes == 0}
    pairs = {
        item.term.text: Term(item.term.previous + item.term.text, typed=f"{item.term.previous} {item.term.text}")
        for item in posted
        if item.term.previous and not unknown.isdisjoint({item.term.previous, item.term.text})
    }
    found = {text: post((term,), vocabulary, postings, stems=stems)[0] for text, term in pairs.items()}
    joined = {text: item for text, item in found.items() if item.of(MatchKind.WORD)}
    settled = {word for item in joined.values() for word in item.term.typed.split(" ")}

    def corrected() -> Iterator[PostedTerm]:
        for item, n_notes in zip(posted, n_notes_of, strict=True):
            term = item.term
            if n_notes > 1 or term.is_literal or term.is_compound or not term.is_recalling or term.text in settled:
                yield item
            elif near := spelling.correct(term.text, postings, is_prefix=term.is_prefix, n_known=n_notes):
                yield _with_near(item, near, postings, stems)
            else:
                yield item
                pair = None if n_notes else spelling.split(term.text, postings)
                parts = [Term(part, term.times, typed=term.text) for part in pair or ()]
                yield from post(parts, vocabulary, postings, stems=stems)
            if term.text in joined:
                yield joined[term.text]

    return tuple(corrected())


def _n_notes(posted: PostedTerm, is_counted: Bools) -> int:
    """How many notes contain the word, a form of it or a word that begins with it: 0, 1, or 2 for two or more."""
    first: int | None = None
    for part in (part for occurrences in posted.of(*_RELIABLE) for part in occurrences.blocks()):
        slots = part.slots[is_counted[part.slots]]
        if len(slots):
            first = int(slots[0]) if first is None else first
            if (slots != first).any():
                return 2
    return 0 if first is None else 1


def _with_near(posted: PostedTerm, near: Correction, postings: Postings, stems: StemTable | None) -> PostedTerm:
    """The term with the occurrences of its correction, in any form."""
    forms = NO_IDS if stems is None else stems.forms(near.word, postings)
    occurrences = postings.find(distinct(np.concatenate((near.token_ids, forms)))).seen()
    if not len(occurrences):
        return posted
    found = {**dict(posted.found), MatchKind.NEAR: occurrences}
    in_order = tuple((kind, found[kind]) for kind in MatchKind if kind in found)
    form = Form(MatchKind.NEAR, near.word, near.token_ids)
    return evolve(posted, found=in_order, forms=(form, *posted.forms))


def correction_notices(
    posted: Sequence[PostedTerm], text: str, *, first: Collection[str], texts: Callable[[], Iterable[str]]
) -> tuple[Notice, ...]:
    """A "Did you mean" notice for each corrected word or pair of words; its subject is their place in `text`.

    Only corrections that explain the answer are reported: a corrected word if it is among `first`, the matching words
    of the first note; a split word if its parts follow each other in one of the answer's `texts`. Otherwise the typed
    word was probably right, such as "thunderstorm" in a vault that has notes on thunder and on storms.
    """
    corrections: dict[str, list[str]] = {}
    for item in posted:
        if item.term.typed:
            corrections.setdefault(item.term.typed, []).append(item.term.text)
        for form in item.forms:
            if form.kind is MatchKind.NEAR:
                corrections.setdefault(item.term.text, []).append(form.word)
    folded, offsets = fold_with_offsets(text)
    notices = []
    for typed, words in corrections.items():
        if not (_are_adjacent(words, texts()) if len(words) > 1 else words[0] in first):
            continue
        message = f'Did you mean "{" ".join(words)}"? Hardly any note contains "{typed}".'
        match = _find(typed, folded)
        place = f"{offsets[match.start()]}:{offsets[match.end()]}" if match else ""
        notices.append(Notice(NoticeKind.CORRECTED, "did-you-mean", message, place))
    return tuple(notices)


def _find(typed: str, folded: str) -> "re.Match[str] | None":
    """Where a query has a word or a pair of words: between spaces if possible, else as a whole word, else anywhere."""
    words = r"\s+".join(map(re.escape, typed.split(" ")))
    patterns = (rf"(?<![^\s(]){words}(?![^\s),.;:!?])", rf"(?<![^\W_]){words}(?![^\W_])", words)
    return next(filter(None, (re.search(pattern, folded) for pattern in patterns)), None)


def _are_adjacent(words: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether the folded words follow each other in any text, separated by whitespace and punctuation only."""
    pattern = re.compile(r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words)) + r"(?!\w)")
    return any(pattern.search(fold(text)) for text in texts)
