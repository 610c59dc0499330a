"""Answers of the search core become JSON: the counterpart of `decode.py`.

A snippet's place is known in characters; the wire counts columns in the agreed encoding, which takes the text before
the snippet. `LineOf` provides a note's line and is called only for snippets that do not start at the line's beginning.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import frozen
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from lsp_server.wire.lines import PositionEncoding, units
from lsp_server.wire.plain_text import plain
from lsp_server.wire.types import (
    STEP_KINDS,
    ContextAnswer,
    ExplainAnswer,
    RelatedAnswer,
    SearchAnswer,
    TextAnswer,
    WireExpandedQuery,
    WireExplanation,
    WireField,
    WireLinked,
    WirePassage,
    WirePlace,
    WirePosition,
    WireRange,
    WireRelated,
    WireResult,
    WireSnippet,
    wire_fields,
)
from lsp_server.wire.uris import to_uri
from search.answer.context import QuestionContext
from search.answer.explain import breakdown, relevance_reason
from search.answer.ranking import Hit
from search.answer.result import MISSING, FoundNote, FoundSection, Reason, SearchResult, Snippet
from search.answer.strength import StrengthDerivation
from search.answer.trail import Found, before_normalization, replay
from search.ids import NoteId, has_lines_of_file
from search.notice import Notice

if TYPE_CHECKING:
    from search.navigation.related import RelatedNotes
    from search.navigation.searched_text import SearchedText

LineOf = Callable[[NoteId, int], str]
"""A line of a note's text, as it is searched, by its number from 0, without its end; "" where there is no such line."""

R = TypeVar("R", bound=WireResult)
_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen
class RenderContext:
    """What an answer's places are relative to: the vault, its notes' URIs and lines, and the position encoding."""

    vault_uri: str
    uri_of: Callable[[NoteId], str]
    line_of: LineOf
    encoding: PositionEncoding


def to_json(value: object) -> object:
    """A message as JSON's own types; fields that are None are omitted.

    Control characters and lone surrogates become the replacement character; the note's URI keeps the exact bytes.
    """
    return _converter().unstructure(value)


@lru_cache(maxsize=1)
def _converter() -> Converter:
    converter = Converter()
    converter.register_unstructure_hook(str, _text)
    converter.register_unstructure_hook_factory(attrs.has, lambda cls: _object(cls, converter))
    return converter


def _text(value: str) -> str:
    """The text without control characters; of an enum's member its value."""
    return plain(str(value))


