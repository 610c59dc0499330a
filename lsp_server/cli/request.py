"""Parsed arguments become what the search core needs: a vault's folder, a query, settings and an engine."""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TextIO

from lsp_server.cli.arguments import HOW_FOUND, MAX_SNIPPETS, N_SNIPPETS, N_SNIPPETS_IN_JSON
from lsp_server.config.vault_discovery import vault_around
from search.errors import ConfigError, VaultseekError, did_you_mean, shorten

if TYPE_CHECKING:
    from lsp_server.cli.terminal import Terminal
    from search.engine import Engine
    from search.ids import NoteId
    from search.query import Mode, Query
    from search.settings import Settings

_N_SIMILAR = 3  # notes to suggest
_N_HEADINGS = 5  # headings to list, if none is similar
_LEAST_WIDTH, _USUAL_WIDTH = 20, 80  # cells; below the least nothing can be read anyway


@contextlib.contextmanager
def open_engine(root: Path, options: argparse.Namespace) -> Iterator[tuple["Engine", "Terminal"]]:
    """An engine and the terminal to show its answers on; both are closed at the end.

    Raises:
        VaultseekError: an endpoint cannot be used.
    """
    from lsp_server.config.engine_factory import engine_of  # noqa: PLC0415 `serve` starts without the search core

    with open_terminal(options) as terminal:
        settings, _ = settings_of(options)
        if problem := settings.embedding_problem or settings.chat_problem or settings.rerank_problem:
            raise VaultseekError(problem.removeprefix("vaultseek."))
        engine = engine_of(root, settings)
        try:
            yield engine, terminal
            sys.stdout.flush()
            if settings.indexing.keeps:
                engine.save_snapshot()
        finally:
            engine.close()


def open_terminal(options: argparse.Namespace) -> "Terminal":
    """The terminal, with colours if the options, the environment and the output allow them."""
    from lsp_server.cli.terminal import Terminal  # noqa: PLC0415 `serve` starts without the search core

    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    is_coloured = options.color == "always" or (options.color == "auto" and sys.stdout.isatty() and not is_plain)
    return Terminal(
        sys.stdout,
        sys.stderr,
        is_coloured=is_coloured,
        width=_width(sys.stdout),
        errors_width=_width(sys.stderr),
        n_snippets=_n_shown_snippets(options),
    )


def _width(stream: TextIO) -> int | None:
    """The width in cells of the terminal that a stream goes to; 80 if it does not know it, None for a pipe."""
    if not stream.isatty():
        return None
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        columns = 0
    return max(_LEAST_WIDTH, columns or _USUAL_WIDTH)


def root_of(options: argparse.Namespace) -> Path:
    """The vault's folder. `~` is expanded, since a shell does not expand it in `--vault=~/notes`.

    Raises:
        ConfigError: an empty path, as from an unset variable in a script; it must not mean the current folder.
    """
    if options.vault is not None and not options.vault.strip():
        raise ConfigError("--vault", options.vault, "a folder")
    return Path(options.vault).expanduser() if options.vault else vault_around(Path.cwd())


def query_of(text: str, options: argparse.Namespace, root: Path) -> "Query":
    """The query that the options describe.

    Raises:
        ConfigError: an empty query, as from an unset variable in a script, or an empty tag, kind or link type.
    """
    from search.query import Level, Query  # noqa: PLC0415 `serve` starts without the search core

    if not text.strip():
        raise ConfigError("query", text, "a word, or a filter such as tag:recipe")
    for tag in options.tag:
        if not tag.strip(" #/"):
            raise ConfigError("--tag", tag, "a tag, with or without #")
    for name, values in (("--doc-type", options.doc_type), ("--link-type", options.link_type)):
        for value in values:
            if not value.strip():
                raise ConfigError(name, value, "a name")
    return Query(
        text=text,
        limit=options.limit,
        folder=_folder_in_vault(options.folder, root),
        tags=tuple(options.tag),
        mode=mode_of(options),
        doc_types=tuple(options.doc_type),
        depth=options.depth,
        include_linked=options.include_linked,
        include_terms=options.json or options.explain,
        level=Level.FILE if options.files else Level.NOTE,
        link_types=tuple(options.link_type),
    )


def mode_of(options: argparse.Namespace) -> "Mode | None":
    """The mode; None if the options name none."""
    from search.query import Mode  # noqa: PLC0415 `serve` starts without the search core

    return None if options.mode is None else Mode(options.mode)


def path_in_vault(path: str, root: Path) -> str:
    """The path of a note or folder relative to the vault; a path relative to the current folder works too."""
    try:
        return Path(path).resolve(strict=True).relative_to(root.resolve()).as_posix()
    except (OSError, ValueError):
        return path


