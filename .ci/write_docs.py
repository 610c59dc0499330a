# ruff: noqa: INP001, ANN401 - a script, not a module of any package; types and defaults of settings may be anything
"""Generates the parts of `docs/` that come from the code: tables of settings, and which preset has which parts.

Meanings, ranges and defaults are read from the settings classes. Run it from the project's folder; `--check` writes
nothing and fails if a document is out of date. It never changes a line outside the markers.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import attrs
from known_settings import DESCRIPTIONS, known_settings
from markers import replace_parts

from lsp_server.config.fields import allowed_by
from lsp_server.config.options import ENDPOINTS, OPTIONS
from lsp_server.wire.fields import camel
from search.answer.evidence import Field
from search.errors import ConfigError
from search.providers.endpoint import Endpoint
from search.ranking.pipeline import Pipeline
from search.ranking.presets import DEFAULT, PRESETS
from search.ranking.stage_registry import STAGES, stage_name

DOCS = Path("docs")
# What a number counts, where neither its name nor its range says it.
UNITS = {
    "maxResults": "notes",
    "candidateLimit": "notes",
    "snippets": "excerpts",
    "maxNoteBytes": "bytes",
    "dimensions": "numbers in a vector",
    "batchSize": "texts in a request",
    "maxTokens": "tokens",
}
_ENTRY = re.compile(r"^([a-z_0-9]+(?:, [a-z_0-9]+)*): ")
_RANGE = re.compile(r"[,;]? (?:above )?-?[\d.,]+(?: KiB| MiB)?(?:\.\.| to )[\d.,]+")
_DEFAULT = re.compile(r"\.? Default: |; \d")
_DOCUMENT = re.compile(r" \((?:see `|designs/|tests/)[^()]*\)|, as in designs/\d|, see the module")


def meanings(cls: type[Any]) -> Mapping[str, str]:
    """What each field means: its entry in the docstring of its class, without range, default and reason."""
    entries: list[str] = []
    for line in inspect.cleandoc(cls.__doc__ or "").split("\n"):
        if _ENTRY.match(line):
            entries.append(line)
        elif entries and line.startswith(" "):
            entries[-1] += " " + line.strip()
    found = {}
    for entry in entries:
        names, _, text = entry.partition(": ")
        found |= dict.fromkeys(names.split(", "), _meaning(text))
    return found


def _meaning(text: str) -> str:
    kept = _DOCUMENT.sub("", text)
    if match := _RANGE.search(kept):
        kept = kept[: match.start()]
    if match := _DEFAULT.search(kept):
        kept = kept[: match.start()]
    kept = re.sub(r"`([a-z_]+)`", lambda match: f"`{camel(match[1])}`", kept.strip().rstrip(".;,"))
    return f"{kept[:1].upper()}{kept[1:]}."


def allowed(name: str, attribute: Any, value: object) -> str:
    """The allowed values of a setting in words, with their unit."""
    if isinstance(value, bool) or attribute.type == bool | None:
        return "`true` or `false`"
    choices = _choices(attribute)
    if choices and isinstance(value, tuple):
        return f"a list of {_listed(choices)}"
    if choices:
        return f"{_listed(choices)}, for each" if isinstance(value, Mapping) else _listed(choices)
    if words := _range(attribute):
        return " ".join(filter(None, (words, unit_of(name))))
    if isinstance(value, tuple):
        return "a list of pairs" if value else "a list of texts"
    return "text"


def _choices(attribute: Any) -> tuple[str, ...]:
    """The values that a setting can have, if they are named ones."""
    kinds = [attribute.type, *get_args(attribute.type)]
    enums = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not Field)
    literals = (get_args(kind) for kind in kinds if get_origin(kind) is Literal)
    options = getattr(attribute.validator, "options", None)
    return tuple(map(str, options or next(enums, ()) or next(literals, ())))


def _range(attribute: Any) -> str:
    """The range of a number, as the setting's own error states it; empty for other settings."""
    words = allowed_by(attribute.validator)
    if ".." not in words and {int, float} & {attribute.type, *get_args(attribute.type)} and attribute.validator:
        try:
            attribute.validator(None, attribute, object())
        except ConfigError as error:
            words = error.allowed.replace(" to ", "..")
    match = re.search(r"-?[\d.,]*\d\.\.[\d.,]+(?: for each)?", words)
    return match[0].replace(" for", ", for") if match else ""


def unit_of(name: str) -> str:
    """The unit of a setting by its name; empty for a plain number."""
    by_end = {"Ms": "ms", "S": "s", "Days": "days"}
    return UNITS.get(name) or next((unit for end, unit in by_end.items() if name.endswith(end)), "")


def shown(value: object) -> str:
    """A default value in a readable form."""
    match value:
        case () | "" | None:
            return "none"
        case bool() | str():
            return f"`{value if isinstance(value, str) else str(value).lower()}`"
        case tuple():
            return ", ".join(shown(item) if isinstance(item, str) else f"`{json.dumps(item)}`" for item in value)
        case Mapping():
            pairs = (f"`{key}` {shown(item) if isinstance(item, str) else f'{item:g}'}" for key, item in value.items())
            return ", ".join(pairs) or "none"
        case int():
            return f"{value:,}"
        case _:
            return f"{value:.3g}"


