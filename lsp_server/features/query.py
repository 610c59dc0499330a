"""From a request's parameters to the core's query: the vault, the options, and notices about unknown options."""

from functools import lru_cache
from pathlib import Path

import attrs
from attrs import frozen
from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException

from lsp_server.documents import read_lines
from lsp_server.open_vault import OpenVault
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import unknown_keys
from lsp_server.wire.encode import LineOf, RenderContext
from lsp_server.wire.fields import camel
from lsp_server.wire.lines import split_lines, without_end
from lsp_server.wire.types import ContextParams, ExplainParams, SearchOptions, SearchParams
from lsp_server.wire.uris import to_path
from search.errors import ConfigError, did_you_mean, shorten
from search.ids import NoteId, has_lines_of_file
from search.notice import Notice, NoticeKind
from search.query import Level, Mode, Query, Scope

N_UNKNOWN_NAMED = 10


@frozen
class ResolvedQuery:
    """A request, resolved: the vault, the query, how to render the answer, and notices about the request."""

    vault: OpenVault
    query: Query
    context: RenderContext
    notices: tuple[Notice, ...]


def resolve_query(
    ls: VaultseekServer, params: SearchParams | ExplainParams | ContextParams, raw: object
) -> ResolvedQuery | None:
    """None when no folder may be searched. For worker threads: it looks at the disk.

    Raises:
        ConfigError: a parameter is invalid.
    """
    vault = ls.session.choose(params.vault)
    if vault is None:
        return None
    options = params.options
    query = Query(
        text=params.query,
        limit=options.max_results or ls.session.options_of(vault).max_results,
        candidate_limit=options.candidate_limit,
        rrf_k=options.rrf_k,
        folder=options.folder or "",
        tags=options.tags,
        types=options.types,
        limit_to=tuple(note_named(name, vault, "params.options.limitTo") for name in options.limit_to),
        salient_terms=options.salient_terms,
        mode=_mode(options),
        level=Level(options.level or Level.NOTE),
        depth=options.depth,
        doc_types=options.doc_type,
        link_types=options.link_types,
        include_linked=options.include_linked,
        include_terms=options.include_terms,
        preset=_preset(options, vault),
        semantic_weight=options.semantic_weight,
        semantic_scope=None if options.semantic_scope is None else Scope(options.semantic_scope),
    )
    return ResolvedQuery(vault, query, render_context(ls, vault), tuple(_unknown_options(raw)))


def find_file(ls: VaultseekServer, uri: str, vault_uri: str | None) -> tuple[OpenVault, NoteId]:
    """The vault and the id of a note or another file that a request is about.

    Raises:
        ConfigError: `vault_uri` is no open folder, or the URI names no searched file in one.
    """
    if vault_uri is not None:
        ls.session.choose(vault_uri)  # raises for an unknown folder
    found = ls.session.find_note(uri, vault_uri)
    if found is None:
        raise ConfigError(
            "params.textDocument.uri", uri, "the URI of a note or another searched file in an open folder"
        )
    return found


def not_searched(ls: VaultseekServer) -> JsonRpcException:
    """The error for a request that needs a vault when none may be searched; it says why."""
    return JsonRpcException(" ".join(notice.message for notice in ls.session.refusals()), LSPErrorCodes.RequestFailed)


def render_context(ls: VaultseekServer, vault: OpenVault) -> RenderContext:
    """How to name a vault's notes and places to this client."""
    return RenderContext(vault.uri, vault.uri_of, _line_reader(ls, vault), ls.encoding)


def note_named(name: str, vault: OpenVault, path: str) -> NoteId:
    """The note that a client names by id or by URI.

    Raises:
        ConfigError: a URI outside the vault.
    """
    file = to_path(name) if ":" in name else None
    if file is None:
        return NoteId(name)
    note = vault.note_of(Path(file))
    if note is None:
        raise ConfigError(path, name, "a note of the vault, by its id or its URI")
    return note


def _mode(options: SearchOptions) -> Mode | None:
    if options.enable_semantic is False:
        return Mode.KEYWORD
    return None if options.mode is None else Mode(options.mode)


def _preset(options: SearchOptions, vault: OpenVault) -> str:
    """The preset in the request; empty for the pipeline of the vault's settings, which can differ from its preset.

    Raises:
        ConfigError: unknown preset.
    """
    if not options.preset or options.preset == vault.settings_of(vault.root).pipeline.name:
        return ""
    from search.ranking.presets import preset_named  # noqa: PLC0415 it imports numpy

    try:
        return preset_named(options.preset).name
    except ConfigError as error:
        raise ConfigError("params.options.preset", error.value, error.allowed) from None


def _unknown_options(raw: object) -> list[Notice]:
    sent = raw.get("options") if isinstance(raw, dict) else None
    known = [camel(attribute.name) for attribute in attrs.fields(SearchOptions)]
    return [
        Notice(
            NoticeKind.NOTE,
            "unknown-option",
            f"Unknown option {shorten(name)}{did_you_mean(name, known) or '.'}",
            shorten(name),
        )
        for name in unknown_keys(SearchOptions, sent)[:N_UNKNOWN_NAMED]
    ]


def _line_reader(ls: VaultseekServer, vault: OpenVault) -> LineOf:
    """A function that gives a note's lines, from the editor if the note is open, else from disk, read only once.

    Of a file whose own lines no reader sees, they are those of the text that the engine searches.
    """
    texts = vault.texts_in(ls.session.documents)

    @lru_cache(maxsize=8)
    def lines_of(note: NoteId) -> tuple[str, ...]:
        if not has_lines_of_file(note):
            engine = vault.engine_if_any
            return () if engine is None else tuple(split_lines(engine.seen_text(note)))
        return texts[note].lines if note in texts else read_lines(vault.root, note)

    def line_of(note: NoteId, line: int) -> str:
        lines = lines_of(note)
        return without_end(lines[line]) if line < len(lines) else ""

    return line_of
