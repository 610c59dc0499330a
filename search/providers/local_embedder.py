"""An embedder that runs on this machine: a tokenizer, an encoder and the traits of the model.

The model is loaded once, with the first text. If loading fails, the next text tries it again, since the missing file
may have been installed in the meantime. Never batches texts: see `bert`.
"""

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.ports import Traits
from search.providers.bert import F32, Encoder
from search.providers.scripts import Script, foreign_share
from search.providers.tokenizer import Tokenizer


@frozen(kw_only=True)
class LocalTraits(Traits):
    """The constants of a model that runs here. Longer texts than `max_tokens` are cut off."""

    model: str
    n_dimensions: int
    scripts: Script
    query_prefix: str = ""  # put before the text, because the model was trained with it
    passage_prefix: str = ""


class LocalEmbedder:
    """Implements `ports.Embedder`. Threads may share it and get equal vectors."""

    def __init__(self, traits: LocalTraits, load: Callable[[], tuple[Tokenizer, Encoder]]) -> None:
        self.traits = traits
        self._load = load
        self._lock = Lock()
        self._loaded: tuple[Tokenizer, Encoder] | None = None

    @property
    def model(self) -> str:
        """Name and version."""
        return self.traits.model

    @property
    def n_dimensions(self) -> int:
        """The length of a vector."""
        return self.traits.n_dimensions

    @property
    def known_dimensions(self) -> int:
        """The length of a vector, which is always known here."""
        return self.traits.n_dimensions

    @property
    def batch_size(self) -> int:
        """One text at a time is fastest, see `bert`."""
        return 1

    def foreign_share(self, text: str) -> float:
        """The share of the letters of `text` that the model cannot read, 0 to 1. Does not load the model."""
        return foreign_share(text, self.traits.scripts)

    def count_tokens(self, text: str) -> int:
        """The number of tokens of `text` as a passage, including special tokens and the prefix.

        Raises:
            ProviderError: the model cannot be loaded.
        """
        return self._ready()[0].count(self.traits.passage_prefix + text)

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> F32:
        """The vector of a query, of unit length, shape (n_dimensions,). An empty text has a vector as well.

        Raises:
            ProviderError: the model cannot be loaded.
            Cancelled: the budget was cancelled.
        """
        budget.check()
        return self._embed(self.traits.query_prefix + text)

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> F32:
        """The vectors of passages, shape (len(texts), n_dimensions).

        Raises:
            ProviderError: the model cannot be loaded.
            Cancelled: the budget was cancelled.
        """
        vectors = np.empty((len(texts), self.n_dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            budget.check()
            row[:] = self._embed(self.traits.passage_prefix + text)
        return vectors

    def _embed(self, text: str) -> F32:
        tokenizer, encoder = self._ready()
        return encoder.vector(tokenizer.encode(text, limit=self.traits.max_tokens))

    def _ready(self) -> tuple[Tokenizer, Encoder]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
