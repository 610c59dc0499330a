"""True BM25F: what the fields say of a term is summed before it saturates.

    wtf(t, d) = sum over fields f of  w_f * tf(t, d, f) / (1 - b_f + b_f * length(d, f) / mean_length(f))
    score(q, d) = sum over terms t of  times(t) * idf(t) * wtf * (k1 + 1) / (wtf + k1)
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)),  N and df over the whole vault

Robertson, Zaragoza and Taylor, CIKM 2004. Summing BM25 scores field by field, as is often done, saturates each
field apart: then a word in the title counts for less the more the title weighs.

Besides whole words, a term may be matched by words that begin with it (they count `prefix_weight`) or hold it inside.
Inner matches are kept below every whole-word match of the same term in the vault:

    wtf = inner_share * smallest wtf of a whole word (or prefix) * s / (s + 1),  s the sum as above

Where other forms of the word count (stem matches), it is weighed twice, and with a share of s (`Stems.share`) the
score is

    (1 - s) * score of the word itself + s * score of the word and its forms as if they were one word

so that a form has its own rarity and saturates with the word, and that the word itself is always worth more.

A near match is weighed as the word that is meant where the query's own stands nowhere, else like an inner one.

Of glue words, which hold sentences together, the sum t of all fields but the names counts

    glue_in_text * t / (t + 1)

so that a long note, which has each of them many times, gains nothing by it; and so does a name that has glue alone in
common with the query ("How I finished it" with "how do I publish").
"""

from collections.abc import Mapping

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import and_, deep_mapping, ge, instance_of, le

from search.answer.evidence import Field, MatchKind
from search.errors import ConfigError
from search.index.postings import FIELDS, NAME_FIELDS, Bools, Floats, Occurrences, Postings
from search.index.stems import Stems
from search.matching.terms import PostedTerm, Term


def _weights() -> Mapping[Field, float]:
    return {**dict.fromkeys(Field, 1.5), Field.TITLE: 3.0, Field.BODY: 1.0}


def _length_shares() -> Mapping[Field, float]:
    return {**dict.fromkeys(Field, 0.3), Field.BODY: 0.75}


def _with_weights(given: Mapping[Field, float]) -> Mapping[Field, float]:
    return {**_weights(), **given}


def _with_length_shares(given: Mapping[Field, float]) -> Mapping[Field, float]:
    return {**_length_shares(), **given}


def _any_above_zero(_owner: object, _attribute: object, weights: Mapping[Field, float]) -> None:
    if not any(weights.values()):
        raise ConfigError("weights", 0, "a weight above 0 for at least one field")


