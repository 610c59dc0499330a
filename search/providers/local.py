"""An embedder that computes here: a tokenizer, an encoder, and what is to be known about the model.

Loads on the first text, once, whichever thread asks first; a load that failed is tried again by the next text, since
what it wants may have been installed meanwhile. Never batches: see `bert`.
"""

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.providers.bert import F32, Encoder
from search.providers.scripts import Script, foreign_share
from search.providers.tokenizer import Tokenizer


@frozen(kw_only=True)
class Traits:
    """What the rest of the program must know of a model; all but the name in units of `ports.Embedder`."""

    model: str
    n_dimensions: int
    max_tokens: int
    default_weight: float
    graph_gate: float
    noise_floor: float
    scripts: Script
    query_prefix: str = ""  # put before what is embedded, because the model was trained so
    passage_prefix: str = ""


class LocalEmbedder:
    """Implements `ports.Embedder`; threads may share one and get equal vectors."""

    def __init__(self, traits: Traits, load: Callable[[], tuple[Tokenizer, Encoder]]) -> None:
        self._traits = traits
        self._load = load
        self._lock = Lock()
        self._loaded: tuple[Tokenizer, Encoder] | None = None

    @property
    def model(self) -> str:
        """Name and version."""
        return self._traits.model

    @property
    def n_dimensions(self) -> int:
        """Length of a vector."""
        return self._traits.n_dimensions

    @property
    def known_dimensions(self) -> int:
        """The same: a model's file says it."""
        return self._traits.n_dimensions

    @property
    def batch_size(self) -> int:
        """One text at a time is fastest, see `bert`."""
        return 1

    @property
    def max_tokens(self) -> int:
        """The longest passage it reads whole; of a longer one it reads the beginning."""
        return self._traits.max_tokens

    @property
    def default_weight(self) -> float:
        """The semantic weight, 0 to 1, that suits this model."""
        return self._traits.default_weight

    @property
    def graph_gate(self) -> float:
        """The cosine from which a note counts as sure."""
        return self._traits.graph_gate

    @property
    def noise_floor(self) -> float:
        """The cosine below which a note is no hit."""
        return self._traits.noise_floor

    def foreign_share(self, text: str) -> float:
        """The share of its letters that the model cannot read, 0 to 1. Loads nothing."""
        return foreign_share(text, self._traits.scripts)

    def count_tokens(self, text: str) -> int:
        """The tokens of `text` as a passage, special ones and prefix included.

        Raises:
            ProviderError: the model cannot be loaded.
        """
        return self._ready()[0].count(self._traits.passage_prefix + text)

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> F32:
        """The vector of a question, of unit length, shape (n_dimensions,). An empty text has a vector too.

        Raises:
            ProviderError: the model cannot be loaded.
            Cancelled: nobody waits any more.
        """
        budget.check()
        return self._embed(self._traits.query_prefix + text)

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> F32:
        """The vectors of passages, shape (len(texts), n_dimensions).

        Raises:
            ProviderError: the model cannot be loaded.
        """
        vectors = np.empty((len(texts), self.n_dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            budget.check()
            row[:] = self._embed(self._traits.passage_prefix + text)
        return vectors

    def _embed(self, text: str) -> F32:
        tokenizer, encoder = self._ready()
        return encoder.vector(tokenizer.encode(text, limit=self.max_tokens))

    def _ready(self) -> tuple[Tokenizer, Encoder]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
