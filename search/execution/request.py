"""Resolves a query once: settings, presets and the query's own options become one frozen request."""

from collections.abc import Sequence

from attrs import evolve

from search.analysis.fold import fold
from search.analysis.tokens import runs
from search.answer.explain import quote
from search.budget import Budget
from search.filters.allowed import is_scoped
from search.filters.dashes import text_dashes
from search.filters.signs import notes_as_typed, words_with_signs
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.notice import Notice, NoticeKind
from search.query import Exclusion, Level, Mode, ParsedQuery, Query
from search.ranking.pipeline import Pipeline
from search.ranking.presets import preset_named
from search.ranking.request import Request
from search.settings import Settings
from search.syntax import parse

_MAX_LISTED = 3  # pieces of a query that a notice names
_LONGEST = 40  # characters of each


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
        notices=_notices_of(parsed),
    )


def with_text_dashes(request: Request, indexer: Indexer, *, budget: Budget) -> Request:
    """The request with each `-word` read as text that notes contain behind the same word, such as `tar -xvf`.

    Raises:
        Cancelled: the budget was cancelled.
    """
    if not any(one.before for one in request.parsed.exclusions):
        return request
    view = IndexedVaultView(indexer)
    dashes = text_dashes(request.parsed, may_hold=view.candidates_containing, text_of=view.text_of, budget=budget)
    if not dashes:
        return request
    parsed = parse(request.query.text, text_dashes=dashes)
    exclusions = [one for one in request.parsed.exclusions if one.start in dashes]
    read = [parsed.text[one.start : one.end] for one in exclusions]
    message = (
        f"{_listed(read)} {'is' if len(read) == 1 else 'are'} read as text, because a note contains it like this; to"
        f" exclude a word, put it in brackets: -({read[0][1:]})."
    )
    notice = Notice(NoticeKind.CORRECTED, "read-as-text", message, _place(exclusions[0]))
    return evolve(request, parsed=parsed, notices=(*_notices_of(parsed), notice))


def with_named(request: Request, indexer: Indexer) -> Request:
    """The request that also allows the notes whose name is the whole query, sign by sign: `-5 degrees`, `[draft] plan`.

    Such a name is read as syntax and would exclude its own note.
    """
    allowed, text = request.allowed, fold(request.parsed.text.strip())
    if allowed is None or request.parsed.filter is None or is_scoped(request.query):
        return request
    with indexer.lock:
        named = indexer.corpus.names.notes_named(text)
    return evolve(request, allowed=allowed.union(note for note, name in named.items() if fold(name.strip()) == text))


def with_signs(request: Request, indexer: Indexer, *, budget: Budget) -> Request:
    """The request with the notes that have the query's words with signs as typed, such as `$HOME` and `10:30`.

    Raises:
        Cancelled: the budget was cancelled.
    """
    words = () if request.is_of_files else words_with_signs(request.parsed.terms)
    if not words:
        return request
    view, allowed = IndexedVaultView(indexer), request.allowed

    def with_tokens(text: str) -> frozenset[NoteId]:
        found = view.notes_with_tokens(text)
        return found if allowed is None else found & allowed

    found = notes_as_typed(words, view.notes, with_tokens=with_tokens, text_of=view.text_of, budget=budget)
    return evolve(request, as_typed=found)


def can_be_enriched(request: Request) -> bool:
    """Whether a model could add to what the words find: not in keyword mode, and not without a word."""
    return bool(request.parsed.terms) and not _is_wordless(request.parsed) and request.mode is not Mode.KEYWORD


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


def _notices_of(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """The notices of a query's text, and those about what it excludes and about missing words."""
    return (*parsed.notices, *_excluded(parsed), *_without_words(parsed))


def _excluded(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """A notice of what is excluded: people also paste commands and negative numbers."""
    if not parsed.exclusions:
        return ()
    pieces = [parsed.text[one.start : one.end] for one in parsed.exclusions]
    message = (
        f"{_listed(pieces)} {'excludes' if len(pieces) == 1 else 'exclude'} notes; to search for such text, put it in"
        f' quotes: "{_shortened(pieces[0].replace(chr(34), ""))}".'
    )
    return (Notice(NoticeKind.NOTE, "excluded", message, _place(parsed.exclusions[0])),)


def _listed(pieces: Sequence[str]) -> str:
    shown = [f"‘{_shortened(piece)}’" for piece in dict.fromkeys(pieces)]
    if len(shown) > _MAX_LISTED:
        shown = [*shown[:_MAX_LISTED], f"{len(shown) - _MAX_LISTED} more"]
    return " and ".join((", ".join(shown[:-1]), shown[-1]) if len(shown) > 1 else shown)


def _shortened(piece: str) -> str:
    return piece if len(piece) <= _LONGEST else piece[: _LONGEST - 1] + "…"


def _place(one: Exclusion) -> str:
    return f"{one.start}:{one.end}"


def _without_words(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """A notice for a query such as "-" or "&", unless it filters: then it can only be the name of a note."""
    if parsed.filter is not None or not _is_wordless(parsed):
        return ()
    text = parsed.text.strip()
    hint = "" if '"' in text else f'; to search texts for it, put it in quotes: "{_shortened(text)}"'
    message = f"{quote(text)} has no letter or digit, so that it is compared only with the names of notes{hint}."
    return (Notice(NoticeKind.NOTE, "no-words", message, f"0:{len(parsed.text)}"),)


def _is_wordless(parsed: ParsedQuery) -> bool:
    return bool(parsed.terms) and not any(runs(term.text) for term in parsed.terms)
