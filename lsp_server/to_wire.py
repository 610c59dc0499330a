"""Answers of the search core become wire values, and these JSON: the other half of `from_wire.py`.

A snippet knows its place in characters; the wire wants columns of the agreed encoding, for which the text before the
snippet is needed. `LineOf` gives a note's line; it is asked only where a snippet does not begin at its line's begin.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import attrs
from attrs import frozen

from lsp_server.from_wire import camel
from lsp_server.lines import Encoding, units
from lsp_server.uris import to_uri
from lsp_server.wire import (
    ExplainAnswer,
    RelatedAnswer,
    SearchAnswer,
    WireExpandedQuery,
    WireExplanation,
    WireFolderBoost,
    WireGraphConnections,
    WireLink,
    WireLinked,
    WireMatch,
    WireNotice,
    WirePassage,
    WirePosition,
    WireRange,
    WireRelated,
    WireResult,
    WireSection,
    WireSnippet,
    WireStep,
)
from search.answer.evidence import FolderEvidence, GraphEvidence
from search.answer.explain import breakdown, explain, relevance_reason
from search.answer.ranking import Hit
from search.answer.result import FoundNote, Reason, SearchResult, Snippet
from search.answer.trail import Found, Fused, Replaced, Scaled, Step
from search.ids import NoteId
from search.notice import Notice

if TYPE_CHECKING:
    from search.navigation.related import RelatedNotes

LineOf = Callable[[NoteId, int], str]
"""A note's line by its number from 0, without its end; empty where there is none."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen
class Vantage:
    """What the client must be told relative to: the vault, its notes' URIs and lines, and the position encoding."""

    vault_uri: str
    uri_of: Callable[[NoteId], str]
    line_of: LineOf
    encoding: Encoding


def to_json(value: object) -> object:
    """A wire value as JSON's own types; fields that are None are left out.

    Half of a pair of surrogates, as in the name of a file that is no text, becomes the replacement character: most
    programs refuse a whole message for it. A URI has its bytes.
    """
    cls = type(value)
    if isinstance(value, str) and cls is str:  # an enum's member is its value, see below
        return value if value.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if attrs.has(cls):
        pairs = ((attribute.name, getattr(value, attribute.name)) for attribute in attrs.fields(cls))
        return {camel(name): to_json(part) for name, part in pairs if part is not None}
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(part) for part in value]
    return value.value if isinstance(value, Enum) else value


def search_answer(query: str, result: SearchResult, vantage: Vantage, notices: Iterable[Notice]) -> SearchAnswer:
    """The whole answer; `notices` of the translation itself come first."""
    return SearchAnswer(
        results=tuple(wire_result(found, vantage) for found in result.hits),
        notices=wire_notices((*notices, *result.notices)),
        total=result.total,
        mode=result.mode,
        search_type=result.search_type,
        complete=result.is_complete,
        generation=result.generation,
        expanded_query=WireExpandedQuery(
            original=query,
            terms=result.terms,
            suggested=result.suggested or None,
            variants=result.variants or None,
            concepts=result.concepts or None,
            passage=result.passage or None,
        ),
        timings=result.timings_ms,
        vault=vantage.vault_uri,
    )


def search_answer_json(result: SearchResult, root: Path, *, query: str = "") -> bytes:
    """The answer for scripts: the same object as over the wire, its columns counted in characters."""
    return _json(search_answer(query, result, _characters(root), ()))


def _characters(root: Path) -> Vantage:
    vault = root.absolute()
    return Vantage(to_uri(vault), lambda note: to_uri(vault / note), lambda _note, _line: "", Encoding.UTF32)


def _json(answer: object) -> bytes:
    import orjson  # noqa: PLC0415 the language server has its own writer

    return orjson.dumps(to_json(answer))


def explain_answer(reason: Reason, vantage: Vantage, notices: Iterable[Notice]) -> ExplainAnswer:
    """Why a note stands where it does."""
    return ExplainAnswer(
        note=reason.note,
        uri=vantage.uri_of(reason.note),
        rank=reason.rank,
        total=reason.total,
        step=reason.step,
        sentence=reason.sentence,
        found=None if reason.found is None else wire_result(reason.found, vantage),
        last_shown=None if reason.last_shown is None else wire_result(reason.last_shown, vantage),
        notices=wire_notices((*notices, *reason.notices)),
        vault=vantage.vault_uri,
    )


def related_answer(answer: "RelatedNotes", vantage: Vantage) -> RelatedAnswer:
    """The related notes."""
    return RelatedAnswer(
        results=tuple(
            WireRelated(
                **_parts(wire_result(item.found, vantage)), reason=item.found.sentence, is_linked=item.is_linked
            )
            for item in answer.notes
        ),
        notices=wire_notices(answer.notices),
        total=answer.total,
        complete=answer.is_complete,
        generation=answer.generation,
        vault=vantage.vault_uri,
    )


