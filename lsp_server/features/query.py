"""From a request's parameters to the core's query: which vault, which options, and which of them are unknown."""

from functools import lru_cache
from pathlib import Path
from typing import Protocol

from attrs import frozen
from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException

from lsp_server.documents import read_lines
from lsp_server.from_wire import unknown_keys
from lsp_server.lines import without_end
from lsp_server.protocol import VaultseekServer
from lsp_server.session import Vault
from lsp_server.to_wire import LineOf, Vantage
from lsp_server.uris import to_path
from lsp_server.wire import SearchOptions
from search.errors import ConfigError, shorten
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.query import Level, Mode, Query, Scope

N_UNKNOWN_NAMED = 10
LINE_BYTES = 16 * 2**20  # of a note are read to place an excerpt


class Params(Protocol):
    """What search and explain have in common."""

    @property
    def query(self) -> str:
        """The text."""

    @property
    def options(self) -> SearchOptions:
        """How to search."""

    @property
    def vault(self) -> str | None:
        """Where."""


@frozen
class Asked:
    """A request understood: whom to ask what, how the answer is to be told, and what the client should know of it."""

    vault: Vault
    query: Query
    vantage: Vantage
    notices: tuple[Notice, ...]


def read_query(ls: VaultseekServer, params: Params, raw: object) -> Asked | None:
    """None when no folder may be searched. Looks at the disk: for worker threads.

    Raises:
        ConfigError: a parameter does not fit.
    """
    vault = ls.session.choose(params.vault)
    if vault is None:
        return None
    vantage = vantage_of(ls, vault)
    options = params.options
    query = Query(
        text=params.query,
        limit=options.max_results or ls.session.options_of(vault).max_results,
        candidate_limit=options.candidate_limit,
        rrf_k=options.rrf_k,
        folder=options.folder or "",
        tags=options.tags,
        limit_to=tuple(note_named(name, vault, "params.options.limitTo") for name in options.limit_to),
        salient_terms=options.salient_terms,
        mode=_mode(options),
        level=Level(options.level or Level.NOTE),
        depth=options.depth,
        doc_types=options.doc_type,
        link_types=options.link_types,
        include_linked=options.include_linked,
        preset=_preset(options, vault),
        semantic_weight=options.semantic_weight,
        semantic_scope=None if options.semantic_scope is None else Scope(options.semantic_scope),
    )
    return Asked(vault, query, vantage, tuple(_unknown(raw)))


def not_searched(ls: VaultseekServer) -> JsonRpcException:
    """The answer to a request that makes no sense without a vault: why none is searched."""
    return JsonRpcException(" ".join(notice.message for notice in ls.session.refusals()), LSPErrorCodes.RequestFailed)


def vantage_of(ls: VaultseekServer, vault: Vault) -> Vantage:
    """How a vault's notes are told to this client."""
    return Vantage(vault.uri, vault.uri_of, _line_reader(ls, vault), ls.encoding)


def note_named(name: str, vault: Vault, path: str) -> NoteId:
    """The note that a client names by id or by URI.

    Raises:
        ConfigError: a URI that leads out of the vault.
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


def _preset(options: SearchOptions, vault: Vault) -> str:
    """The design that was asked for; none where it is that of the vault's settings, perhaps one put together.

    Raises:
        ConfigError: there is none of that name.
    """
    if not options.preset or options.preset == vault.settings_of(vault.root).pipeline.name:
        return ""
    from search.ranking.presets import preset_named  # noqa: PLC0415 it imports numpy

    try:
        return preset_named(options.preset).name
    except ConfigError as error:
        raise ConfigError("params.options.preset", error.value, error.allowed) from None


def _unknown(raw: object) -> list[Notice]:
    sent = raw.get("options") if isinstance(raw, dict) else None
    names = unknown_keys(SearchOptions, sent)
    return [
        Notice(NoticeKind.SKIPPED, "unknown-option", f"There is no option {shorten(name)}.", shorten(name))
        for name in names[:N_UNKNOWN_NAMED]
    ]


def _line_reader(ls: VaultseekServer, vault: Vault) -> LineOf:
    """A note's lines, from the editor where it is open, else from the disk; a note is read once an answer."""
    open_lines = {
        note: document.lines
        for document in ls.session.documents
        if document.path is not None and (note := vault.note_of(document.path)) is not None
    }

    @lru_cache(maxsize=8)
    def lines_of(note: NoteId) -> tuple[str, ...]:
        return open_lines.get(note) or read_lines(vault.root / note, limit_bytes=LINE_BYTES)

    def line_of(note: NoteId, line: int) -> str:
        lines = lines_of(note)
        return without_end(lines[line]) if line < len(lines) else ""

    return line_of
