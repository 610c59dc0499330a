"""The concept vocabulary: a vault's main words as vectors, to find the ones nearest to a query (designs/4).

It is kept next to the notes' vectors, in one file that is replaced as a whole. Its size is limited. A
file that is damaged, or from another model or version, is ignored. Nothing here calls a model.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.cache.private_files import replace_file
from search.vectors.cosine import Floats

FILE = "concept_vocabulary.json"
MAX_CONCEPTS = 2000  # words, which take 1.5 MB, and four seconds of the embedded model
_VERSION = 1


@frozen(kw_only=True)
class Concepts:
    """n_terms: how many words of the vault expand a query, 1..10; 3 (designs/4)."""

    n_terms: int = field(default=3, validator=[instance_of(int), ge(1), le(10)])


@frozen(eq=False)
class ConceptVocabulary:
    """Words and their vectors, one row of length 1 per word."""

    words: tuple[str, ...] = ()
    vectors: Floats = field(factory=lambda: np.empty((0, 1), np.float32))

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {word: at for at, word in enumerate(self.words)}

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __len__(self) -> int:
        return len(self.words)

    def keeping(self, words: Sequence[str], made: Mapping[str, Floats]) -> "ConceptVocabulary":
        """Only these words, at most `MAX_CONCEPTS`. Words whose vector is neither known nor in `made` are left out."""
        known = {word: self.vectors[at] for word, at in self._rows.items()} | dict(made)
        kept = [word for word in dict.fromkeys(words) if word in known][:MAX_CONCEPTS]
        return ConceptVocabulary(tuple(kept), np.stack([known[word] for word in kept])) if kept else ConceptVocabulary()

    def nearest(self, query: Floats, n: int, *, floor: float, without: Collection[str] = ()) -> tuple[str, ...]:
        """The `n` words nearest to the query by cosine, none below `floor`, best first, ties in alphabetical order."""
        if not self.words:
            return ()
        cosines = np.round(self.vectors @ query, 4)
        order = sorted(range(len(self.words)), key=lambda at: (-cosines[at], self.words[at]))
        near = (self.words[at] for at in order if cosines[at] >= floor and self.words[at] not in without)
        return tuple(word for word, _ in zip(near, range(n), strict=False))

    def save(self, folder: Path, model: str) -> None:
        """Write the file.

        Raises:
            OSError: the file cannot be written.
        """
        rows = [b64encode(row.astype(np.float16).tobytes()).decode("ascii") for row in self.vectors]
        value = {"version": _VERSION, "model": model, "terms": dict(zip(self.words, rows, strict=True))}
        replace_file(folder / FILE, [json.dumps(value).encode()])


def load_concepts(folder: Path, model: str, n_dimensions: int) -> ConceptVocabulary:
    """The vocabulary that was saved for this model; empty if there is no usable file."""
    try:
        value = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if value["version"] != _VERSION or value["model"] != model:
            return ConceptVocabulary()
        terms = list(value["terms"].items())[:MAX_CONCEPTS]
        rows = [np.frombuffer(b64decode(row, validate=True), np.float16).astype(np.float32) for _, row in terms]
        vectors = np.stack(rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ConceptVocabulary()
    if vectors.shape[1] != n_dimensions or not np.isfinite(vectors).all():
        return ConceptVocabulary()
    return ConceptVocabulary(tuple(str(word) for word, _ in terms), vectors)
