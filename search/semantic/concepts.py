"""Keeps the concept vocabulary of a vault: learns its words behind the answers, and adds the nearest to a query.

Nothing is learnt before a design asked for it. A search never waits for it: until words are known, none are added.
"""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, field

from search.analysis.tokens import tokens
from search.budget import Budget
from search.ports import Embedder
from search.semantic.scheduler import Scheduler
from search.vectors.concepts import MAX_CONCEPTS, Concepts, ConceptVocabulary, load_concepts
from search.vectors.cosine import Floats


@define(eq=False)
class ConceptKeeper:
    """One vault's. `words_of` gives the words that it is about, best first; None until somebody wants them."""

    embedder: Embedder
    folder: Path
    turns: Scheduler
    words_of: Callable[[], Sequence[str]] | None = None
    _vocabulary: ConceptVocabulary | None = field(default=None, init=False)

    def near(self, query: str, vector: Floats, settings: Concepts) -> tuple[str, ...]:
        """The words nearest to a query that are not in it."""
        known = set(tokens(query))
        return self._known().nearest(vector, settings.n_terms, floor=self.embedder.noise_floor, without=known)

    def learn(self, budget: Budget) -> None:
        """Embed the words that are new and forget those that the vault is not about any more; stops for every search.

        What was learnt when it is cancelled or the model fails is kept.

        Raises:
            Cancelled: the budget was cancelled, or all was closed.
            ProviderError: the model failed.
        """
        if self.words_of is None:
            return
        words = self.words_of()[:MAX_CONCEPTS]
        known = self._known()
        missing = [word for word in words if word not in known]
        if not missing and len(known) == len(words):
            return
        made: dict[str, Floats] = {}
        size = max(1, self.embedder.batch_size)
        try:
            for start in range(0, len(missing), size):
                self.turns.wait_for_calm(budget)
                batch = missing[start : start + size]
                with self.turns.model:
                    made.update(zip(batch, self.embedder.embed_passages(batch, budget=budget), strict=True))
        finally:  # what was interrupted goes on where it stopped, also after many short sessions
            self._vocabulary = known.keeping(words, made)
            with contextlib.suppress(OSError):  # it is learnt again at the next start
                self._vocabulary.save(self.folder, self.embedder.model)

    def _known(self) -> ConceptVocabulary:
        if self._vocabulary is None:
            self._vocabulary = load_concepts(self.folder, self.embedder.model, self.embedder.known_dimensions or 0)
        return self._vocabulary