@frozen(kw_only=True)
class Bm25f:
    """The constants of the formula; tests/ranking/PARAMETERS.md has the sweep that they were chosen by.

    k1: how soon more of a word stops to count, 0..10; 1.2 (0.9 to 2.0 rank alike).
    weights: w_f, 0..100, not all 0; those of designs/3: title and aliases 3, the other short fields 1.5, the text 1.
    b: b_f, how much a field's length counts, 0..1; 0.75 in the text, 0.3 in short fields, where length says little.
        Of both, fields that are not named keep these.
    prefix_weight: a word that only begins with the query's last one, against that very word, 0..1; 0.5.
    inner_share: the most that an inner match is worth, against the weakest whole word, 0..1; 0.5.
    glue_in_text: the most that glue words and lone letters weigh outside title, alias and path, 0..1; 0.2. In a name
        they are part of it ("what is new"), in a text grammar: questions rank better without them, names with them.
    """

    k1: float = field(default=1.2, validator=[ge(0.0), le(10.0)])
    weights: Mapping[Field, float] = field(
        factory=_weights,
        converter=_with_weights,
        validator=[deep_mapping(instance_of(Field), and_(ge(0.0), le(100.0))), _any_above_zero],
    )
    b: Mapping[Field, float] = field(
        factory=_length_shares,
        converter=_with_length_shares,
        validator=deep_mapping(instance_of(Field), and_(ge(0.0), le(1.0))),
    )
    prefix_weight: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    inner_share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    glue_in_text: float = field(default=0.2, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class WeighedTerm:
    """A term over all slots of the postings: `frequencies` is wtf, 0 where the term is not."""

    term: Term
    idf: float  # times the term's share, where it is weighed twice or was corrected
    frequencies: Floats
    is_in_name: Bools  # in the title, an alias or the path
    is_inner: Bools  # found inside longer words only, or as a near one of a word that is there


def weigh_forms(
    posted: PostedTerm,
    postings: Postings,
    model: Bm25f,
    *,
    stems: Stems,
    n_words: int,
    near_weight: float,
    is_named: Bools | None = None,
) -> tuple[WeighedTerm, ...]:
    """A term as itself and, where it has stem matches, together with its other forms, each with its share.

    `n_words` is how many words the query has that can find something, this one included; `is_named` are the notes in
    whose names a glue word is part of the name, all where it is None.
    """
    found = _counted(posted, postings, model, is_named)
    forms = found.pop(MatchKind.STEM, None)
    if forms is None:
        is_meant = MatchKind.NEAR in found and not posted.of(MatchKind.WORD, MatchKind.PREFIX)
        return (_shared(_weighed(posted.term, found, postings, model), near_weight if is_meant else 1.0),)
    own = found.get(MatchKind.WORD)
    together = {MatchKind.WORD: forms if own is None else own.with_others(forms)}
    as_one = _weighed(posted.term, {**found, **together}, postings, model)
    if own is None:
        return (as_one,)
    itself = _weighed(posted.term, found, postings, model)
    rarity = min(1.0, itself.idf / inverse_document_frequency(1, len(postings)))
    share = stems.share(n_words, rarity)
    return (_shared(itself, 1.0 - share), _shared(as_one, share))


def weigh(posted: PostedTerm, postings: Postings, model: Bm25f) -> WeighedTerm:
    """Bring a term's postings to weighted term frequencies, one for each slot."""
    return _weighed(posted.term, _counted(posted, postings, model, None), postings, model)


def _shared(weighed: WeighedTerm, share: float) -> WeighedTerm:
    return evolve(weighed, idf=share * weighed.idf)


@frozen(eq=False)
class _Counted:
    """What one kind of match comes to over all slots. Where it is, is counted apart from weights, which may be 0."""

    frequencies: Floats
    is_there: Bools
    is_in_name: Bools

    def with_others(self, others: "_Counted") -> "_Counted":
        return _Counted(
            self.frequencies + others.frequencies,
            self.is_there | others.is_there,
            self.is_in_name | others.is_in_name,
        )


def _counted(posted: PostedTerm, postings: Postings, model: Bm25f, is_named: Bools | None) -> dict[MatchKind, _Counted]:
    n_slots = len(postings.notes)
    at_place = postings.place_weights([model.weights[name] for name in FIELDS], [model.b[name] for name in FIELDS])

    def count(found: Occurrences) -> _Counted:
        parts = at_place[found.places] * found.counts
        in_name = np.flatnonzero(found.fields < len(NAME_FIELDS))
        is_there = np.zeros(n_slots, np.bool_)
        is_there[found.slots] = True
        is_in_name = np.zeros(n_slots, np.bool_)
        is_in_name[found.slots[in_name]] = True
        if posted.term.is_grammar:
            if is_named is not None:
                in_name = in_name[is_named[found.slots[in_name]]]
            names = np.bincount(found.slots[in_name], parts[in_name], n_slots)
            parts[in_name] = 0.0
            text = np.bincount(found.slots, parts, n_slots)
            sums = names + model.glue_in_text * text / (text + 1.0)
        else:
            sums = np.bincount(found.slots, parts, n_slots)
        return _Counted(sums.astype(np.float64, copy=False), is_there, is_in_name)

    return {kind: count(found) for kind, found in posted.found}


def _weighed(term: Term, found: Mapping[MatchKind, _Counted], postings: Postings, model: Bm25f) -> WeighedTerm:
    nothing = np.zeros(len(postings.notes))

    def frequencies(kind: MatchKind) -> Floats:
        return found[kind].frequencies if kind in found else nothing

    whole = frequencies(MatchKind.WORD)
    if MatchKind.PREFIX in found:
        whole = whole + model.prefix_weight * frequencies(MatchKind.PREFIX)
    near = frequencies(MatchKind.NEAR)
    if not whole.any():
        whole, near = near, nothing
    inner = frequencies(MatchKind.INNER) + near
    is_inner = (inner > 0) & (whole == 0)
    if is_inner.any():
        least = whole[whole > 0].min() if whole.any() else 1.0
        whole = np.where(is_inner, model.inner_share * least * inner / (inner + 1.0), whole)
    is_in_name = np.zeros(len(postings.notes), np.bool_)
    for counted in found.values():
        is_in_name |= counted.is_in_name
    df = next((int(np.count_nonzero(found[kind].is_there)) for kind in MatchKind if kind in found), 0)
    return WeighedTerm(term, inverse_document_frequency(df, len(postings)), whole, is_in_name, is_inner)


def inverse_document_frequency(df: int, n_notes: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)): above 0 for every df in 0..N.

    >>> round(inverse_document_frequency(1, 2), 4)
    0.6931
    """
    return float(np.log1p((n_notes - df + 0.5) / (df + 0.5)))


def saturate(frequencies: Floats, k1: float) -> Floats:
    """Wtf * (k1 + 1) / (wtf + k1), in 0..k1 + 1; 0 stays 0."""
    return np.asarray(frequencies * (k1 + 1.0) / np.maximum(frequencies + k1, 1e-12))
