"""An embedder that runs on this machine: a tokenizer, an encoder and the traits of the model.

The model is loaded once, with the first text. If loading fails, the next text tries it again, since the missing file
may have been installed in the meantime.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock

import numpy as np
from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.ports import Traits
from search.providers.bert import F32, Encoder
from search.providers.scripts import Script, foreign_share
from search.providers.tokenizer import Tokenizer

_TOGETHER = 192  # tokens: more at once are hardly faster, and a search would wait longer for the end of the step


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
        """A passage fills the model, see `_together`."""
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
        vector: F32 = self._ready()[1].vectors([self._ids(self.traits.query_prefix + text)])[0]
        return vector

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> F32:
        """The vectors of passages, shape (len(texts), n_dimensions).

        Raises:
            ProviderError: the model cannot be loaded.
            Cancelled: the budget was cancelled.
        """
        vectors = np.empty((len(texts), self.n_dimensions), np.float32)
        at = 0
        for ids in _together([self._ids(self.traits.passage_prefix + text) for text in texts]):
            budget.check()
            vectors[at : at + len(ids)] = self._ready()[1].vectors(ids)
            at += len(ids)
        return vectors

    def _ids(self, text: str) -> Sequence[int]:
        return self._ready()[0].encode(text, limit=self.traits.max_tokens)

    def _ready(self) -> tuple[Tokenizer, Encoder]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


def _together(texts: Iterable[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Neighbouring texts in groups of at most `_TOGETHER` tokens; a longer text is a group of its own."""
    group: list[Sequence[int]] = []
    for ids in texts:
        if group and sum(map(len, group)) + len(ids) > _TOGETHER:
            yield group
            group = []
        group.append(ids)
    if group:
        yield group
