"""A query's words put right: what a misspelt one means, one that the vault writes as two, two that it writes as one.

Only words that find nothing are taken for something else, besides those that a single note holds: there a far more
frequent neighbour is added, below that note. What was typed always comes first, and the term keeps its text.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
from attrs import evolve

from search.analysis.fold import fold, fold_with_offsets
from search.answer.evidence import MatchKind
from search.index.number_sets import distinct
from search.index.postings import Postings
from search.index.spelling import Correction, Spelling
from search.index.stems import StemTable
from search.index.vocabulary import NO_IDS, Vocabulary
from search.matching.terms import Form, PostedTerm, Term, post
from search.notice import Notice, NoticeKind

_SURE = (MatchKind.WORD, MatchKind.STEM, MatchKind.PREFIX)


def correct(
    posted: Sequence[PostedTerm],
    vocabulary: Vocabulary,
    postings: Postings,
    spelling: Spelling,
    *,
    stems: StemTable | None = None,
) -> tuple[PostedTerm, ...]:
    """The terms in their order, with near matches where a word may be misspelt, and with those that it means besides.

    Literal terms and those that recall nothing stay as they are.
    """
    n_notes_of = [_n_notes(item) for item in posted]
    unknown = {item.term.text for item, n_notes in zip(posted, n_notes_of, strict=True) if n_notes == 0}
    joined = {
        item.term.text: Term(item.term.before + item.term.text, typed=f"{item.term.before} {item.term.text}")
        for item in posted
        if item.term.before and not unknown.isdisjoint({item.term.before, item.term.text})
    }
    found = {text: post((term,), vocabulary, postings, stems=stems)[0] for text, term in joined.items()}
    whole = {text: item for text, item in found.items() if item.of(MatchKind.WORD)}
    settled = {word for item in whole.values() for word in item.term.typed.split(" ")}

    def corrected() -> Iterator[PostedTerm]:
        for item, n_notes in zip(posted, n_notes_of, strict=True):
            term = item.term
            if n_notes > 1 or term.is_literal or term.is_whole or not term.is_recalling or term.text in settled:
                yield item
            elif near := spelling.correct(term.text, postings, is_prefix=term.is_prefix, n_known=n_notes):
                yield _with_near(item, near, postings, stems)
            else:
                yield item
                pair = None if n_notes else spelling.split(term.text, postings)
                parts = [Term(part, term.times, typed=term.text) for part in pair or ()]
                yield from post(parts, vocabulary, postings, stems=stems)
            if term.text in whole:
                yield whole[term.text]

    return tuple(corrected())


def _n_notes(posted: PostedTerm) -> int:
    """How many notes hold the word, or one that begins with it or is a form of it: 0, 1, or 2 for two and more."""
    several = [found.slots for found in posted.of(*_SURE)]
    if not several:
        return 0
    some = several[0][0]
    return 1 + any(bool(slots[-1] != some) or bool((slots != some).any()) for slots in several)


def _with_near(posted: PostedTerm, near: Correction, postings: Postings, stems: StemTable | None) -> PostedTerm:
    """The term with the notes that hold the word which it means, in any form."""
    kin = NO_IDS if stems is None else stems.forms(near.word, postings)
    there = postings.find(distinct(np.concatenate((near.token_ids, kin))))
    if not len(there.slots):
        return posted
    found = {**dict(posted.found), MatchKind.NEAR: there}
    in_order = tuple((kind, found[kind]) for kind in MatchKind if kind in found)
    form = Form(MatchKind.NEAR, near.word, near.token_ids)
    return evolve(posted, found=in_order, forms=(form, *posted.forms))


def notices_of(
    posted: Sequence[PostedTerm], text: str, *, first: Collection[str], texts: Callable[[], Iterable[str]]
) -> tuple[Notice, ...]:
    """A notice for each word or pair of words that was taken for another one; its subject is their place in `text`.

    Told where it is why the answer is what it is: a word, if the `first` note of the answer holds it, by these words;
    one that was taken apart, if the parts stand beside each other in any of the answer's `texts`. Else the word was
    right and the vault has others for it, as "thunderstorm" is in a vault that knows thunder and storms.
    """
    meant: dict[str, list[str]] = {}
    for item in posted:
        if item.term.typed:
            meant.setdefault(item.term.typed, []).append(item.term.text)
        for form in item.forms:
            if form.kind is MatchKind.NEAR:
                meant.setdefault(item.term.text, []).append(form.word)
    folded, offsets = fold_with_offsets(text)
    notices = []
    for typed, words in meant.items():
        if not (_is_beside(words, texts()) if len(words) > 1 else words[0] in first):
            continue
        message = f'Did you mean "{" ".join(words)}"? Hardly a note has "{typed}".'
        at = folded.find(typed)
        place = f"{offsets[at]}:{offsets[at + len(typed)]}" if at >= 0 else ""
        notices.append(Notice(NoticeKind.CORRECTED, "did-you-mean", message, place))
    return tuple(notices)


def _is_beside(words: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether the folded words follow each other in any text, with nothing but blanks and signs between."""
    together = re.compile(r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words)) + r"(?!\w)")
    return any(together.search(fold(text)) for text in texts)
