"""True BM25F: a term's frequencies are summed over the fields before they saturate.

    wtf(t, d) = sum over fields f of  w_f * tf(t, d, f) / (1 - b_f + b_f * length(d, f) / mean_length(f))
    score(q, d) = sum over terms t of  times(t) * idf(t) * wtf * (k1 + 1) / (wtf + k1)
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)),  N, df over all files with text; mean_length over Markdown notes

Robertson, Zaragoza and Taylor, CIKM 2004. The common shortcut, summing a BM25 score for each field, saturates every
field separately: then a higher weight for the title makes a word in the title count for less.

A term also matches words that begin with it (they count `prefix_weight`) or contain it (inner matches). Inner matches
stay below every whole-word match of the same term in the vault:

    wtf = inner_share * smallest wtf of a whole word (or prefix) * s / (s + 1),  s: the sum over fields from the formula

If other forms of the word count (stem matches), the term is weighed twice, with share from `Stems.share`:

    (1 - share) * score of the word itself + share * score of the word and its forms as if they were one word

so a form has its own rarity and saturates together with the word, and the word itself is always worth more.

A part of a compound counts part_weight ("fox" in "snow-fox").

A near match (a corrected misspelling) is weighed as a whole word if the query's own word occurs nowhere, else as an
inner match.

For stop words, the sum t over all fields except the names counts only

    stop_words_in_text * t / (t + 1)

so a long note, which contains each of them many times, gains nothing from them. The same limit holds for a name that
shares nothing but stop words with the query ("How I finished it" with "how do I publish").
"""

from collections.abc import Iterable, Mapping

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import and_, deep_mapping, ge, instance_of, le

from search.answer.evidence import Field, MatchKind
from search.errors import ConfigError
from search.index.postings import FIELDS, NAME_FIELDS, Bools, Floats, Occurrences, Postings
from search.index.stems import Stems
from search.matching.terms import PostedTerm, Term

_WHOLE = frozenset({MatchKind.WORD, MatchKind.STEM, MatchKind.PREFIX})  # STEM: the word and its forms as one word


def _weights(given: Mapping[Field, float]) -> Mapping[Field, float]:
    return {**dict.fromkeys(Field, 1.5), Field.TITLE: 3.0, Field.BODY: 1.0, **given}


def _length_shares(given: Mapping[Field, float]) -> Mapping[Field, float]:
    return {**dict.fromkeys(Field, 0.3), Field.BODY: 0.75, **given}


def _any_above_zero(_owner: object, _attribute: object, weights: Mapping[Field, float]) -> None:
    if not any(weights.values()):
        raise ConfigError("weights", 0, "a weight above 0 for at least one field")


