"""The terms that a query is taken apart into, and where in the vault they stand.

A term is one token of the query. Its *word* matches are notes that hold the very token; its *prefix* matches, for the
last word while it is being typed and for a word that stands nowhere, notes with a word that begins with it; its
*inner* matches notes with a word that holds it further inside. So the scan for substrings and the ranking of words
use the same tokens, and a note that one finds cannot be lost by the other.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from search.answer.evidence import MatchKind
from search.query import RankedTerm
from search.text.glue import is_glue
from search.text.postings import Found, Postings
from search.text.tokens import is_dense, run_tokens, runs
from search.text.vocabulary import NO_IDS, Vocabulary

MAX_TERMS = 64  # of a longer query the first are kept; beyond that a text is no query
_MIN_STEM = 4  # letters from which a word that the vault has not is taken for the beginning of those that it has
_MIN_INNER = 3  # letters: shorter substrings stand inside half of all words


@frozen
class Term:
    """A folded token; `times` is how often the query holds it; terms that do not recall rank but find nothing.

    One that is suggested was not typed: a chat model named it.
    """

    text: str
    times: int = 1
    is_prefix: bool = False
    is_recalling: bool = True
    is_suggested: bool = False

    @property
    def is_dense(self) -> bool:
        """Whether it is of a script written without spaces."""
        return is_dense(self.text)

    @property
    def is_grammar(self) -> bool:
        """Whether it only holds the query together; a digit is part of a version or a date."""
        return not self.is_recalling and not self.text.isdigit()


@frozen(eq=False)
class PostedTerm:
    """A term with its postings by kind of match; kinds without any are left out."""

    term: Term
    found: tuple[tuple[MatchKind, Found], ...]


def query_terms(ranked: Sequence[RankedTerm]) -> tuple[Term, ...]:
    """The distinct terms of a query, in order, at most `MAX_TERMS`.

    Glue words and single letters do not recall, unless there is nothing else.

    >>> [(term.text, term.is_recalling) for term in query_terms([RankedTerm("the"), RankedTerm("max_count")])]
    [('the', False), ('max_count', True), ('max', True), ('count', True)]
    """
    counts: Counter[str] = Counter()
    open_token = ""
    for piece in ranked:
        found = runs(piece.text)
        for run in found:
            counts.update(run_tokens(run))
        open_token = run_tokens(found[-1])[0] if piece.is_prefix and found and not is_dense(found[-1]) else open_token
    weak = {token for token in counts if is_glue(token) or (len(token) == 1 and token.isascii())}
    if len(weak) == len(counts):
        weak = set()
    return tuple(
        Term(token, times, is_prefix=token == open_token, is_recalling=token not in weak)
        for token, times in list(counts.items())[:MAX_TERMS]
    )


def post(terms: Sequence[Term], vocabulary: Vocabulary, postings: Postings) -> tuple[PostedTerm, ...]:
    """Look the terms up; a term that stands nowhere comes back with nothing found."""
    return tuple(_post(term, vocabulary, postings, is_alone=len(terms) == 1) for term in terms)


def _post(term: Term, vocabulary: Vocabulary, postings: Postings, *, is_alone: bool) -> PostedTerm:
    has_inner = term.is_recalling and (is_alone or len(term.text) >= _MIN_INNER or term.is_dense)
    matching = vocabulary.matching(term.text, is_whole_word_enough=not (has_inner or term.is_prefix))
    is_open = term.is_prefix or (not len(matching.word) and len(term.text) >= _MIN_STEM)
    found = {
        MatchKind.WORD: matching.word,
        MatchKind.PREFIX: matching.prefix if is_open else NO_IDS,
        MatchKind.INNER: matching.inner if is_open else np.concatenate((matching.prefix, matching.inner)),
    }
    if len(term.text) == 1:
        if term.is_dense:  # one character of such a script is a word wherever it stands
            found = {MatchKind.WORD: matching.anywhere}
        else:  # a lone letter stands inside every note; words that begin with it are what can be meant
            found = {MatchKind.WORD: matching.word, MatchKind.PREFIX: matching.prefix}
    elif not has_inner:
        del found[MatchKind.INNER]
    looked_up = ((kind, postings.find(words)) for kind, words in found.items() if len(words))
    return PostedTerm(term, tuple((kind, there) for kind, there in looked_up if len(there.slots)))