def related_answer_json(answer: "RelatedNotes", root: Path) -> bytes:
    """The related notes for scripts, as `search_answer_json`."""
    return _json(related_answer(answer, _characters(root)))


def _parts(result: WireResult) -> dict[str, Any]:
    return {attribute.name: getattr(result, attribute.name) for attribute in attrs.fields(WireResult)}


def wire_notices(notices: Iterable[Notice]) -> tuple[WireNotice, ...]:
    """Notices as they travel."""
    return tuple(
        WireNotice(kind=notice.kind.value, code=notice.code, message=notice.message, subject=notice.subject or None)
        for notice in notices
    )


def wire_result(found: FoundNote, vantage: Vantage) -> WireResult:
    """One note of an answer. `engine` names all sources that found it."""
    sources = dict.fromkeys(step.source for step in found.hit.trail if isinstance(step, Found))
    return WireResult(
        id=found.hit.id,
        uri=vantage.uri_of(found.hit.id),
        title=found.title,
        score=found.hit.score,
        engine="+".join(sources),
        sentence=found.sentence,
        snippets=tuple(_snippet(snippet, found.hit.id, vantage) for snippet in found.snippets),
        sections=tuple(WireSection(heading_path=part.heading_path, line=part.line) for part in found.sections),
        explanation=_explanation(found.hit),
        score_breakdown=breakdown(found.hit.trail),
        relevance_reason=relevance_reason(found.hit.trail),
        staleness=found.staleness or None,  # type: ignore[arg-type]  # one of the three words
        linked_pages=tuple(
            WireLinked(
                id=page.note,
                uri=vantage.uri_of(page.note),
                title=page.title,
                types=page.types,
                is_backlink=page.is_backlink,
            )
            for page in found.linked
        )
        or None,
    )


def _snippet(snippet: Snippet, note: NoteId, vantage: Vantage) -> WireSnippet:
    offset = snippet.start_char
    if offset and vantage.encoding is not Encoding.UTF32:
        offset = units(vantage.line_of(note, snippet.line)[:offset], vantage.encoding)
    text, shown = snippet.shown
    places, marks = (
        tuple((_column(where, a, vantage), _column(where, b, vantage)) for a, b in pairs)
        for where, pairs in ((snippet.text, snippet.highlights), (text, shown))
    )
    whole = (0, units(snippet.text, vantage.encoding))
    ranges = tuple(
        WireRange(WirePosition(snippet.line, offset + a), WirePosition(snippet.line, offset + b))
        for a, b in (whole, *places)
    )
    return WireSnippet(text=text, range=ranges[0], highlights=ranges[1:], marks=marks)


def _column(text: str, index: int, vantage: Vantage) -> int:
    return units(text[:index], vantage.encoding)


def _explanation(hit: Hit[NoteId]) -> WireExplanation:
    told, link = explain(hit), hit.evidence.link
    return WireExplanation(
        lexical_matches=tuple(
            WireMatch(
                field=match.field.value,
                query=match.query,
                weight=match.weight,
                count=match.count,
                kind=match.kind.value,
                suggested=match.is_suggested or None,
                form=match.form or None,
            )
            for match in told.lexical_matches
        ),
        exact_name=hit.evidence.exact_name or None,
        semantic_score=told.semantic_score,
        semantic_lines=hit.evidence.semantic_lines,
        folder_boost=_folder_boost(told.folder_boost),
        graph_connections=_graph_connections(told.graph_connections),
        link=None if link is None else WireLink(origin=link.origin, hops=link.hops, types=link.types),
        passages=tuple(WirePassage(lines=part.lines, cosine=part.cosine) for part in hit.evidence.passages) or None,
        base_score=told.base_score,
        final_score=told.final_score,
        trail=tuple(_step(step) for step in hit.trail),
    )


def _folder_boost(folder: FolderEvidence | None) -> WireFolderBoost | None:
    if folder is None:
        return None
    return WireFolderBoost(
        folder=folder.folder,
        document_count=folder.n_relevant,
        total_count=folder.n_notes,
        boost_factor=folder.factor,
    )


def _graph_connections(graph: GraphEvidence | None) -> WireGraphConnections | None:
    if graph is None:
        return None
    return WireGraphConnections(
        backlinks=graph.backlinks,
        co_citations=graph.co_citations,
        shared_tags=graph.shared_tags,
        score=graph.connection_score,
        boost_multiplier=graph.factor,
    )


def _step(step: Step) -> WireStep:
    match step:
        case Found(source=source, raw=raw):
            return WireStep(kind="found", source=source, raw=raw)
        case Fused(source=source, rank=rank, weight=weight, amount=amount):
            return WireStep(kind="fused", source=source, rank=rank, weight=weight, amount=amount)
        case Scaled(by=by, factor=factor, why=why):
            return WireStep(kind="scaled", by=by, factor=factor, why=why)
        case Replaced(by=by, value=value, why=why):
            return WireStep(kind="replaced", by=by, value=value, why=why)
        case _:
            assert_never(step)
