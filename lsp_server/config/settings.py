"""Options, as sent, become settings, as used. An invalid field keeps its default and adds one line to the problems.

Types and ranges come from the settings classes themselves. Nothing a client sends raises an exception here.
"""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import attrs
from attrs import evolve, frozen

from lsp_server.config.fields import S, replaced
from lsp_server.config.options import (
    ENDPOINTS,
    OPTIONS,
    PIPELINE,
    PRESET,
    SECTION,
    EndpointOption,
    ServerOptions,
)
from lsp_server.config.pipeline_json import pipeline_of
from lsp_server.wire.fields import camel
from lsp_server.wire.uris import is_name, to_path
from search.errors import ConfigError, did_you_mean, shorten

if TYPE_CHECKING:
    from search.providers.endpoint import Endpoint
    from search.settings import Settings


@frozen
class Resolved:
    """The server's own options, the settings of the search core, and one line for each invalid option."""

    server: ServerOptions
    search: "Settings"
    problems: tuple[str, ...]


def resolve(raw: object) -> Resolved:
    """Settings from what a client sent under `vaultseek`; None gives the defaults.

    Imports the search core, which takes long: not for the event loop.
    """
    problems: list[str] = []
    if raw is not None and not isinstance(raw, Mapping):
        problems.append(f"{SECTION}: {shorten(raw)} is not an object")
    sent = raw if isinstance(raw, Mapping) else {}
    server = resolve_server(sent, problems)
    settings = _resolve_pipeline(sent, problems)
    for name, path in OPTIONS.items():
        if name != PRESET:
            settings = _set(settings, path, name, sent, problems)
    settings = resolve_endpoints(sent, settings, problems)
    known = {camel(attribute.name) for attribute in attrs.fields(ServerOptions)}
    known |= {PIPELINE, *OPTIONS, *(option.name for option in ENDPOINTS)}
    problems += [f"{SECTION}.{key}: unknown option{did_you_mean(key, known)}" for key in sent if key not in known]
    return Resolved(server, settings, tuple(problems))


def _resolve_pipeline(sent: Mapping[str, object], problems: list[str]) -> "Settings":
    """Settings with the preset and the changes to its pipeline that were sent."""
    from search.ranking.presets import preset_named  # noqa: PLC0415 it imports numpy and Whoosh
    from search.settings import Settings  # noqa: PLC0415 it imports numpy and Whoosh

    settings = _set(Settings(), OPTIONS[PRESET], PRESET, sent, problems)
    pipeline = preset_named(settings.preset)
    if (changes := sent.get(PIPELINE)) is not None:
        try:
            pipeline = pipeline_of(changes, pipeline)
        except ConfigError as error:
            problems.append(f"{SECTION}.{error}")
    return evolve(settings, pipeline=pipeline)


def resolve_server(sent: Mapping[str, object], problems: list[str]) -> ServerOptions:
    """The server's own options; an invalid one keeps its default and adds a line to `problems`."""
    options = ServerOptions()
    for attribute in attrs.fields(ServerOptions):
        options = _set(options, (attribute.name,), camel(attribute.name), sent, problems)
    paths = []
    for index, name in enumerate(options.vaults):
        path = folder_named(name)
        if path is None:
            problems.append(f"{SECTION}.vaults[{index}]: {shorten(name)} is neither an absolute path nor a file URI")
        else:
            paths.append(str(path))
    return evolve(options, vaults=tuple(paths))


def resolve_endpoints(sent: Mapping[str, object], settings: "Settings", problems: list[str]) -> "Settings":
    """`settings` with the endpoints that were sent.

    An invalid endpoint is not replaced by another model: it stays a problem until the user corrects the setting.
    """
    for option in ENDPOINTS:
        if (value := sent.get(option.name)) is None:
            continue
        try:
            endpoint = endpoint_of(value, option, problems)
        except ConfigError as error:
            problem = f"{SECTION}.{error}"
            problems.append(problem)
            settings = evolve(settings, **{f"{option.name}_problem": problem})  # type: ignore[arg-type]  # attrs' plugin wants names
        else:
            settings = evolve(settings, **{option.name: endpoint})  # type: ignore[arg-type]  # attrs' plugin wants names
    return settings


def endpoint_of(value: object, option: EndpointOption, problems: list[str]) -> "Endpoint":
    """The endpoint that an object describes; each unknown field adds a line to `problems`.

    Raises:
        ConfigError: the object describes no endpoint. The error repeats nothing that could be a key.
    """
    from search.providers.endpoint import Endpoint  # noqa: PLC0415 the search core takes long to import

    if not isinstance(value, Mapping):
        raise ConfigError(option.name, "…", "an object with baseUrl and model")
    problems += [
        f"{SECTION}.{option.name}.{key}: unknown option{did_you_mean(key, option.fields)}"
        for key in value
        if key not in option.fields
    ]
    given: dict[str, Any] = {
        name: value[camel(name)]
        for name in (attribute.name for attribute in attrs.fields(Endpoint))
        if camel(name) in option.fields and value.get(camel(name)) is not None
    }
    for name in ("base_url", "model"):
        if name not in given:
            raise ConfigError(f"{option.name}.{camel(name)}", None, "a string; it is required")
    try:
        return Endpoint(**{"timeout_s": option.timeout_s, **given})
    except ConfigError as error:
        raise ConfigError(f"{option.name}.{camel(error.path)}", error.value, error.allowed) from None


def folder_named(name: str) -> PurePath | None:
    """The folder that a user named by path or URI; None for anything else."""
    if ":" in name and (path := to_path(name)) is not None:
        return path
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # `~user` for a user that this system does not know
        return None
    return Path(os.path.normpath(path)) if path.is_absolute() and "\0" not in name and is_name(name) else None


def _set(owner: S, path: tuple[str, ...], name: str, sent: Mapping[str, object], problems: list[str]) -> S:
    value = sent.get(name)
    if value is None:
        return owner
    try:
        return replaced(owner, path, value)
    except ConfigError as error:
        where = f"{SECTION}.{name}{error.path}"
        verdict = "is outside" if ".." in error.allowed else "is ignored; allowed is"
        problems.append(f"{where}: {shorten(error.value)} {verdict} {error.allowed}")
        return owner
