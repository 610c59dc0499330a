"""What the core needs from outside, as protocols.

`open_engine` chooses the embedder and the reranker; the caller passes in the chat model.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from search.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    import numpy as np  # not loaded at run time: modules that only report progress start faster without it
    import numpy.typing as npt


@frozen(kw_only=True)
class Traits:
    """The constants of an embedding model. Each model has its own gate and floor, as their cosines differ."""

    max_tokens: int  # the length of the longest chunk that it reads in full, counted by `Embedder.count_tokens`
    default_weight: float  # the semantic weight (0..1) that suits it, used where the settings do not set one
    graph_gate: float  # the raw cosine from which a note counts as relevant
    noise_floor: float  # the raw cosine below which two texts have nothing to do with each other
    languages: frozenset[str] | None = None  # that it can read, as in `search.index.languages`; None for all


class Embedder(Protocol):
    """Turns text into vectors of unit length. May be slow; is called from one thread at a time."""

    @property
    def model(self) -> str:
        """The model's name and version, such as "minilm-l6-v2-q8@1"; vectors of different models are never compared."""

    @property
    def n_dimensions(self) -> int:
        """The length of a vector; may have to ask an endpoint for it."""

    @property
    def known_dimensions(self) -> int | None:
        """The length of a vector, or None if an endpoint would have to be asked for it."""

    @property
    def batch_size(self) -> int:
        """The best number of passages for one call of `embed_passages`."""

    @property
    def traits(self) -> Traits:
        """The constants of the model."""

    def count_tokens(self, text: str) -> int:
        """How many of the model's tokens `text` takes, including special tokens."""

    def foreign_share(self, text: str) -> float:
        """The share (0..1) of letters in `text` from scripts that the model does not know; 0 if it has no letters."""

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> "npt.NDArray[np.float32]":
        """The vector of a query, shape (n_dimensions,)."""

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> "npt.NDArray[np.float32]":
        """The vectors of passages, shape (len(texts), n_dimensions)."""


class Chat(Protocol):
    """A model that answers in text. Slow; may be called from several threads at once."""

    @property
    def model(self) -> str:
        """The name and the address of the model: the key under which its answers are cached."""

    def complete(self, system: str, user: str, *, max_tokens: int, budget: Budget) -> str:
        """The model's answer to the message `user` under the prompt `system`, unchanged; any text, perhaps empty.

        Raises:
            ProviderError: the model failed, or did not answer within the budget.
            Cancelled: the caller no longer waits for the answer.
        """


class Reranker(Protocol):
    """Scores passages by how well each answers a query. Slow; may be called from several threads at once."""

    @property
    def model(self) -> str:
        """The name and the address of the model: the key under which its scores are cached."""

    def rerank(self, query: str, passages: Sequence[str], *, budget: Budget) -> tuple[float, ...]:
        """A finite score for each passage, in the order of `passages`; higher is better, and the scale is the model's.

        Raises:
            ProviderError: the model failed, or did not answer within the budget.
            Cancelled: the caller no longer waits for the scores.
        """


class Progress(Protocol):
    """Receives the progress of long work and decides whether and how to show it."""

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` items are finished; `total` may grow.

        Called from the thread that does the work; must return at once and never raise.
        """


def silent(done: int, total: int) -> None:
    """Progress that is not shown."""