def note_of(name: str, root: Path, engine: "Engine", *, is_skipped_known: bool = False) -> "NoteId":
    """The note that a name or a path means. With `is_skipped_known`, also a file that is skipped for a reason.

    Raises:
        VaultseekError: the vault has no such note; the message names similar ones.
    """
    note = engine.find_note(path_in_vault(name, root))
    library = engine.library()
    if note in library.notes or (is_skipped_known and _is_skipped(note, engine.status().skipped)):
        return note
    if not library.notes:
        raise VaultseekError(f"There are no Markdown notes in {root.absolute()}. {HOW_FOUND}")
    similar = library.similar_names(name.rpartition("/")[2].removesuffix(".md"), limit=_N_SIMILAR)
    near = f"; did you mean {' or '.join(similar)}?" if similar else ""
    raise VaultseekError(f"{shorten(name)}: no such note in the vault {root.absolute()}{near}")


def _is_skipped(note: str, skipped: Mapping[str, str]) -> bool:
    """Whether a file or a folder above it is skipped."""
    return any(path in skipped for path in (note, *map(str, PurePosixPath(note).parents)))


def require_heading(heading: str, note: "NoteId", engine: "Engine") -> None:
    """Check that the note has the heading.

    Raises:
        VaultseekError: it has none of that name; the message names the most similar one, else the first ones.
    """
    from search.graph.headings import section_named  # noqa: PLC0415 `serve` starts without the search core

    known = engine.library().notes[note]
    if section_named(known, heading) is None:
        names = list(dict.fromkeys(found.text for found in known.headings))
        n_others = len(names) - _N_HEADINGS
        others = f" and {n_others:,} more" if n_others > 0 else ""
        listed = f"; it has {', '.join(map(shorten, names[:_N_HEADINGS]))}{others}" if names else "; it has no headings"
        near = did_you_mean(heading, names) or listed
        raise VaultseekError(f"--heading: {note} has no heading {shorten(heading)}{near}")


def _folder_in_vault(folder: str, root: Path) -> str:
    """A folder relative to the vault. A folder of the vault wins over one of the current folder."""
    if not folder or (folder[0] != "." and (root / folder.strip("/")).is_dir()):
        return folder
    found = path_in_vault(folder, root)
    return "" if found == "." else found


def settings_of(options: argparse.Namespace) -> "tuple[Settings, tuple[str, ...]]":
    """The settings, and one line for each endpoint that cannot be used."""
    from lsp_server.config.pipeline_json import pipeline_named  # noqa: PLC0415 `serve` starts without the search core
    from lsp_server.config.settings import resolve_endpoints  # noqa: PLC0415 `serve` starts without the search core
    from search.providers.guarded_reranker import Reranking  # noqa: PLC0415 `serve` starts without the search core
    from search.semantic.settings import Indexing  # noqa: PLC0415 `serve` starts without the search core
    from search.settings import MODELS, Settings  # noqa: PLC0415 `serve` starts without the search core

    # An endpoint can have a model with the name of a local one, so the name counts as local only without an endpoint.
    is_local = not options.endpoint and options.embedding_model in MODELS
    problems: list[str] = []
    settings = Settings(
        keep_snapshot=not options.no_snapshot,
        enable_semantic=vars(options).get("mode") != "keyword",  # opening a model takes as long as a small vault
        embedding_model=options.embedding_model if is_local else MODELS[0],
        indexing=Indexing(in_background=False, keeps=not vars(options).get("plan")),
        pipeline=pipeline_named(options.preset, options.pipeline),
        reranking=Reranking(timeout_s=10.0),
        n_snippets=_n_snippets(options),
    )
    endpoints = _endpoints(options, embedding_model="" if is_local else options.embedding_model)
    settings = resolve_endpoints(endpoints, settings, problems)
    return settings, tuple(problem.removeprefix("vaultseek.") for problem in problems)


def _n_snippets(options: argparse.Namespace) -> int:
    """How many excerpts to make: for a terminal one more than it shows, since one may be only the title again."""
    if vars(options).get("json"):
        return N_SNIPPETS_IN_JSON if options.snippets is None else max(1, options.snippets)
    return min(MAX_SNIPPETS, 1 + _n_shown_snippets(options))


def _n_shown_snippets(options: argparse.Namespace) -> int:
    """How many excerpts a terminal shows for each note."""
    return N_SNIPPETS if options.snippets is None else int(options.snippets)


def _endpoints(options: argparse.Namespace, *, embedding_model: str) -> dict[str, object]:
    """The endpoints that options or the environment name, in the form that a client would send.

    Raises:
        ConfigError: a model or a key without an endpoint, or an endpoint without a model.
    """
    base_url, key = options.endpoint, options.key_variable
    models = {"embedding": embedding_model, "chat": options.chat_model, "rerank": options.rerank_model}
    if not base_url and (any(models.values()) or key):
        raise ConfigError(
            "--endpoint", base_url, "the address of the model's server, such as http://127.0.0.1:11434/v1"
        )
    if base_url and not any(models.values()):
        raise ConfigError("--embedding-model", "", "a model of the endpoint, here or as --chat-model or --rerank-model")
    return {
        name: {"baseUrl": base_url, "model": model, "keyVariable": key or None}
        for name, model in models.items()
        if model
    }
