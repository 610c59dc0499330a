"""Asks what a query is besides its words: the meaning of it, and what a chat model makes of it.

Knows what of the settings holds for a query that may say otherwise: the mode, the preset, what is looked at.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import evolve

from search.background import Beside
from search.budget import Budget
from search.execution.request import Enrichment, Request, question_of, wordless
from search.ids import NoteId
from search.index.indexer import Indexer
from search.notice import Notice, NoticeKind
from search.ports import Progress
from search.query import ExpandedQuery, Level, Mode, ParsedQuery, Query
from search.ranking.pipeline import Pipeline
from search.ranking.presets import preset_named
from search.settings import Settings

if TYPE_CHECKING:
    from search.semantic.search import SemanticSearch

Expand = Callable[[str, Mode, Budget], ExpandedQuery]
"""Says what a query may mean besides; takes a few seconds at most and raises nothing but `Cancelled`.

The mode is hybrid, or vector, where words are of no use.
"""


class Enricher:
    """Of one vault. Without `semantics` nothing is searched by meaning, without `expand` no chat model is asked."""

    def __init__(
        self, reading: Indexer, settings: Settings, *, semantics: "SemanticSearch | None", expand: Expand | None
    ) -> None:
        self._reading = reading
        self._settings = settings
        self._semantics = semantics
        self._expand = expand

    def wants_more(self, query: Query, parsed: ParsedQuery) -> bool:
        """Whether anything besides words is to be asked, and can be."""
        has_more = self._semantics is not None or self._expand is not None
        return has_more and bool(parsed.terms) and not wordless(parsed) and self.mode_of(query) is not Mode.KEYWORD

    def ask(self, asked: Request, budget: Budget, wanted: Iterable[NoteId] | None, progress: Progress) -> Enrichment:
        """What a query is besides its words: a chat model is asked while notes are embedded.

        `wanted`: the notes that words found, which are embedded for it; None: nothing is embedded.
        """
        query, notices = asked.query, list[Notice]()
        expanding = self._begin_to_expand(asked, budget)
        vector, semantics = None, self.semantics_of(query)
        if semantics is not None:
            is_chosen = query.mode is not None
            vector, notices = semantics.ask(question_of(asked.parsed), is_chosen=is_chosen, budget=budget)
            if vector is not None and wanted is not None:
                notices += semantics.prepare(tuple(wanted), budget=budget, progress=progress)
        expanded = ExpandedQuery(original=query.text)
        if expanding is not None:
            expanding.is_done_within(evolve(budget, deadline=None))  # it keeps to a time of its own
            expanded = expanding.result()
            notices += expanded.notices
        if semantics is None or vector is None:
            return Enrichment(None, expanded, notices)
        concepts, design = tuple[str, ...](), self.pipeline_of(query).concepts
        if design is not None:
            semantics.want_concepts(self.concept_words)
            question = question_of(asked.parsed)
            vector, concepts = semantics.with_concepts(question, vector, design, budget=budget, notices=notices)
        vector = semantics.blend(vector, expanded.hyde, budget=budget, notices=notices)
        settings = self.pipeline_of(query).semantic
        meaning = semantics.meaning(
            vector,
            settings if query.semantic_scope is None else evolve(settings, scope=query.semantic_scope),
            admitted=asked.let_in,
            weight=1.0 if self.mode_of(query) is Mode.VECTOR else query.semantic_weight,
            budget=budget,
            notices=notices,
        )
        return Enrichment(meaning, expanded, notices, concepts)

    def concept_words(self) -> tuple[str, ...]:
        """The words that the vault is about, see `Corpus.concept_words`."""
        with self._reading.lock:
            return self._reading.corpus.concept_words()

    def _begin_to_expand(self, asked: Request, budget: Budget) -> Beside[ExpandedQuery] | None:
        expand = self._expand
        if expand is None:
            return None
        text = question_of(asked.parsed) if asked.parsed.filter else asked.query.text
        return Beside.start(lambda: expand(text, self.mode_of(asked.query), budget), name="vault-expander")

    def unwired(self, query: Query) -> tuple[Notice, ...]:
        """What is to be said of endpoints that were named and cannot be asked."""
        told = [("rerank-failed", "The order was not refined", self._settings.rerank_problem)]
        if self.mode_of(query) is not Mode.KEYWORD and self._settings.enable_semantic:
            told += [
                ("semantic-failed", "Only keyword search was used", self._settings.embedding_problem),
                ("expansion-failed", "No chat model was asked", self._settings.chat_problem),
            ]
        return tuple(
            Notice(NoticeKind.DEGRADED, code, f"{what}: {problem}.") for code, what, problem in told if problem
        )

    def mode_of(self, query: Query) -> Mode:
        """By words, by meaning, or by both: the query's own, else that of the settings."""
        return query.mode or self._settings.mode

    def pipeline_of(self, query: Query) -> Pipeline:
        """The design that ranks; another than that of the settings as it stands in `presets`.

        Raises:
            ConfigError: the query names one that there is not.
        """
        own = self._settings.pipeline
        chosen = own if query.preset in {"", own.name} else preset_named(query.preset)
        chosen = chosen.following(depth=query.depth, link_types=query.link_types)
        return chosen.of_files() if query.level is Level.FILE else chosen

    def semantics_of(self, query: Query) -> "SemanticSearch | None":
        """Search by meaning in what the query looks at."""
        if self._semantics is None or query.level is Level.NOTE:
            return self._semantics
        return self._semantics.of_files()
