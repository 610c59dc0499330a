"""A pipeline from settings or the command line: a preset by its name, or a preset with changes in JSON.

A JSON object names only what differs from the preset. Types and ranges come from the settings classes themselves.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

import attrs
from attrs import evolve

from lsp_server.config.fields import S, structured
from lsp_server.wire.fields import camel
from search.errors import ConfigError, UnknownName, one_of

if TYPE_CHECKING:
    from search.ranking.pipeline import Pipeline
    from search.ranking.stage_registry import Stage

CUSTOM = "custom"
"""The name of a pipeline that differs from its preset."""

_RENAMED = {"glueInText": "stopWordsInText", "isAlone": "dropsUnreached"}  # old name -> new name


def pipeline_named(preset: str | None, changes: str | None) -> "Pipeline":
    """A preset, the default one for None, with `changes`: a JSON object, the path of a file with one, or None.

    Raises:
        ConfigError: unknown preset, unreadable file, or invalid changes.
    """
    from search.ranking.presets import DEFAULT, preset_named  # noqa: PLC0415 the search core takes long to import

    base = preset_named(DEFAULT if preset is None else preset)
    if changes is None:
        return base
    try:
        text = changes if _is_json(changes) else Path(changes).expanduser().read_text(encoding="utf-8")
        raw = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError("pipeline", changes, f"a JSON object or the path of a file with one ({error})") from None
    return pipeline_of(raw, base)


def _is_json(text: str) -> bool:
    """Whether an argument is meant as JSON, an object or anything else, rather than as a path."""
    if text.lstrip().startswith("{"):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def pipeline_of(raw: object, base: "Pipeline") -> "Pipeline":
    """`base` with the changes in `raw`.

    Raises:
        ConfigError: a value is invalid, or the values contradict each other.
    """
    return evolve(_with_fields(base, raw, "pipeline"), name=CUSTOM)


def _changed(owner: attrs.AttrsInstance, name: str, value: object, path: str) -> object:
    """The new value of an attribute. For a settings class, an object changes only the fields that it names."""
    path = f"{path}.{camel(name)}"
    if path == "pipeline.stages":
        return _stages(value)
    part = getattr(owner, name)
    declared: Any = attrs.fields_dict(attrs.resolve_types(type(owner)))[name].type
    if value is None and NoneType in get_args(declared):
        return None
    if part is None:  # the preset lacks this part, so the changes apply to the part's defaults
        part = next((cls() for cls in get_args(declared) if attrs.has(cls)), None)
    if attrs.has(type(part)):
        return _with_fields(part, value, path)
    try:
        return structured(type(owner), name, value)
    except ConfigError as error:
        raise ConfigError(f"{path}{error.path}", error.value, error.allowed) from None


def _with_fields(part: S, raw: object, path: str) -> S:
    """A settings class with the fields in `raw`, set all at once: one may be valid only together with another."""
    if not isinstance(raw, Mapping):
        raise ConfigError(path, raw, "an object")
    changes = {name: _changed(part, name, value, path) for name, value in _by_attribute(part, raw, path).items()}
    try:
        return evolve(part, **changes)  # type: ignore[misc]  # attrs' plugin wants one class
    except ConfigError as error:
        raise ConfigError(f"{path}.{camel(error.path)}", error.value, error.allowed) from None


def _by_attribute(owner: attrs.AttrsInstance, raw: Mapping[str, object], path: str) -> Mapping[str, object]:
    names = {camel(attribute.name): attribute.name for attribute in attrs.fields(type(owner))}
    names.pop("name", None)
    for key in raw:
        if key not in names:
            new = _RENAMED.get(key)
            raise UnknownName(f"{path}.{key}", names, hint=f"its new name is {new}" if new in names else "")
    return {names[key]: value for key, value in raw.items()}


def _stages(raw: object) -> "tuple[Stage, ...]":
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ConfigError("pipeline.stages", raw, "a list")
    return tuple(_stage(item, f"pipeline.stages[{at}]") for at, item in enumerate(raw))


def _stage(raw: object, path: str) -> "Stage":
    from search.ranking.stage_registry import STAGES  # noqa: PLC0415 the search core takes long to import

    fields = dict(raw) if isinstance(raw, Mapping) else {"stage": raw}
    name = fields.pop("stage", None)
    if not isinstance(name, str) or name not in STAGES:
        raise ConfigError(path, name, one_of(STAGES, name if isinstance(name, str) else ""))
    return _with_fields(STAGES[name](), fields, path)
