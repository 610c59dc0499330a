"""The concept vocabulary of a vault: its key words are embedded in the background, and the nearest extend a query.

Words are embedded only after a preset has asked for concepts. A search never waits for them: until they are embedded,
it adds none.
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
    """The concepts of one vault. `words_of` returns the vault's key words, best first; None if no preset needs them."""

    embedder: Embedder
    folder: Path
    scheduler: Scheduler
    words_of: Callable[[], Sequence[str]] | None = None
    _vocabulary: ConceptVocabulary | None = field(default=None, init=False)

    def near(self, query: str, vector: Floats, settings: Concepts) -> tuple[str, ...]:
        """The words nearest to a query that it does not contain."""
        typed = set(tokens(query))
        return self._loaded().nearest(vector, settings.n_terms, floor=self.embedder.traits.noise_floor, without=typed)

    def learn(self, budget: Budget) -> None:
        """Embed the vault's new key words and drop words that are no longer key words; pauses for every search.

        What was embedded before a cancellation or a failure is kept.

        Raises:
            Cancelled: the budget was cancelled, or the scheduler was closed.
            ProviderError: the model failed.
        """
        if self.words_of is None:
            return
        words = self.words_of()[:MAX_CONCEPTS]
        known = self._loaded()
        missing = [word for word in words if word not in known]
        if not missing and len(known) == len(words):
            return
        embedded: dict[str, Floats] = {}
        size = max(1, self.embedder.batch_size)
        try:
            for start in range(0, len(missing), size):
                self.scheduler.wait_until_idle(budget)
                batch = missing[start : start + size]
                with self.scheduler.model_lock:
                    embedded.update(zip(batch, self.embedder.embed_passages(batch, budget=budget), strict=True))
        finally:  # many short sessions must finish the vocabulary too
            self._vocabulary = known.keeping(words, embedded)
            with contextlib.suppress(OSError):  # unsaved words are embedded again at the next start
                self._vocabulary.save(self.folder, self.embedder.model)

    def _loaded(self) -> ConceptVocabulary:
        if self._vocabulary is None:
            self._vocabulary = load_concepts(self.folder, self.embedder.model, self.embedder.known_dimensions or 0)
        return self._vocabulary
