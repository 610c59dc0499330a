"""The terms of a query, and where they occur in the vault.

A term is one token of the query. It matches notes in four ways:

    word    the note contains the token itself
    stem    it contains another form of the word, in a language that the vault is plainly written in
    prefix  it contains a word that begins with the term; for the last word while it is being typed, and for words that
            occur nowhere. A compound such as "foxTrot" is none for its part "fox", which would count twice
    inner   it contains a word with the term further inside

The substring search and the word ranking use the same tokens, so neither can miss a note that the other finds.
"""

from collections import Counter
from collections.abc import Container, Sequence
from itertools import pairwise

import numpy as np
from attrs import evolve, frozen

from search.analysis.stop_words import STOP_WORDS, framing
from search.analysis.tokens import dotted, is_dense, run_tokens, runs
from search.answer.evidence import MatchKind
from search.index.number_sets import without
from search.index.postings import Occurrences, Postings
from search.index.stems import StemTable
from search.index.vocabulary import NO_IDS, Ids, Vocabulary
from search.query import RankedTerm

MAX_TERMS = 64  # the first terms of a longer query count: a text that long is hardly a query
_MIN_OPEN = 4  # letters that an unknown word needs to match longer words by prefix
_MIN_INNER = 3  # letters: shorter substrings occur inside half of all words
_LONGEST_OPERATOR = 3  # letters of a stop word that a query may mean as a word, written in capitals
_CONNECTIVES = frozenset({"and", "or", "not"})  # as other programs write operators
_MOST_FORMS = 12  # forms that are listed, the most frequent ones; all of them count


@frozen
class Term:
    """A folded token of the query."""

    text: str
    times: int = 1  # how often the query contains it
    is_prefix: bool = False  # still being typed: words that begin with it match too
    is_recalling: bool = True  # False for stop words and single letters or digits: they rank notes but find none
    is_suggested: bool = False  # not typed, but suggested by a chat model
    is_literal: bool = False  # matches only as typed, without other forms or corrections
    is_compound: bool = False  # a whole of several parts ("max_count"); never corrected, since its parts are
    finds_hidden: bool = False  # quoted or part of a URL, so it also matches what no reader sees
    previous: str = ""  # the word before it, if neither is literal: the vault may write the two as one
    typed: str = ""  # what the query has instead, if this term splits a word or joins two

    @property
    def is_dense(self) -> bool:
        """Whether it is in a script written without spaces."""
        return is_dense(self.text)

    @property
    def is_stop_word(self) -> bool:
        """Whether it says nothing by itself: a stop word or single letter, but no digit, as in a version or date."""
        return not self.is_recalling and not self.text.isdigit()


@frozen(eq=False)
class Form:
    """A word of the vault that matches a different word of the query; `numbers` are the ids of its tokens."""

    kind: MatchKind
    word: str
    numbers: Ids


@frozen(eq=False)
class PostedTerm:
    """A term with its postings by kind of match; kinds without postings are left out.

    `forms` are the words behind its stem and near matches, the most frequent first. `spellings` are the tokens of the
    vault that are the word itself with dots ("u.s.a").
    """

    term: Term
    found: tuple[tuple[MatchKind, Occurrences], ...]
    forms: tuple[Form, ...] = ()
    spellings: tuple[str, ...] = ()

    def of(self, *kinds: MatchKind) -> tuple[Occurrences, ...]:
        """The postings of these kinds."""
        return tuple(found for kind, found in self.found if kind in kinds)

    def without_forms(self) -> "PostedTerm":
        """The term without its stem matches."""
        return PostedTerm(self.term, tuple((kind, found) for kind, found in self.found if kind is not MatchKind.STEM))

    def seen(self) -> "PostedTerm":
        """The term with its matches where a reader sees them."""
        found = ((kind, occurrences.seen()) for kind, occurrences in self.found)
        return evolve(self, found=tuple((kind, occurrences) for kind, occurrences in found if len(occurrences)))

    def only_words(self) -> "PostedTerm":
        """The term with its whole-word matches only: for guessed words, of which parts would say even less."""
        return PostedTerm(self.term, tuple((kind, found) for kind, found in self.found if kind is MatchKind.WORD))


