"""Options, as sent, become settings, as used. A bad field keeps its default and is told of in one line.

Types and ranges come from the settings classes themselves. Never raises for what a client sent.
"""

import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import evolve, frozen

from lsp_server.from_wire import camel, structure_field
from lsp_server.options import ENDPOINTS, OPTIONS, PIPELINE, PRESET, SECTION, EndpointOption, Option, ServerOptions
from lsp_server.uris import is_name, to_path
from lsp_server.wire import Within
from search.errors import ConfigError, one_of, shorten

if TYPE_CHECKING:
    from search.providers.endpoint import Endpoint
    from search.settings import Settings

S = TypeVar("S", bound=attrs.AttrsInstance)


CACHE_VARIABLE = "VAULTSEEK_CACHE"  # a folder for vectors, in place of the user's cache folder


def with_cache_folder(settings: "Settings") -> "Settings":
    """The settings with the folder that the environment names for vectors, where they name none."""
    folder = os.environ.get(CACHE_VARIABLE, "")
    if not folder or settings.indexing.folder:
        return settings
    return evolve(settings, indexing=evolve(settings.indexing, folder=str(Path(folder).absolute())))


@frozen
class Resolved:
    """The server's own options, the vaults' settings, and a line for each thing that could not be used."""

    server: ServerOptions
    search: "Settings"
    problems: tuple[str, ...]


def resolve(raw: object) -> Resolved:
    """Settings from what a client sent under `vaultseek`; None and nothing give the defaults.

    Imports the search core, which takes a while: not for the event loop.
    """
    problems: list[str] = []
    if raw is not None and not isinstance(raw, Mapping):
        problems.append(f"{SECTION}: {shorten(raw)} is no object")
    sent = raw if isinstance(raw, Mapping) else {}
    server = resolve_server(sent, problems)
    options = [option for option in OPTIONS if option is not PRESET]
    settings = resolve_options(sent, resolve_design(sent, problems), options, problems)
    settings = resolve_endpoints(sent, settings, problems)
    known = {camel(attribute.name) for attribute in attrs.fields(ServerOptions)}
    known |= {PIPELINE, *(option.name for option in (*OPTIONS, *ENDPOINTS))}
    problems += [f"{SECTION}.{key}: there is no such option" for key in sent if key not in known]
    return Resolved(server, settings, tuple(problems))


def resolve_design(sent: Mapping[str, object], problems: list[str]) -> "Settings":
    """Settings with the preset and the parts of a design that were sent; what does not fit is told."""
    from lsp_server.designs import put_together  # noqa: PLC0415 it needs what stands here
    from search.ranking.presets import preset_named  # noqa: PLC0415 it imports numpy and Whoosh
    from search.settings import Settings  # noqa: PLC0415 as above

    settings = resolve_options(sent, Settings(), (PRESET,), problems)
    pipeline = preset_named(settings.preset)
    if (parts := sent.get(PIPELINE)) is not None:
        try:
            pipeline = put_together(parts, pipeline)
        except ConfigError as error:
            problems.append(f"{SECTION}.{error}")
    return evolve(settings, pipeline=pipeline)


def resolve_server(sent: Mapping[str, object], problems: list[str]) -> ServerOptions:
    """The server's own options; each that does not fit keeps its default and adds a line to `problems`."""
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


def resolve_options(sent: Mapping[str, object], settings: S, options: Sequence[Option], problems: list[str]) -> S:
    """`settings` with each option set that was sent and fits."""
    for option in options:
        settings = _set(settings, option.path, option.name, sent, problems)
    return settings


def resolve_endpoints(sent: Mapping[str, object], settings: "Settings", problems: list[str]) -> "Settings":
    """`settings` with the endpoints that were sent.

    One that does not fit is not replaced by another: it is a problem for as long as it stands in the settings.
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
            settings = evolve(settings, **{option.name: endpoint})  # type: ignore[arg-type]  # as above
    return settings


def endpoint_of(value: object, option: EndpointOption, problems: list[str]) -> "Endpoint":
    """The endpoint that an object describes; fields that there are not add a line to `problems`.

    Raises:
        ConfigError: it describes none. Repeats nothing that may be a key.
    """
    from search.providers.endpoint import Endpoint  # noqa: PLC0415 the search core takes a while

    if not isinstance(value, Mapping):
        raise ConfigError(option.name, "…", "an object with baseUrl and model")
    problems += [f"{SECTION}.{option.name}.{key}: there is no such option" for key in value if key not in option.fields]
    given: dict[str, Any] = {
        name: value[camel(name)]
        for name in (attribute.name for attribute in attrs.fields(Endpoint))
        if camel(name) in option.fields and value.get(camel(name)) is not None
    }
    for name in ("base_url", "model"):
        if name not in given:
            raise ConfigError(f"{option.name}.{camel(name)}", None, "a text; it cannot be left out")
    try:
        return Endpoint(**{"timeout_s": option.timeout_s, **given})
    except ConfigError as error:
        raise ConfigError(f"{option.name}.{camel(error.path)}", error.value, error.allowed) from None


_given_keys: dict[str, str] = {}  # from the client's secret storage, by the variable in whose place they stand


def take_keys(params: object) -> None:
    """Take `keys` out of the initializationOptions and remember them, in place of those of the connection before.

    They are held here alone: what structures, logs or keeps the message afterwards has no key to show.
    """
    _given_keys.clear()
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    options = options.get(SECTION, options) if isinstance(options, dict) else None
    keys = options.pop("keys", None) if isinstance(options, dict) else None
    if isinstance(keys, dict):
        _given_keys.update({name: key for name, key in keys.items() if isinstance(key, str)})


def key_of(endpoint: "Endpoint | None") -> str:
    """The key that the client gave for the variable that an endpoint names, else the environment's; empty without."""
    if endpoint is None or not endpoint.key_variable:
        return ""
    return _given_keys.get(endpoint.key_variable) or os.environ.get(endpoint.key_variable, "")


