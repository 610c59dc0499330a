"""Strength: how well a note answers a query by itself, 0..1. Unlike the score it does not depend on the other results.

    strength = 1                                    if the query is the note's title, alias or file name
               words + (1 - words) * meaning        otherwise

    words    = 0.8 * coverage + 0.2 * nearness                                   0..0.95
    coverage = sum over the query's words t of  weight(t) * quality(t)  / sum over t of  weight(t)
    nearness = the same, but quality counts only for words that stand together: in the title or in one of the note's
               passages of three consecutive lines, the one with the highest sum
    weight(t)  = idf(t), for stop words 0.05 * idf(t)
    idf(t)     = ln(1 + (N - df + 0.5) / (df + 0.5)),  N notes in the vault, df of them contain t
    quality(t) = kind * field of the best match of t in the note, see `KINDS` and `FIELDS`; 0 without a match
    meaning  = 0.7 * u * u,  u = (cosine - floor) / (ceiling - floor), limited to 0..1                0..0.7

cosine is that of the query and what is nearest to it in the note: a passage, the name or the opening. floor is the
model's noise floor, ceiling the cosine from which the model is sure. Without a cosine, meaning is 0. So a note that
shares no word with the query and is only weakly similar (u up to 0.65) has at most 0.3.

A strength depends on the query, the note and the vault, never on the other results. Presets and modes matter only by
what they look for: one without corrections, other forms of words or vectors finds no such match.

Every symbol is an attribute of `StrengthDerivation` or `WordStrength`, so any client can recompute the value.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from search.answer.evidence import Field, MatchKind

KINDS: Mapping[MatchKind, float] = {
    MatchKind.WORD: 1.0,
    MatchKind.STEM: 0.9,
    MatchKind.EXPANSION: 0.8,
    MatchKind.PREFIX: 0.7,
    MatchKind.NEAR: 0.6,
    MatchKind.INNER: 0.4,
}
"""What a kind of match is worth."""

FIELDS: Mapping[Field, float] = {
    Field.TITLE: 0.95,  # below 1, which is for exact names
    Field.PATH: 0.85,
    Field.TAGS: 0.85,
    Field.HEADINGS: 0.85,
    Field.LINKS: 0.7,
    Field.PROPERTIES: 0.7,
    Field.BODY: 0.7,
}
"""What a match in a field is worth."""

STOP_WORD_SHARE = 0.05
COVERAGE_SHARE, NEARNESS_SHARE = 0.8, 0.2
MOST_BY_MEANING = 0.7
LEAST_SIMILAR = 0.05  # what meaning must give so that a note is called similar; less is hardly more than noise

WEAK = "weak"
LEVELS: Sequence[tuple[float, str]] = ((1.0, "exact"), (0.75, "strong"), (0.45, "good"), (0.25, "fair"), (0.0, WEAK))
"""The word for a strength: that of the first threshold that it reaches. All words in the text alone (0.7) are good."""


@frozen
class WordStrength:
    """One word of the query: its weight, and its best match in the note; `quality` is 0 if there is none."""

    word: str  # folded
    idf: float
    weight: float
    quality: float = 0.0
    match: MatchKind | None = None
    field: Field | None = None
    form: str = ""  # the note's word or words, if they differ
    is_near: bool = False  # in the title or in the best passage


@frozen(kw_only=True)
class StrengthDerivation:
    """A strength and the numbers that it is made of, in the order of the derivation."""

    value: float
    exact_name: str = ""  # the name that equals the query
    words: tuple[WordStrength, ...] = ()
    coverage: float = 0.0
    nearness: float = 0.0
    by_words: float = 0.0
    cosine: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    by_meaning: float = 0.0


@frozen
class AnchoredCosine:
    """A raw cosine, with the model's noise floor and the cosine from which the model is sure."""

    cosine: float
    floor: float
    ceiling: float

    @property
    def value(self) -> float:
        """0 up to the floor, `MOST_BY_MEANING` from the ceiling on.

        >>> round(AnchoredCosine(0.4, 0.2, 0.6).value, 4)
        0.175
        """
        if self.cosine >= self.ceiling:  # an endpoint's ceiling may be set to its floor or below
            return MOST_BY_MEANING
        if self.cosine <= self.floor:
            return 0.0
        unit = (self.cosine - self.floor) / (self.ceiling - self.floor)
        return MOST_BY_MEANING * unit * unit


def strength_of(
    words: Sequence[WordStrength], meaning: AnchoredCosine | None = None, *, exact_name: str = ""
) -> StrengthDerivation:
    """The strength of a note with these words; without words and meaning 0.

    >>> both = [WordStrength("oak", 3.0, 3.0, 0.95, is_near=True), WordStrength("bark", 1.0, 1.0)]
    >>> round(strength_of(both).value, 4)
    0.7125
    """
    total = sum(item.weight for item in words) or 1.0
    coverage = sum(item.weight * item.quality for item in words) / total
    nearness = sum(item.weight * item.quality for item in words if item.is_near) / total
    by_words = COVERAGE_SHARE * coverage + NEARNESS_SHARE * nearness
    by_meaning = 0.0 if meaning is None else meaning.value
    return StrengthDerivation(
        value=1.0 if exact_name else by_words + (1.0 - by_words) * by_meaning,
        exact_name=exact_name,
        words=tuple(words),
        coverage=coverage,
        nearness=nearness,
        by_words=by_words,
        cosine=None if meaning is None else meaning.cosine,
        floor=None if meaning is None else meaning.floor,
        ceiling=None if meaning is None else meaning.ceiling,
        by_meaning=by_meaning,
    )


def in_a_word(strength: float) -> str:
    """The word for a strength, 0..1.

    >>> [in_a_word(value) for value in (1.0, 0.99, 0.45, 0.3, 0.0)]
    ['exact', 'strong', 'good', 'fair', 'weak']
    """
    return next((word for least, word in LEVELS if strength >= least), WEAK)  # also if it is not a number