def query_terms(ranked: Sequence[RankedTerm], stop_words: Container[str] = STOP_WORDS) -> tuple[Term, ...]:
    """The distinct terms of a query, in order, at most `MAX_TERMS`.

    Stop words, the words of a frame ("difference between") and single letters are not recalling, unless the query has
    nothing else. A short stop word in capitals among other words is meant as a word ("can I use AND", "US holidays"),
    but not AND, OR or NOT between two content words ("tea AND milk").

    >>> [(term.text, term.is_recalling) for term in query_terms([RankedTerm("the"), RankedTerm("max_count")])]
    [('the', False), ('max_count', True), ('max', True), ('count', True)]
    """
    counts: Counter[str] = Counter()
    free: set[str] = set()  # tokens that occur outside literal pieces
    compounds: set[str] = set()
    as_typed: set[str] = set()  # tokens of phrases and URLs
    words: list[str] = []
    operators: set[str] = set()
    has_small = any(not run.isupper() for piece in ranked for run in runs(piece.text))
    open_token = ""
    for piece in ranked:
        found = runs(piece.text)
        is_literal = piece.is_phrase or piece.is_literal
        for run in found:
            tokens = run_tokens(run)
            counts.update(tokens)
            is_word = len(tokens) == 1 or is_dense(run)
            compounds.update(() if is_word else tokens[:1])
            free.update(() if is_literal else tokens)
            as_typed.update(tokens if piece.is_phrase or "://" in piece.text else ())
            words.append(tokens[0] if is_word and not is_literal else "")
            if has_small and run.isupper() and 1 < len(run) <= _LONGEST_OPERATOR:
                operators.add(tokens[0])
        open_token = run_tokens(found[-1])[0] if piece.is_prefix and found and not is_dense(found[-1]) else open_token
    weak = {token for token in counts if token in stop_words or (len(token) == 1 and token.isascii())}
    operators -= {
        word
        for before, word, after in zip(words, words[1:], words[2:], strict=False)
        if word in _CONNECTIVES and not weak & {before, after}
    }
    weak = (weak | (framing(words) & free)) - operators
    if len(weak) == len(counts):
        weak = set()
    previous = {word: other for other, word in pairwise(words) if other and word}
    return tuple(
        Term(
            token,
            times,
            is_prefix=token == open_token,
            is_recalling=token not in weak,
            is_literal=token not in free,
            is_compound=token in compounds,
            finds_hidden=token in as_typed,
            previous=previous.get(token, ""),
        )
        for token, times in list(counts.items())[:MAX_TERMS]
    )


def post(
    terms: Sequence[Term], vocabulary: Vocabulary, postings: Postings, *, stems: StemTable | None = None
) -> tuple[PostedTerm, ...]:
    """Look the terms up, with `stems` in their other forms too; a term that occurs nowhere has no postings.

    What no reader sees counts only for terms that find it, or if a reader sees none of the terms that can find notes.
    """
    by_length = sorted(terms, key=lambda term: len(term.text))  # parts before compounds, which are looked up among them
    found = {term: _post(term, vocabulary, postings, stems, is_alone=len(terms) == 1) for term in by_length}
    posted = tuple(found[term] for term in terms)
    seen = tuple(item if item.term.finds_hidden else item.seen() for item in posted)
    return seen if any(item.found for item in seen if item.term.is_recalling) else posted


def forms_of(kind: MatchKind, numbers: Ids, vocabulary: Vocabulary, postings: Postings) -> tuple[Form, ...]:
    """A form for each of these tokens that occurs in a note; at most the `_MOST_FORMS` most frequent."""
    sizes = dict(zip(numbers.tolist(), postings.sizes(numbers).tolist(), strict=True))
    held = sorted((number for number in sizes if sizes[number]), key=lambda number: (-sizes[number], number))
    return tuple(Form(kind, vocabulary.token(number), np.array([number], np.uint32)) for number in held[:_MOST_FORMS])


def _post(
    term: Term, vocabulary: Vocabulary, postings: Postings, stems: StemTable | None, *, is_alone: bool
) -> PostedTerm:
    has_inner = term.is_recalling and (is_alone or len(term.text) >= _MIN_INNER or term.is_dense)
    is_lone_letter = len(term.text) == 1 and not term.is_dense
    matching = vocabulary.matching(term.text, is_exact=not (has_inner or term.is_prefix), has_inner=not is_lone_letter)
    forms = NO_IDS if stems is None or term.is_literal or not term.is_recalling else stems.forms(term.text, postings)
    longer = without(matching.prefix, forms)
    compounds = NO_IDS
    if term.is_prefix and len(matching.word):
        is_compound = vocabulary.are_compounds_of(longer, int(matching.word[0]))
        longer, compounds = longer[~is_compound], longer[is_compound]
    is_known = len(matching.word) or len(forms)
    is_open = term.is_prefix or (not is_known and len(term.text) >= _MIN_OPEN)
    found = {
        MatchKind.WORD: matching.word,
        MatchKind.STEM: forms,
        MatchKind.PREFIX: longer if is_open else NO_IDS,
        MatchKind.INNER: np.concatenate((compounds if is_open else longer, matching.inner)),
    }
    if is_lone_letter:  # every note contains it somewhere, so only words that begin with it say something
        found = {MatchKind.WORD: matching.word, MatchKind.PREFIX: matching.prefix}
    elif len(term.text) == 1:  # one character of a script without spaces counts as a word anywhere
        found = {MatchKind.WORD: matching.anywhere}
    elif not has_inner:
        del found[MatchKind.INNER]
    looked_up = [(kind, postings.find(words)) for kind, words in found.items() if len(words)]
    held = tuple((kind, occurrences) for kind, occurrences in looked_up if len(occurrences))
    return PostedTerm(
        term,
        held,
        forms_of(MatchKind.STEM, forms, vocabulary, postings) if len(forms) else (),
        tuple(text for text in dotted(term.text) if len(vocabulary.matching(text, is_exact=True).word)),
    )
