"""What the core needs from outside, as protocols; `open_engine` chooses the models, a chat is handed in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from search.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    import numpy as np  # whoever only reports progress need not load it
    import numpy.typing as npt


class Embedder(Protocol):
    """Turns text into vectors of unit length. May be slow; is called from one thread at a time.

    `model` names the model and its version: vectors of different names are never compared.
    """

    @property
    def model(self) -> str:
        """Name and version, as "minilm-l6-v2-q8@1"."""

    @property
    def n_dimensions(self) -> int:
        """Length of a vector."""

    @property
    def known_dimensions(self) -> int | None:
        """The same, None where somebody would have to be asked for it."""

    @property
    def batch_size(self) -> int:
        """How many passages are best given at once."""

    @property
    def max_tokens(self) -> int:
        """The longest chunk it reads whole, counted by `count_tokens`."""

    @property
    def default_weight(self) -> float:
        """The semantic weight (0..1) that suits this model when nobody has set one."""

    @property
    def graph_gate(self) -> float:
        """The raw cosine from which a note counts as sure: cosines of different models do not compare."""

    @property
    def noise_floor(self) -> float:
        """The raw cosine below which two texts have nothing to do with each other."""

    def count_tokens(self, text: str) -> int:
        """How many of its tokens `text` takes, special ones included."""

    def foreign_share(self, text: str) -> float:
        """The share (0..1) of the letters of `text` that are of scripts the model does not know; 0 without letters."""

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> "npt.NDArray[np.float32]":
        """The vector of a question, shape (n_dimensions,)."""

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> "npt.NDArray[np.float32]":
        """The vectors of passages, shape (len(texts), n_dimensions)."""


class Chat(Protocol):
    """A model that answers in text. Slow; may be called from several threads at once."""

    @property
    def model(self) -> str:
        """Name of the model and where it is: answers are remembered under it."""

    def complete(self, system: str, user: str, *, max_tokens: int, budget: Budget) -> str:
        """The answer to `user` by one who was told `system`, as it came: it may be anything, also empty.

        Raises:
            ProviderError: there is no answer within the budget, or none at all.
            Cancelled: nobody waits for it any more.
        """


class Reranker(Protocol):
    """Scores passages by how well each answers a query. Slow; may be called from several threads at once."""

    @property
    def model(self) -> str:
        """Name of the model and where it is: scores are remembered under it."""

    def rerank(self, query: str, passages: Sequence[str], *, budget: Budget) -> tuple[float, ...]:
        """A finite score for each passage, in their order; higher is better, and nothing else is known of the scale.

        Raises:
            ProviderError: there are no scores within the budget, or none at all.
            Cancelled: nobody waits for them any more.
        """


class Progress(Protocol):
    """Hears how far a long piece of work has come and decides whether and how to show it."""

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` items are finished; `total` may grow.

        Called from the thread that works; must return at once and never raise.
        """


def silent(done: int, total: int) -> None:
    """Progress that nothing shows."""
