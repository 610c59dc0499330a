"""The terms that a query is taken apart into, and where in the vault they stand.

A term is one token of the query. Its *word* matches are notes that hold the very token; its *prefix* matches, for the
last word while it is being typed and for a word that stands nowhere, notes with a word that begins with it; its
*inner* matches notes with a word that holds it further inside. So the scan for substrings and the ranking of words
use the same tokens, and a note that one finds cannot be lost by the other. Its *stem* matches are notes with another
form of the word, where the vault's languages are plain.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from attrs import frozen

from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense, run_tokens, runs
from search.answer.evidence import MatchKind
from search.index.number_sets import without
from search.index.postings import Occurrences, Postings
from search.index.stems import StemTable
from search.index.vocabulary import NO_IDS, Ids, Vocabulary
from search.query import RankedTerm

MAX_TERMS = 64  # of a longer query the first are kept; beyond that a text is no query
_MIN_OPEN = 4  # letters from which a word that the vault has not is taken for the beginning of those that it has
_MIN_INNER = 3  # letters: shorter substrings stand inside half of all words
_MOST_FORMS = 12  # that are told of, the most frequent ones; all count


@frozen
class Term:
    """A folded token; `times` is how often the query holds it; terms that do not recall rank but find nothing.

    One that is suggested was not typed: a chat model named it. A literal one is meant as it stands, without other forms
    or corrections; neither is a whole of parts ("max_count") corrected, since its parts are.
    """

    text: str
    times: int = 1
    is_prefix: bool = False
    is_recalling: bool = True
    is_suggested: bool = False
    is_literal: bool = False
    is_whole: bool = False
    before: str = ""  # the word in front of it, if neither is literal: the two may be one
    typed: str = ""  # what the query has in its place: two words for one, or one for two

    @property
    def is_dense(self) -> bool:
        """Whether it is of a script written without spaces."""
        return is_dense(self.text)

    @property
    def is_grammar(self) -> bool:
        """Whether it only holds the query together; a digit is part of a version or a date."""
        return not self.is_recalling and not self.text.isdigit()


@frozen(eq=False)
class Form:
    """A word of the vault that stands for another one of the query; `numbers` are the tokens that it is named for."""

    kind: MatchKind
    word: str
    numbers: Ids


@frozen(eq=False)
class PostedTerm:
    """A term with its postings by kind of match; kinds without any are left out.

    `forms` are the words that stem and near matches consist of, the most frequent first.
    """

    term: Term
    found: tuple[tuple[MatchKind, Occurrences], ...]
    forms: tuple[Form, ...] = ()

    def of(self, *kinds: MatchKind) -> tuple[Occurrences, ...]:
        """The postings of these kinds."""
        return tuple(found for kind, found in self.found if kind in kinds)


def query_terms(ranked: Sequence[RankedTerm]) -> tuple[Term, ...]:
    """The distinct terms of a query, in order, at most `MAX_TERMS`.

    Glue words and single letters do not recall, unless there is nothing else.

    >>> [(term.text, term.is_recalling) for term in query_terms([RankedTerm("the"), RankedTerm("max_count")])]
    [('the', False), ('max_count', True), ('max', True), ('count', True)]
    """
    counts: Counter[str] = Counter()
    bare: set[str] = set()
    wholes: set[str] = set()
    words: list[str] = []
    open_token = ""
    for piece in ranked:
        found = runs(piece.text)
        is_literal = piece.is_phrase or piece.is_literal
        for run in found:
            cut = run_tokens(run)
            counts.update(cut)
            is_word = len(cut) == 1 or is_dense(run)
            wholes.update(() if is_word else cut[:1])
            bare.update(() if is_literal else cut)
            words.append(cut[0] if is_word and not is_literal else "")
        open_token = run_tokens(found[-1])[0] if piece.is_prefix and found and not is_dense(found[-1]) else open_token
    weak = {token for token in counts if is_stop_word(token) or (len(token) == 1 and token.isascii())}
    if len(weak) == len(counts):
        weak = set()
    before = {word: other for other, word in pairwise(words) if other and word}
    return tuple(
        Term(
            token,
            times,
            is_prefix=token == open_token,
            is_recalling=token not in weak,
            is_literal=token not in bare,
            is_whole=token in wholes,
            before=before.get(token, ""),
        )
        for token, times in list(counts.items())[:MAX_TERMS]
    )


def post(
    terms: Sequence[Term], vocabulary: Vocabulary, postings: Postings, *, stems: StemTable | None = None
) -> tuple[PostedTerm, ...]:
    """Look the terms up, with `stems` in their other forms too; one that stands nowhere comes with nothing found."""
    return tuple(_post(term, vocabulary, postings, stems, is_alone=len(terms) == 1) for term in terms)


def forms_of(kind: MatchKind, numbers: Ids, vocabulary: Vocabulary, postings: Postings) -> tuple[Form, ...]:
    """These tokens as forms, each by itself; those that no note holds are left out, and so are the rarest of many."""
    sizes = dict(zip(numbers.tolist(), postings.sizes(numbers).tolist(), strict=True))
    held = sorted((number for number in sizes if sizes[number]), key=lambda number: (-sizes[number], number))
    return tuple(Form(kind, vocabulary.token(number), np.array([number], np.uint32)) for number in held[:_MOST_FORMS])


def _post(
    term: Term, vocabulary: Vocabulary, postings: Postings, stems: StemTable | None, *, is_alone: bool
) -> PostedTerm:
    has_inner = term.is_recalling and (is_alone or len(term.text) >= _MIN_INNER or term.is_dense)
    is_lone_letter = len(term.text) == 1 and not term.is_dense
    matching = vocabulary.matching(term.text, is_exact=not (has_inner or term.is_prefix), has_inner=not is_lone_letter)
    kin = NO_IDS if stems is None or term.is_literal or not term.is_recalling else stems.forms(term.text, postings)
    longer = without(matching.prefix, kin)
    is_known = len(matching.word) or len(kin)
    is_open = term.is_prefix or (not is_known and len(term.text) >= _MIN_OPEN)
    found = {
        MatchKind.WORD: matching.word,
        MatchKind.STEM: kin,
        MatchKind.PREFIX: longer if is_open else NO_IDS,
        MatchKind.INNER: matching.inner if is_open else np.concatenate((longer, matching.inner)),
    }
    if is_lone_letter:  # it stands inside every note; words that begin with it are what can be meant
        found = {MatchKind.WORD: matching.word, MatchKind.PREFIX: matching.prefix}
    elif len(term.text) == 1:  # one character of a dense script is a word wherever it stands
        found = {MatchKind.WORD: matching.anywhere}
    elif not has_inner:
        del found[MatchKind.INNER]
    looked_up = ((kind, postings.find(words)) for kind, words in found.items() if len(words))
    return PostedTerm(
        term,
        tuple((kind, there) for kind, there in looked_up if len(there.slots)),
        forms_of(MatchKind.STEM, kin, vocabulary, postings) if len(kin) else (),
    )
