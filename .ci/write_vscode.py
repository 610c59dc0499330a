# ruff: noqa: INP001, ANN401 - a script, not a module of any package; types and defaults of settings may be anything
"""Writes what the VS Code client has from the server's classes: `src/wire.ts`, and the settings in `package.json`.

Run from the project's folder; `--check` writes nothing and fails where a file is stale.
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

from lsp_server.config.fields import allowed_by
from lsp_server.config.options import ENDPOINTS, OPTIONS, SECTION
from lsp_server.config.settings import known_settings
from lsp_server.wire import types as wire
from lsp_server.wire.types import STEP_KINDS, InRange, UpTo, WireField, camel, wire_fields
from search.providers.endpoint import Endpoint

CLIENT = Path("editor-client/vscode")
_RANGE = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)")

# What a person reads beside a setting. Types, ranges and defaults come from the classes.
DESCRIPTIONS = {
    "vaults": "Folders that may be searched although nothing marks them as vaults: absolute paths or `~/…`.",
    "maxResults": "Notes in an answer.",
    "patienceS": "Seconds that an answer waits for a vault that is being read for the first time.",
    "preset": "How notes are ranked: which sources, which fusion, which boosts.",
    "include": "Only these are searched: folders, `*.ext`, `#tag`, `[[note]]`. Empty: all notes.",
    "exclude": "These are not searched: folders, `*.ext`, `#tag`, `[[note]]`.",
    "maxNoteBytes": "Notes longer than this are not read.",
    "candidateLimit": "Notes that are ranked for a query.",
    "fusion": "How the ranking by words and the one by meaning become one: by score or by rank.",
    "rrfK": "The constant of the fusion by rank.",
    "enableSemantic": "Also find notes by what they mean, with a model on this machine.",
    "semanticWeight": "Share of the score by meaning.",
    "semanticScope": "Whether notes are found by meaning alone, or only ranked by it.",
    "mode": "What a search asks where it does not say: words and meaning, or one of them.",
    "embeddingModel": "The model on this machine that turns notes into vectors.",
    "autoIndex": "When notes get their vectors without a command.",
    "semanticPatienceS": "Seconds that a search waits for the vectors of its best notes.",
    "indexFolder": "Where vectors are kept; empty for your cache folder.",
    "hover": "What a hover says something about.",
    "symbolHeadings": "Whether *Go to Symbol in Workspace* lists headings too; empty: no, VS Code lists them itself.",
    "rerankPatienceS": "Seconds that a search waits for the reranker.",
    "rerankThresholdMs": "Milliseconds; a reranker that takes longer for 5 of 100 questions is left out for a while.",
    "rerank": "A `/v1/rerank` endpoint that puts the best notes in order. "
    "**Excerpts of your notes and your questions are sent there.**",
    "stemWeight": "How much other forms of a word may count beside the word itself; 0 for not at all.",
    "typoWeight": "How much a word counts that a misspelt one may mean; 0 for not at all.",
    "snippets": "Excerpts shown of each note.",
    "embedding": "An OpenAI-compatible endpoint that is asked for vectors, in place of the model on this machine. "
    "**Text of your notes is sent there.**",
    "chat": "An OpenAI-compatible endpoint that writes, for a question, a passage to search with. "
    "**Your questions are sent there.**",
}
# Where text or keys go, and what may be read: no workspace decides that.
_MACHINE = frozenset({"indexFolder", "vaults", *(endpoint.name for endpoint in ENDPOINTS)})
# VS Code also sends defaults, and a default here would override the chosen preset's own value.
_OF_PRESET = frozenset(option.name for option in OPTIONS if option.path[0] == "pipeline")


def types() -> str:
    """The messages as interfaces: the classes of `wire/types.py` and the values of the search core in their fields."""
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
    """The classes, each after the classes of its fields."""
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
            "markdownDescription": DESCRIPTIONS[name] + (" Empty: the preset decides." if name in _OF_PRESET else ""),
            "scope": "machine" if name in _MACHINE else "resource",
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
    """The schema with null as its default, for a setting that each preset has its own value of."""
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
    """`package.json` with the server's settings in place of those it had; the client's own stay."""
    path = CLIENT / "package.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    groups = manifest["contributes"]["configuration"]
    groups[-1]["properties"] = settings()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    stale = []
    for file, text in ((CLIENT / "src/wire.ts", types()), (CLIENT / "package.json", package())):
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(str(file))
            if "--check" not in sys.argv:
                file.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        raise SystemExit(f"stale, run `make vscode-generated`: {', '.join(stale)}")
