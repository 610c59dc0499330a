"""What one term of the query added to a BM25F score, with every number of the formula (see `matching/bm25f`).

The formulas that connect the numbers:

score     = times * idf * frequency * (k1 + 1) / (frequency + k1)
idf       = share * ln(1 + (n_notes - df + 0.5) / (df + 0.5))
frequency = sum over the parts of  scale * s,   or of  scale * s / (s + 1)  for a saturated part
s         = sum over the fields of the part of  weight * count / (1 - b + b * length / mean_length)
"""

from attrs import frozen

from search.answer.evidence import Field, MatchKind


@frozen(kw_only=True)
class FieldCount:
    """The note matches `count` times in a field with `length` tokens; the mean of all notes is `mean_length`."""

    kind: MatchKind
    field: Field
    count: int
    weight: float
    b: float
    length: float
    mean_length: float


@frozen(kw_only=True)
class FrequencyPart:
    """Matches that are added up. `scale` lowers weaker ones; if they are saturated, they never count more than that."""

    scale: float
    is_saturated: bool
    fields: tuple[FieldCount, ...]


@frozen(kw_only=True)
class TermScore:
    """One addend of a BM25F score. A word with other forms has two: one by itself, one together with its forms.

    `share` is below 1 for such a pair, for corrected words, for words of a date and for expansions.
    """

    term: str
    score: float
    times: int  # how often the query has the term
    df: int  # notes that contain it
    n_notes: int
    share: float
    idf: float
    k1: float
    frequency: float
    parts: tuple[FrequencyPart, ...]
