# ruff: noqa: INP001, ANN401 - a script, not a module of any package; types and defaults of settings may be anything
"""Generates the wire types that clients share, `shared/wire.ts`, and the settings in the `package.json` of VS Code.

Run it from the project's folder; `--check` writes nothing and fails if a file is out of date.
"""

import json
import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from known_settings import DESCRIPTIONS, known_settings

from lsp_server.config.fields import allowed_by
from lsp_server.config.options import ENDPOINTS, OPTIONS, SECTION
from lsp_server.wire import types as wire
from lsp_server.wire.fields import InRange, UpTo, camel
from lsp_server.wire.types import STEP_KINDS, WireField, wire_fields
from search.providers.endpoint import Endpoint

CLIENT = Path("editor-client/vscode")
WIRE = Path("editor-client/shared/wire.ts")
_RANGE = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)")

# Settings that decide where text and keys are sent or what is read; a workspace cannot set them.
MACHINE = frozenset({"indexFolder", "vaults", *(endpoint.name for endpoint in ENDPOINTS)})
# VS Code also sends defaults, and a default here would override the value of the chosen preset.
_OF_PRESET = frozenset(name for name, path in OPTIONS.items() if path[0] == "pipeline")


def types() -> str:
    """TypeScript interfaces of the classes in `wire/types.py` and of the search core's values in their fields."""
    own = [value for value in vars(wire).values() if getattr(value, "__module__", "") == wire.__name__]
    messages = [cls for cls in own if attrs.has(cls) and cls not in {InRange, UpTo, WireField}]
    constants = [
        f'export const {name} = "{value}";'
        for name, value in vars(wire).items()
        if isinstance(value, str) and name.isupper()
    ]
    blocks = ["// Written by .ci/write_vscode.py from lsp_server/wire/types.py. Do not edit.", "\n".join(constants)]
    blocks += [_interface(cls) for cls in _with_parts(messages)]
    return "\n\n".join(blocks) + "\n"


def _with_parts(classes: list[type[Any]]) -> list[type[Any]]:
    """The classes, each preceded by the classes of its fields."""
    found: dict[type[Any], None] = {}
    for cls in classes:
        if cls not in found:
            parts = [part for field in wire_fields(cls) for part in _classes_in(field.type) if part is not cls]
            found |= dict.fromkeys((*_with_parts(parts), cls))
    return list(found)


def _classes_in(hint: Any) -> list[type[Any]]:
    return [hint] if attrs.has(hint) else [cls for part in get_args(hint) for cls in _classes_in(part)]


def _interface(cls: type[Any]) -> str:
    kind = STEP_KINDS.get(cls)
    lines = [] if kind is None else [f'  kind: "{kind}";']
    for field in wire_fields(cls):
        has_default = attrs.fields_dict(cls)[field.attribute].default is not attrs.NOTHING
        is_optional = field.is_optional or (has_default and cls.__name__.endswith(("Options", "Params")))
        lines.append(f"  {field.name}{'?' if is_optional else ''}: {_type(field.type)};")
    return f"export interface {cls.__name__} {{\n" + "\n".join(lines) + "\n}"


def _type(hint: Any) -> str:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in {UnionType, Union}:
        return " | ".join(dict.fromkeys(_type(part) for part in inner if part is not NoneType))
    if origin is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum)):
        return " | ".join(json.dumps(value) for value in (inner or hint))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            part = _type(inner[0])
            return f"readonly ({part})[]" if " " in part else f"readonly {part}[]"
        return f"readonly [{', '.join(map(_type, inner))}]"
    if origin is not None and issubclass(origin, Mapping):
        return f"Record<string, {_type(inner[1])}>"

    plain = {str: "string", int: "number", float: "number", bool: "boolean"}
    return plain[hint] if hint in plain else str(hint.__name__)


def settings() -> dict[str, Any]:
    """`contributes.configuration.properties` of the settings that the server knows."""
    found: dict[str, Any] = {name: _schema(field, value) for name, field, value in known_settings()}
    found |= {name: _or_the_presets(schema) for name, schema in found.items() if name in _OF_PRESET}
    by_name = {camel(field.name): field for field in attrs.fields(attrs.resolve_types(Endpoint))}
    for endpoint in ENDPOINTS:
        properties = {name: _schema(by_name[name], by_name[name].default) for name in endpoint.fields}
        for schema in properties.values():
            schema.pop("default", None)
        found[endpoint.name] = {
            "type": ["object", "null"], "default": None, "additionalProperties": False,
            "properties": properties, "required": ["baseUrl", "model"],
        }  # fmt: skip
    return {
        f"{SECTION}.{name}": {
            **schema,
            "markdownDescription": DESCRIPTIONS[name]
            + (" If empty, the preset decides." if name in _OF_PRESET else ""),
            "scope": "machine" if name in MACHINE else "resource",
        }
        for name, schema in found.items()
    }


def _schema(field: Any, value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"type": "boolean", "default": value}
    if isinstance(value, tuple):
        choices = [get_args(part) for part in get_args(field.type) if get_origin(part) is Literal]
        items = {"type": "string", "enum": list(choices[0])} if choices else {"type": "string"}
        return {"type": "array", "items": items, "default": list(value)}
    inner = get_args(field.type)
    options = type(value) if isinstance(value, StrEnum) else getattr(field.validator, "options", None)
    if options is not None:
        return {"type": "string", "enum": [str(option) for option in options], "default": str(value)}
    if bool in inner:
        return {"type": ["boolean", "null"], "default": value}
    numbers = {int, float} & {type(value), *inner, field.type}
    if not numbers:
        return {"type": "string", "default": value if isinstance(value, str) else ""}
    return _number("number" if float in numbers else "integer", field, value)


def _or_the_presets(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with null as its default, for a setting whose value depends on the preset."""
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **choices, "type": [*types, *({"null"} - {*types})], "default": None}


def _number(kind: str, field: Any, value: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": [kind, "null"] if value is None else kind, "default": value}
    if match := _RANGE.search(allowed_by(field.validator).replace(",", "")):
        low, high = match.groups()
        schema |= {"minimum": json.loads(low), "maximum": json.loads(high)}
    return schema


def package() -> str:
    """`package.json` with its server settings replaced; the client's own settings stay."""
    path = CLIENT / "package.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    groups = manifest["contributes"]["configuration"]
    groups[-1]["properties"] = settings()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    stale = []
    for file, text in ((WIRE, types()), (CLIENT / "package.json", package())):
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(str(file))
            if "--check" not in sys.argv:
                file.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        raise SystemExit(f"stale, run `make vscode-generated`: {', '.join(stale)}")
