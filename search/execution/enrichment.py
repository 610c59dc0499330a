"""Asks the models about a request before it is ranked: for vectors, and for words, wordings and a passage.

A failure becomes a notice, and the request is ranked by its own words.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from search.background import BackgroundCall
from search.budget import Budget
from search.execution.request import can_be_enriched
from search.ids import NoteId, is_by_name
from search.index.indexer import Indexer
from search.notice import Notice
from search.ports import Progress
from search.query import ExpandedQuery, Mode
from search.ranking.request import Request, SemanticScores
from search.ranking.retrieval import Retrieval

if TYPE_CHECKING:
    from search.semantic.search import SemanticSearch
    from search.vectors.cosine import Floats

_COUNTED_AT_ONCE = 100  # notes, some milliseconds

Expand = Callable[[str, Mode, Budget], ExpandedQuery]
"""Asks a chat model what a query may mean; takes a few seconds at most and raises nothing but `Cancelled`.

The mode is hybrid or vector; in vector mode suggested words would not be used.
"""


@frozen(eq=False)
class Enrichment:
    """What models add to a request, as values."""

    vector: "Floats | None" = None
    expanded: ExpandedQuery = field(factory=lambda: ExpandedQuery(original=""))
    concepts: tuple[str, ...] = ()  # words of the vault that the vector was made together with
    notices: tuple[Notice, ...] = ()

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Terms and wordings that a chat model suggests; some of their words may be the query's own."""
        return (*self.expanded.terms, *self.expanded.variants[1:])


@frozen(eq=False, kw_only=True)
class Enricher:
    """Asks the models of one vault: `semantic` for vectors, `expand` for a chat model; None where there is none."""

    _indexer: Indexer
    semantic: "SemanticSearch | None"
    _expand: Expand | None

    def can_add_to(self, request: Request) -> bool:
        """Whether there is a model that could add to the request's words."""
        return (self.semantic is not None or self._expand is not None) and can_be_enriched(request)

    def semantic_for(self, request: Request) -> "SemanticSearch | None":
        """Semantic search in what the request searches: the texts of notes, or their names and paths."""
        if self.semantic is None or not request.is_of_files:
            return self.semantic
        return self.semantic.for_files()

    def enrich(
        self, request: Request, budget: Budget, wanted: Callable[[], Iterable[NoteId]] | None, progress: Progress
    ) -> Enrichment:
        """Embed the request and the `wanted` notes, best first, while a chat model is asked. None embeds no note.

        `wanted` is called only if notes lack vectors.

        Raises:
            Cancelled: the budget was cancelled.
        """
        expanding = self._begin_to_expand(request, budget)
        vector, notices, semantic = None, list[Notice](), self.semantic_for(request)
        if semantic is not None:
            is_chosen = request.query.mode is not None
            vector, notices = semantic.embed_query(request.question, is_chosen=is_chosen, budget=budget)
            if vector is not None and wanted is not None:
                notices += semantic.embed_best_notes(wanted, budget=budget, progress=progress)
        expanded = ExpandedQuery(original=request.query.text)
        if expanding is not None:
            expanding.is_done_within(evolve(budget, deadline=None))  # expansion keeps to a time limit of its own
            expanded = expanding.result()
            notices += expanded.notices
        concepts = tuple[str, ...]()
        if semantic is not None and vector is not None:
            if request.pipeline.concepts is not None:
                semantic.learn_concepts(self.concept_words)
                vector, concepts = semantic.with_concepts(
                    request.question, vector, request.pipeline.concepts, budget=budget, notices=notices
                )
            vector = semantic.with_passage(vector, expanded.hyde, budget=budget, notices=notices)
        return Enrichment(vector, expanded, concepts, tuple(notices))

    def scores(
        self, request: Request, added: Enrichment, found: Retrieval, budget: Budget
    ) -> tuple[SemanticScores | None, Enrichment]:
        """The cosines of the notes in `found` and of the nearest notes; and `added` with notices of what failed.

        The cosines are None without a vector, and if the store of vectors cannot be opened.
        """
        semantic = self.semantic_for(request)
        if semantic is None or added.vector is None:
            return None, added
        pool, notices = request.pipeline.pool, list(added.notices)
        scores = semantic.scores(
            added.vector,
            found.compared,
            settings=request.semantic,
            allowed=request.allowed,
            n_notes=pool.size(request.query.limit) if pool.is_strict else None,
            with_passages=request.pipeline.sections is not None,
            budget=budget,
            notices=notices,
        )
        return scores, evolve(added, notices=tuple(notices))

    def concept_words(self) -> tuple[str, ...]:
        """The key words of the vault, see `Corpus.concept_words`."""
        with self._indexer.lock:
            return self._indexer.corpus.concept_words()

    def count_links(self) -> dict[NoteId, int]:
        """How many notes link to each note. Holds the lock for some notes at a time."""
        with self._indexer.lock:
            notes = tuple(note for note in self._indexer.corpus.notes if not is_by_name(note))
        counts: dict[NoteId, int] = {}
        for at in range(0, len(notes), _COUNTED_AT_ONCE):
            with self._indexer.lock:
                links = self._indexer.corpus.links
                counts |= {note: len(links.backlinks(note)) for note in notes[at : at + _COUNTED_AT_ONCE]}
        return counts

    def _begin_to_expand(self, request: Request, budget: Budget) -> BackgroundCall[ExpandedQuery] | None:
        expand = self._expand
        if expand is None:
            return None
        text = request.question if request.parsed.filter else request.query.text
        return BackgroundCall.start(lambda own: expand(text, request.mode, own), name="vault-expander", budget=budget)
