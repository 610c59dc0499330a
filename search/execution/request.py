"""Resolves a query once: settings, presets and the query's own options become one frozen request."""

from attrs import evolve

from search.analysis.tokens import runs
from search.answer.explain import quote
from search.notice import Notice, NoticeKind
from search.query import Level, Mode, ParsedQuery, Query
from search.ranking.pipeline import Pipeline
from search.ranking.presets import preset_named
from search.ranking.request import Request
from search.settings import Settings
from search.syntax import parse


def resolve(query: Query, settings: Settings, *, now: float) -> Request:
    """The request that a query makes under these settings; `now` in seconds since the epoch.

    Raises:
        ConfigError: the query names an unknown preset.
    """
    parsed, mode = parse(query.text), query.mode or settings.mode
    pipeline = _pipeline(query, settings)
    semantic = pipeline.semantic
    weight = 1.0 if mode is Mode.VECTOR else query.semantic_weight
    return Request(
        query=query,
        parsed=parsed,
        pipeline=pipeline,
        mode=mode,
        semantic=evolve(
            semantic,
            weight=semantic.weight if weight is None else weight,
            scope=query.semantic_scope or semantic.scope,
        ),
        now=now,
        notices=(*parsed.notices, *_wordless(parsed)),
    )


def can_be_enriched(request: Request) -> bool:
    """Whether a model could add to what the words find: not in keyword mode, and not without a word."""
    return bool(request.parsed.terms) and not _wordless(request.parsed) and request.mode is not Mode.KEYWORD


def missing_endpoints(request: Request, settings: Settings) -> tuple[Notice, ...]:
    """A notice for each configured endpoint that the request would use and that is unusable."""
    problems = [("rerank-failed", "The order was not refined", settings.rerank_problem)]
    if request.mode is not Mode.KEYWORD and settings.enable_semantic:
        problems += [
            ("semantic-failed", "Only keyword search was used", settings.embedding_problem),
            ("expansion-failed", "No chat model was asked", settings.chat_problem),
        ]
    return tuple(
        Notice(NoticeKind.DEGRADED, code, f"{effect}: {problem}.") for code, effect, problem in problems if problem
    )


def _pipeline(query: Query, settings: Settings) -> Pipeline:
    """The settings' own pipeline if the query names no preset or the same one, else the preset that the query names."""
    own = settings.pipeline
    chosen = own if query.preset in {"", own.name} else preset_named(query.preset)
    chosen = chosen.following(depth=query.depth, link_types=query.link_types)
    return chosen.of_files() if query.level is Level.FILE else chosen


def _wordless(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """A notice for a query such as "-" or "!!", which can only match a name."""
    if not parsed.terms or any(runs(term.text) for term in parsed.terms):
        return ()
    message = f"There is no letter, digit or symbol to look for in {quote(parsed.text.strip())}."
    return (Notice(NoticeKind.SKIPPED, "no-words", message, f"0:{len(parsed.text)}"),)