def folder_named(name: str) -> PurePath | None:
    """The folder that a user named by path or URI."""
    if ":" in name and (path := to_path(name)) is not None:
        return path
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # `~somebody` who is unknown here
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
        joint = "is outside" if ".." in error.allowed else "is not used, allowed is"
        problems.append(f"{where}: {shorten(error.value)} {joint} {error.allowed}")
        return owner


def replaced(owner: S, path: tuple[str, ...], value: object) -> S:
    """`owner` with the attribute at the end of `path` set.

    Raises:
        ConfigError: the value does not fit; its path is the place inside the value.
    """
    name, *rest = path
    if rest:
        return evolve(owner, **{name: replaced(getattr(owner, name), tuple(rest), value)})  # type: ignore[misc]  # attrs' plugin wants one class
    typed = fitting(type(owner), name, value)
    try:
        return evolve(owner, **{name: typed})  # type: ignore[misc]  # as above
    except ConfigError as error:
        raise ConfigError("", value, error.allowed) from None


def fitting(cls: type[attrs.AttrsInstance], name: str, value: object) -> Any:  # noqa: ANN401 a field may be of any type
    """What the field `name` of a settings class becomes by `value`, whatever its other fields are.

    Raises:
        ConfigError: the value does not fit; its path is the place inside the value.
    """
    attribute: attrs.Attribute[Any] = attrs.fields_dict(attrs.resolve_types(cls))[name]
    typed = structure_field(attribute.type, value)
    convert: Any = attribute.converter
    if convert is not None:
        typed = convert(typed)
    if attribute.validator is None:
        return typed
    try:
        attribute.validator(None, attribute, typed)
    except ConfigError as error:
        raise ConfigError("", value, error.allowed) from None
    except (ValueError, TypeError):
        raise ConfigError("", value, allowed_by(attribute.validator, str(value))) from None
    return typed


def known_settings() -> Iterator[tuple[str, "attrs.Attribute[Any]", Any]]:
    """The name that a client uses, the field that holds it, with its type, and the default of each plain setting.

    Endpoints and parts of a design are objects of their own and not among them. Imports the search core.
    """
    from search.settings import Settings  # noqa: PLC0415 - takes numpy with it, which no start needs

    server = ServerOptions()
    for of_server in attrs.fields(attrs.resolve_types(ServerOptions)):
        yield camel(of_server.name), of_server, getattr(server, of_server.name)
    for option in OPTIONS:
        owner: Any = Settings()
        for name in option.path[:-1]:
            owner = getattr(owner, name)
        last = option.path[-1]
        yield option.name, attrs.fields_dict(attrs.resolve_types(type(owner)))[last], getattr(owner, last)


def allowed_by(validator: object, given: str = "") -> str:
    """What a validator lets through, in words, for the validators that settings use. `given` may be a misspelt name.

    >>> allowed_by(attrs.validators.and_(attrs.validators.ge(1), attrs.validators.le(100)))
    '1..100'
    """
    bounds: dict[object, float] = {}
    for part in getattr(validator, "_validators", (validator,)):
        match part:
            case Within(allowed=allowed):
                return allowed
            case object(options=options):
                return one_of(map(str, options), given)
            case object(validator=of_value):
                return allowed_by(of_value)
            case object(value_validator=of_values):
                return allowed_by(of_values) + " for each"
            case object(compare_func=compare, bound=bound):
                bounds[compare] = bound
            case _:
                pass
    low = bounds.get(operator.ge, bounds.get(operator.gt))
    high = bounds.get(operator.le, bounds.get(operator.lt))
    if low is None and high is None:
        return "another value"
    return f"{'' if low is None else f'{low:g}'}..{'' if high is None else f'{high:g}'}"
