# ruff: noqa: D102, ARG002  a test double has the signatures of the real class
"""A model for tests: a text's vector is the sum of its words' vectors, and synonyms have the same vector."""

from functools import cache
from hashlib import blake2b

import numpy as np

from search.budget import UNLIMITED
from search.errors import ProviderError
from search.ports import Traits

N_DIMENSIONS = 64
SYNONYMS = {"car": "automobile", "motorcar": "automobile", "physician": "doctor"}


class WordEmbedder:
    """Records the texts that it embeds; fails while `error` is set. Reads only Latin letters."""

    model = "words@1"
    n_dimensions = known_dimensions = N_DIMENSIONS
    batch_size = 1
    traits = Traits(max_tokens=32, default_weight=0.6, graph_gate=0.6, noise_floor=0.3)

    def __init__(self, on_passage=lambda _text: None):
        self.passages, self.queries = [], []
        self.error = None
        self.on_passage = on_passage

    def count_tokens(self, text):
        return 2 + len(text.split())

    def foreign_share(self, text):
        letters = [char for char in text if char.isalpha()]
        return sum(char > "\u024f" for char in letters) / len(letters) if letters else 0.0

    def embed_query(self, text, *, budget=UNLIMITED):
        self.queries.append(text)
        return self._vector(text)

    def embed_passages(self, texts, *, budget=UNLIMITED):
        vectors = np.empty((len(texts), N_DIMENSIONS), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            self.on_passage(text)
            row[:] = self._vector(text)
            self.passages.append(text)
        return vectors

    def _vector(self, text):
        if self.error is not None:
            raise ProviderError("words@1", self.error, is_retriable=False)
        total = np.zeros(N_DIMENSIONS)
        for word in text.casefold().split():
            clean = word.strip(".,?!#*[]")
            total += _direction(SYNONYMS.get(clean, clean))
        return (total / (np.linalg.norm(total) or 1.0)).astype(np.float32)


@cache
def _direction(word):
    seed = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little")
    vector = np.random.default_rng(seed).standard_normal(N_DIMENSIONS)
    return vector / np.linalg.norm(vector)