def _listed(values: Iterable[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def table(rows: Iterator[tuple[str, str, str, str]], first: str = "setting") -> str:
    """Rows of a name, its meaning, what is allowed and the default."""
    lines = [f"| `{name}` | {meaning} | {values} | {default} |" for name, meaning, values, default in rows]
    return "\n".join([f"| {first} | meaning | allowed | default |", "| --- | --- | --- | --- |", *lines]) + "\n"


def settings() -> str:
    """The plain settings."""
    rows = (
        (f"vaultseek.{name}", DESCRIPTIONS[name], allowed(name, field, value), _default(name, value))
        for name, field, value in known_settings()
    )
    return table(rows)


def _default(name: str, value: object) -> str:
    """A default; a setting that belongs to a preset shows that of each preset, unless all agree."""
    path = OPTIONS.get(name, ())
    if path[:1] != ("pipeline",):
        return shown(value)
    values = {}
    for preset, make in PRESETS.items():
        found: Any = make()
        for part in path[1:]:
            found = getattr(found, part)
        values[preset] = shown(found)
    usual = values.pop(DEFAULT)
    words = "the model's own" if usual == "none" else usual
    for other in dict.fromkeys(values.values()):
        names = [preset for preset, value in values.items() if value == other]
        if other != usual:
            words += f"; {other} in {_listed(names)}" if len(names) < len(values) else f"; {other} in other presets"
    return words


def endpoints() -> str:
    """The fields of an endpoint, and for which endpoints each can be set."""
    meaning = meanings(Endpoint)
    names = {name for endpoint in ENDPOINTS for name in endpoint.fields}

    def rows() -> Iterator[tuple[str, str, str, str]]:
        for field in attrs.fields(attrs.resolve_types(Endpoint)):
            name = camel(field.name)
            if name not in names:
                continue
            owners = [endpoint.name for endpoint in ENDPOINTS if name in endpoint.fields]
            is_common = len(owners) == len(ENDPOINTS)
            only = "" if is_common else f" Only for {' and '.join(f'`{owner}`' for owner in owners)}."
            is_required = field.default is attrs.NOTHING
            value = "" if is_required else field.default
            default = "required" if is_required else shown(value)
            if name == "timeoutS":
                default = ", ".join(f"`{endpoint.name}` {endpoint.timeout_s:g}" for endpoint in ENDPOINTS)
            yield name, meaning[field.name] + only, allowed(name, field, value), default

    return table(rows(), "field")


def parts() -> Iterator[tuple[str, type[Any]]]:
    """Each part of a pipeline and each stage with the class of its settings, in the order of the document."""
    for field in attrs.fields(attrs.resolve_types(Pipeline)):
        cls = next((kind for kind in (field.type, *get_args(field.type)) if attrs.has(kind)), None)
        if cls is not None and field.name != "stages":
            yield camel(field.name), cls
    for name in sorted(STAGES):
        yield f"stage {name}", STAGES[name]


def part_settings() -> str:
    """A table for each part and each stage."""
    blocks = []
    for title, cls in parts():
        blocks.append(f"### {title}\n\n{table(_part_rows(cls))}")
    return "\n".join(blocks)


def _part_rows(cls: type[Any], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    meaning = meanings(cls)
    part = cls()
    for field in attrs.fields(attrs.resolve_types(cls)):
        value = getattr(part, field.name)
        name = camel(field.name)
        if attrs.has(field.type):
            yield from _part_rows(field.type, f"{prefix}{name}.")
            continue
        yield f"{prefix}{name}", meaning[field.name], allowed(name, field, value), shown(value)


def presets() -> str:
    """Which parts and stages each preset has: a weight where there is one, else its place among the stages."""
    pipelines = {name: make() for name, make in PRESETS.items()}
    lines = [f"| | {' | '.join(f'`{name}`' for name in pipelines)} |", "| --- |" + " --- |" * len(pipelines)]
    for field in attrs.fields(Pipeline):
        if field.name not in {"name", "stages"}:
            cells = [_cell(getattr(pipeline, field.name)) for pipeline in pipelines.values()]
            lines.append(f"| `{camel(field.name)}` | {' | '.join(cells)} |")
    for name in sorted(STAGES):
        orders = ([stage_name(stage) for stage in pipeline.stages] for pipeline in pipelines.values())
        cells = [f"{order.index(name) + 1}." if name in order else "" for order in orders]
        lines.append(f"| stage `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(part: Any) -> str:
    if isinstance(part, StrEnum):
        return str(part)
    if part is None:
        return ""
    if not hasattr(part, "weight"):
        return "yes"
    if part.weight is None:
        return "the model's"
    return f"{part.weight:.2g}" if part.weight else ""


def documents() -> Mapping[Path, str]:
    """Each document with its generated parts as they should be."""
    return {
        DOCS / "settings.md": replace_parts(
            DOCS / "settings.md", {"settings": settings(), "endpoints": endpoints(), "parts": part_settings()}
        ),
        DOCS / "presets-and-pipelines.md": replace_parts(DOCS / "presets-and-pipelines.md", {"presets": presets()}),
    }


if __name__ == "__main__":
    stale = [path for path, text in documents().items() if path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        raise SystemExit(f"out of date, run `make docs`: {', '.join(map(str, stale))}" if stale else 0)
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")