@frozen(kw_only=True)
class Bm25f:
    """The constants of the formula; tests/ranking/PARAMETERS.md has the parameter sweep behind the defaults.

    k1: saturation: the lower, the sooner more occurrences stop counting, 0..10; 1.2 (0.9 to 2.0 rank alike).
    weights: weight of each field (w_f), 0..100, not all 0; by default those of designs/3: title and aliases 3, the
        other short fields 1.5, the text 1. Fields that are not named keep their default, also in `b`.
    b: length normalization of each field (b_f), 0..1; 0.75 in the text, 0.3 in short fields, where length says little.
    prefix_weight: weight of a word that begins with the query's last word, relative to that word itself, 0..1; 0.5.
    part_weight: weight of a word that is only a part of a compound, relative to the word itself, 0..1; 0.95, so that
        nothing but the whole word decides between notes that are equal otherwise.
    inner_share: the most that an inner match is worth, relative to the weakest whole-word match, 0..1; 0.5.
    stop_words_in_text: the most that stop words and single letters weigh outside title, alias and path, 0..1; 0.2. In a
        name they carry meaning ("what is new"), in a text hardly any: questions rank better without them, names with.
    """

    k1: float = field(default=1.2, validator=[ge(0.0), le(10.0)])
    weights: Mapping[Field, float] = field(
        factory=dict,
        converter=_weights,
        validator=[deep_mapping(instance_of(Field), and_(ge(0.0), le(100.0))), _any_above_zero],
    )
    b: Mapping[Field, float] = field(
        factory=dict,
        converter=_length_shares,
        validator=deep_mapping(instance_of(Field), and_(ge(0.0), le(1.0))),
    )
    prefix_weight: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    part_weight: float = field(default=0.95, validator=[ge(0.0), le(1.0)])
    inner_share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    stop_words_in_text: float = field(default=0.2, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class WeighedTerm:
    """A term over all slots of the postings: `frequencies` is wtf, 0 for notes without the term."""

    term: Term
    idf: float  # multiplied by `share`
    frequencies: Floats
    is_in_name: Bools  # in the title, an alias or the path
    is_inner: Bools  # only inside longer words, or as a near match although the vault has the query's word
    weighing: "Weighing"
    share: float = 1.0  # below 1 if the term is weighed twice, was corrected, says when, or belongs to an expansion

    def shared(self, share: float) -> "WeighedTerm":
        """The term with its idf multiplied by `share`."""
        return evolve(self, idf=share * self.idf, share=share * self.share)


@frozen(eq=False)
class Weighing:
    """What the frequencies were computed from, so that those of a few notes can be taken apart again.

    `found` has the places of each kind of match; `whole` names the kinds that count as whole words, and `least` is the
    smallest frequency of these in any note. `is_named` marks the notes in whose names a stop word counts; None: all.
    """

    df: int
    found: tuple[tuple[MatchKind, Occurrences], ...]
    whole: frozenset[MatchKind]
    least: float
    is_named: Bools | None


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
    """The term by itself and, if it has stem matches, together with its other forms, each with its share.

    `n_words` counts the query's words that can find notes, this one included. `is_named` marks the notes in whose names
    a stop word counts as part of the name; None: in all names.
    """
    found = _counted(posted, postings, model, is_named)
    forms = found.pop(MatchKind.STEM, None)
    if forms is None:
        is_replaced = MatchKind.NEAR in found and not posted.of(MatchKind.WORD, MatchKind.PREFIX)
        weighed = _weighed(posted, found, postings, model, is_named)
        return (weighed.shared(near_weight if is_replaced else 1.0),)
    own = found.get(MatchKind.WORD)
    together = {MatchKind.WORD: forms if own is None else own.with_others(forms)}
    as_one = _weighed(posted, {**found, **together}, postings, model, is_named)
    if own is None:
        return (as_one,)
    itself = _weighed(posted.without_forms(), found, postings, model, is_named)
    rarity = min(1.0, itself.idf / inverse_document_frequency(1, postings.n_weighing))
    share = stems.share(n_words, rarity)
    return (itself.shared(1.0 - share), as_one.shared(share))


def weigh(posted: PostedTerm, postings: Postings, model: Bm25f) -> WeighedTerm:
    """Turn a term's postings into weighted term frequencies, one for each slot."""
    return _weighed(posted, _counted(posted, postings, model, None), postings, model, None)


@frozen(eq=False)
class _Counted:
    """One kind of match over all slots. `is_there` is kept separately, as a field of weight 0 adds no frequency."""

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
        is_there, is_in_name = np.zeros(n_slots, np.bool_), np.zeros(n_slots, np.bool_)
        names, sums = np.zeros(n_slots), np.zeros(n_slots)
        for part in found.blocks():
            weights = at_place[part.places] * part.counts
            weights[part.parts] *= model.part_weight
            in_name = np.flatnonzero(part.fields < len(NAME_FIELDS))
            is_there[part.slots] = True
            is_in_name[part.slots[in_name]] = True
            if posted.term.is_stop_word:
                if is_named is not None:
                    in_name = in_name[is_named[part.slots[in_name]]]
                np.add.at(names, part.slots[in_name], weights[in_name])
                weights[in_name] = 0.0
            np.add.at(sums, part.slots, weights)
        if posted.term.is_stop_word:
            sums = names + model.stop_words_in_text * sums / (sums + 1.0)
        return _Counted(sums, is_there, is_in_name & ~postings.is_by_name)

    return {kind: count(found) for kind, found in posted.found}


def _weighed(
    posted: PostedTerm,
    found: Mapping[MatchKind, _Counted],
    postings: Postings,
    model: Bm25f,
    is_named: Bools | None,
) -> WeighedTerm:
    nothing = np.zeros(len(postings.notes))
    as_whole = _WHOLE

    def frequencies(kind: MatchKind) -> Floats:
        return found[kind].frequencies if kind in found else nothing

    whole = frequencies(MatchKind.WORD)
    if MatchKind.PREFIX in found:
        whole = whole + model.prefix_weight * frequencies(MatchKind.PREFIX)
    near = frequencies(MatchKind.NEAR)
    if not whole.any():
        whole, near = near, nothing
        as_whole = as_whole | {MatchKind.NEAR}
    inner = frequencies(MatchKind.INNER) + near
    is_inner = (inner > 0) & (whole == 0)
    least = 1.0
    if is_inner.any():
        is_known = (whole > 0) & postings.is_weighing
        least = float(whole[is_known].min()) if is_known.any() else 1.0
        whole = np.where(is_inner, model.inner_share * least * inner / (inner + 1.0), whole)
    is_in_name = np.zeros(len(postings.notes), np.bool_)
    for counted in found.values():
        is_in_name |= counted.is_in_name
    df = next((postings.document_frequency(found[kind].is_there) for kind in MatchKind if kind in found), 0)
    idf = inverse_document_frequency(df, postings.n_weighing)
    weighing = Weighing(df, posted.found, as_whole, least, is_named)
    return WeighedTerm(posted.term, idf, whole, is_in_name, is_inner, weighing)


def inverse_document_frequency(df: int, n_notes: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)): above 0 for every df in 0..N.

    >>> round(inverse_document_frequency(1, 2), 4)
    0.6931
    """
    return float(np.log1p((n_notes - df + 0.5) / (df + 0.5)))


def score(terms: Iterable[WeighedTerm], postings: Postings, k1: float) -> Floats:
    """The BM25F score of each slot, 0 or more: the sum over the terms of times * idf * saturated frequency."""
    scores = np.zeros(len(postings.notes))
    for weighed in terms:
        scores += weighed.idf * weighed.term.times * saturate(weighed.frequencies, k1)
    return scores


def saturate(frequencies: Floats, k1: float) -> Floats:
    """The saturated frequencies, wtf * (k1 + 1) / (wtf + k1), in 0..k1 + 1; 0 stays 0."""
    return np.asarray(frequencies * (k1 + 1.0) / np.maximum(frequencies + k1, 1e-12))