def _as_sent(query: str) -> str:
    """A client may compare the query with what it sent."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", query)


def _object(cls: type[Any], converter: Converter) -> Callable[[Any], Mapping[str, object]]:
    def or_none(value: object) -> object:
        return converter.unstructure(value) or None

    def hook_of(field: WireField) -> Callable[[Any], object] | None:
        if cls is WireExpandedQuery and field.attribute == "original":
            return _as_sent
        if cls is WirePassage and field.attribute == "text":
            return _as_sent  # verbatim, control characters included
        return or_none if field.is_omitted_if_empty else None

    overrides = {
        field.attribute: override(rename=field.name, unstruct_hook=hook_of(field)) for field in wire_fields(cls)
    }
    write = make_dict_unstructure_fn(cls, converter, **overrides)  # type: ignore[arg-type]  # overrides by name
    kind = {"kind": STEP_KINDS[cls]} if cls in STEP_KINDS else {}
    # cattrs' own `omit_if_default` would move such fields to the end.
    return lambda value: kind | {name: part for name, part in write(value).items() if part is not None}


def search_answer(query: str, result: SearchResult, context: RenderContext, notices: Iterable[Notice]) -> SearchAnswer:
    """The whole answer; `notices` about the request come first."""
    return SearchAnswer(
        results=tuple(_result(WireResult, found, context) for found in result.hits),
        notices=(*notices, *result.notices),
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
        vault=context.vault_uri,
    )


def explain_answer(reason: Reason, context: RenderContext, notices: Iterable[Notice]) -> ExplainAnswer:
    """Why a note has its rank; `notices` about the request come first."""
    return ExplainAnswer(
        note=reason.note,
        uri=None if reason.step == MISSING else context.uri_of(reason.note),
        rank=reason.rank,
        total=reason.total,
        step=reason.step,
        sentence=reason.sentence,
        found=None if reason.found is None else _result(WireResult, reason.found, context),
        last_shown=None if reason.last_shown is None else _result(WireResult, reason.last_shown, context),
        notices=(*notices, *reason.notices),
        vault=context.vault_uri,
    )


def context_answer(found: QuestionContext, context: RenderContext, notices: Iterable[Notice]) -> ContextAnswer:
    """The passages for a question; `notices` about the request come first."""
    return ContextAnswer(
        text=found.text,
        passages=tuple(
            WirePassage(
                id=passage.note,
                uri=context.uri_of(passage.note),
                title=passage.title,
                start=passage.start,
                end=passage.end,
                lines=passage.lines,
                headings=passage.headings,
                text=passage.text,
                rank=passage.rank,
                fragment=passage.fragment or None,
                page=passage.page or None,
            )
            for passage in found.passages
        ),
        tokens=found.n_tokens,
        max_tokens=found.max_tokens,
        total=found.total,
        shown=found.n_notes,
        cut=found.n_cut,
        repeated=found.n_repeated,
        without_vectors=found.n_without_vectors,
        notices=(*notices, *found.notices),
        mode=found.mode,
        complete=found.is_complete,
        generation=found.generation,
        vault=context.vault_uri,
    )


def related_answer(answer: "RelatedNotes", context: RenderContext) -> RelatedAnswer:
    """The related notes."""
    return RelatedAnswer(
        results=tuple(
            _result(WireRelated, item.found, context, reason=item.found.sentence, is_linked=item.is_linked)
            for item in answer.notes
        ),
        notices=answer.notices,
        total=answer.total,
        complete=answer.is_complete,
        generation=answer.generation,
        vault=context.vault_uri,
    )


def text_answer(found: "SearchedText", context: RenderContext) -> TextAnswer:
    """The text of a file."""
    return TextAnswer(
        id=found.note,
        uri=context.uri_of(found.note),
        title=found.title,
        text=found.text,
        places=tuple(
            WirePlace(line=place.line, fragment=place.fragment, label=place.label or None) for place in found.places
        ),
        cut=found.is_cut,
        vault=context.vault_uri,
    )


def script_context(root: Path) -> RenderContext:
    """The context of an answer for a script, which counts columns in characters and so needs no lines."""
    vault = root.absolute()
    return RenderContext(
        to_uri(vault), lambda note: to_uri(vault / note), lambda _note, _line: "", PositionEncoding.UTF32
    )


def _result(make: Callable[..., R], found: FoundNote, context: RenderContext, **more: object) -> R:
    """One note of an answer; `more` are the fields that a subclass adds."""
    sources = dict.fromkeys(step.source for step in found.hit.trail if isinstance(step, Found))
    linked = tuple(
        WireLinked(
            id=page.note,
            uri=context.uri_of(page.note),
            title=page.title,
            types=page.types,
            is_backlink=page.is_backlink,
        )
        for page in found.linked
    )
    return make(
        id=found.hit.id,
        uri=context.uri_of(found.hit.id),
        title=found.title,
        score=found.hit.score,
        strength=found.strength,
        strength_level=found.strength_level or None,
        engine="+".join(sources),
        sentence=found.sentence,
        snippets=tuple(_snippet(snippet, found.hit.id, context) for snippet in found.snippets),
        sections=_sections(found),
        explanation=_explanation(found.hit, found.derivation),
        score_breakdown=breakdown(found.hit.trail),
        relevance_reason=relevance_reason(found.hit.trail),
        staleness=found.staleness or None,
        linked_pages=linked or None,
        **more,
    )


def _sections(found: FoundNote) -> tuple[FoundSection, ...]:
    if has_lines_of_file(found.hit.id):
        return found.sections
    return tuple(attrs.evolve(section, line=0) for section in found.sections)


def _snippet(snippet: Snippet, note: NoteId, context: RenderContext) -> WireSnippet:
    if snippet.is_of_linking_note or not has_lines_of_file(note):
        return _snippet_without_place(snippet, note, context)
    offset = _offset(snippet, note, context)
    text, shown = snippet.shown
    places, marks = (
        tuple((_column(where, a, context), _column(where, b, context)) for a, b in pairs)
        for where, pairs in ((snippet.text, snippet.highlights), (text, shown))
    )
    whole = (0, units(snippet.text, context.encoding))
    ranges = tuple(
        WireRange(WirePosition(snippet.line, offset + a), WirePosition(snippet.line, offset + b))
        for a, b in (whole, *places)
    )
    return WireSnippet(text=text, range=ranges[0], highlights=ranges[1:], marks=marks)


def _offset(snippet: Snippet, note: NoteId, context: RenderContext) -> int:
    """The column at which the excerpt begins in its line."""
    offset = snippet.start_char
    if offset and context.encoding is not PositionEncoding.UTF32:
        offset = units(context.line_of(note, snippet.line)[:offset], context.encoding)
    return offset


def _snippet_without_place(snippet: Snippet, note: NoteId, context: RenderContext) -> WireSnippet:
    """An excerpt of a file whose own lines no reader sees, such as a canvas, or of a note that links to the file.

    Its place is the line of its card or cell, if that is known, else the file's beginning.
    """
    text, shown = snippet.shown
    marks = tuple((_column(text, a, context), _column(text, b, context)) for a, b in shown)
    place = WirePosition(snippet.file_line or 0, 0)
    label = snippet.page_label if snippet.page_label != str(snippet.page) else ""
    return WireSnippet(
        text=text,
        range=WireRange(place, place),
        highlights=(),
        marks=marks,
        fragment=snippet.fragment or None,
        page=snippet.page or None,
        page_label=label or None,
        text_range=None if snippet.is_of_linking_note else _text_range(snippet, note, context),
    )


def _text_range(snippet: Snippet, note: NoteId, context: RenderContext) -> WireRange:
    """The place of the first match in the text that is searched; of the whole excerpt if it has no match."""
    offset = _offset(snippet, note, context)
    start, end = snippet.highlights[0] if snippet.highlights else (0, len(snippet.text))
    first, last = (offset + _column(snippet.text, index, context) for index in (start, end))
    return WireRange(WirePosition(snippet.line, first), WirePosition(snippet.line, last))


def _column(text: str, index: int, context: RenderContext) -> int:
    return units(text[:index], context.encoding)


def _explanation(hit: Hit[NoteId], derivation: StrengthDerivation | None) -> WireExplanation:
    evidence = hit.evidence
    return WireExplanation(
        lexical_matches=evidence.matches,
        exact_name=evidence.exact_name or None,
        semantic_score=evidence.cosine,
        semantic_lines=evidence.semantic_lines,
        folder_boost=evidence.folder,
        graph_connections=evidence.graph,
        link=evidence.link,
        passages=evidence.passages or None,
        base_score=replay(before_normalization(hit.trail)),
        final_score=hit.score,
        trail=hit.trail,
        strength=derivation,
    )
