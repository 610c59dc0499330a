"""A design from outside: a preset by its name, or one put together of parts, from settings or the command line.

An object names only what differs from the preset; types and ranges are read from the settings classes themselves.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import attrs
from attrs import evolve

from lsp_server.from_wire import camel
from lsp_server.settings import fitting
from search.errors import ConfigError

if TYPE_CHECKING:
    from search.ranking.pipeline import Pipeline
    from search.ranking.stage_registry import Stage

CUSTOM = "custom"
"""The name of a design that was put together."""

S = TypeVar("S", bound=attrs.AttrsInstance)


def design_named(preset: str, parts: str) -> "Pipeline":
    """A preset, changed by `parts`: a JSON object or the path of a file that holds one; nothing where it is empty.

    Raises:
        ConfigError: there is no such preset or file, or a part does not fit.
    """
    from search.ranking.presets import DEFAULT, preset_named  # noqa: PLC0415 the search core takes a while

    base = preset_named(preset or DEFAULT)
    if not parts:
        return base
    try:
        text = parts if parts.lstrip().startswith("{") else Path(parts).expanduser().read_text(encoding="utf-8")
        raw = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError("pipeline", parts, f"a JSON object or the path of a file that holds one ({error})") from None
    return put_together(raw, base)


def put_together(raw: object, base: "Pipeline") -> "Pipeline":
    """`base` with the parts that `raw` names.

    Raises:
        ConfigError: a part does not fit, or the parts do not fit together.
    """
    if not isinstance(raw, Mapping):
        raise ConfigError("pipeline", raw, "an object")
    parts = {key: value for key, value in raw.items() if key != "stages"}
    changes: dict[str, Any] = {
        name: changed(base, name, value) for name, value in _by_attribute(base, parts, "pipeline").items()
    }
    if "stages" in raw:
        changes["stages"] = _stages(raw["stages"])
    try:
        return evolve(base, name=CUSTOM, **changes)
    except ConfigError as error:
        raise ConfigError(f"pipeline.{error.path}", error.value, error.allowed) from None


def changed(owner: attrs.AttrsInstance, name: str, value: object, path: str = "pipeline") -> object:
    """What the attribute becomes by `value`: an object changes the settings class that is there or is meant.

    Raises:
        ConfigError: it does not fit.
    """
    path = f"{path}.{camel(name)}"
    part = getattr(owner, name)
    declared: Any = attrs.fields_dict(attrs.resolve_types(type(owner)))[name].type
    if value is None and NoneType in get_args(declared):
        return None
    if part is None:
        part = next((cls() for cls in get_args(declared) if attrs.has(cls)), None)
    if attrs.has(type(part)):
        return _filled(part, value, path)
    try:
        return fitting(type(owner), name, value)
    except ConfigError as error:
        raise ConfigError(f"{path}{error.path}", error.value, error.allowed) from None


def _filled(part: S, raw: object, path: str) -> S:
    """A settings class with the fields that an object names, all at once: one may only fit beside another."""
    if not isinstance(raw, Mapping):
        raise ConfigError(path, raw, "an object")
    changes = {name: changed(part, name, value, path) for name, value in _by_attribute(part, raw, path).items()}
    try:
        return evolve(part, **changes)  # type: ignore[misc]  # attrs' plugin wants one class
    except ConfigError as error:
        raise ConfigError(f"{path}.{camel(error.path)}", error.value, error.allowed) from None


def _by_attribute(owner: attrs.AttrsInstance, raw: Mapping[str, object], path: str) -> Mapping[str, object]:
    names = {camel(attribute.name): attribute.name for attribute in attrs.fields(type(owner))}
    names.pop("name", None)
    for key, value in raw.items():
        if key not in names:
            raise ConfigError(f"{path}.{key}", value, "one of the names " + ", ".join(names))
    return {names[key]: value for key, value in raw.items()}


def _stages(raw: object) -> "tuple[Stage, ...]":
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ConfigError("pipeline.stages", raw, "a list")
    return tuple(_stage(item, f"pipeline.stages[{at}]") for at, item in enumerate(raw))


def _stage(raw: object, path: str) -> "Stage":
    from search.ranking.stage_registry import STAGES  # noqa: PLC0415 as above

    fields = dict(raw) if isinstance(raw, Mapping) else {"stage": raw}
    name = fields.pop("stage", None)
    if not isinstance(name, str) or name not in STAGES:
        raise ConfigError(path, name, "one of the stages " + ", ".join(STAGES))
    return _filled(STAGES[name](), fields, path)
