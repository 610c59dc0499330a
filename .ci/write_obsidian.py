# ruff: noqa: INP001 - a script, not a module of any package; settings may have any value
"""Generates the list of settings in the Obsidian plugin from the server's classes: `src/settings/server.ts`.

Run it from the project's folder; `--check` writes nothing and fails if the file is out of date.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from write_vscode import MACHINE, settings

from lsp_server.config.options import SECTION

FILE = Path("editor-client/obsidian/src/settings/server.ts")

# Not settings of one vault in Obsidian: it has one vault, shows links itself, and lists no symbols.
_ELSEWHERE = {"vaults", "hover", "symbolHeadings"}
_TITLES = {
    "maxResults": "Notes in an answer",
    "patienceS": "Patience while reading",
    "preset": "Preset",
    "include": "Search only",
    "exclude": "Do not search",
    "maxNoteBytes": "Bytes of a long note",
    "keepSnapshot": "Keep a snapshot",
    "candidateLimit": "Notes to rank",
    "stemWeight": "Weight of other forms of a word",
    "typoWeight": "Weight of corrected words",
    "fusion": "Fusion",
    "rrfK": "Constant of the fusion by rank",
    "enableSemantic": "Search by meaning",
    "semanticWeight": "Share of meaning",
    "semanticScope": "Scope of meaning",
    "mode": "Mode",
    "embeddingModel": "Model",
    "autoIndex": "Compute vectors",
    "semanticPatienceS": "Patience for vectors",
    "indexFolder": "Folder for vectors and snapshots",
    "rerankPatienceS": "Patience for the reranker",
    "rerankThresholdMs": "Slowest reranker",
    "snippets": "Excerpts of a note",
    "embedding": "Endpoint for vectors",
    "chat": "Endpoint for questions",
    "rerank": "Endpoint for reranking",
}
_TYPE = """\
// Written by .ci/write_obsidian.py from the server's settings. Do not edit.

/** A setting of the server. `initial` is null if the preset, or no endpoint, is meant. */
export interface ServerSetting {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Whether it belongs to this machine: it decides where text is sent or files are written. */
  readonly isOfMachine: boolean;
  readonly kind: "switch" | "number" | "integer" | "text" | "list" | "choice" | "endpoint";
  readonly initial: boolean | number | string | readonly string[] | null;
  readonly choices?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  /** The fields of an endpoint, and whether each is text. */
  readonly fields?: Readonly<Record<string, "text" | "number">>;
  readonly required?: readonly string[];
}
"""


def text() -> str:
    """The file."""
    found = [
        _setting(name, schema)
        for key, schema in settings().items()
        if (name := key.removeprefix(f"{SECTION}.")) not in _ELSEWHERE
    ]
    rows = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in found)
    return f"{_TYPE}\nexport const SERVER_SETTINGS: readonly ServerSetting[] = [\n{rows},\n];\n"


def _setting(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    choices = [choice for choice in schema.get("enum", ()) if choice is not None]
    kind = {"boolean": "switch", "array": "list", "object": "endpoint", "string": "text"}.get(kinds[0], kinds[0])
    found: dict[str, Any] = {
        "name": name,
        "title": _TITLES.get(name) or _words(name),
        "about": schema["markdownDescription"],
        "isOfMachine": name in MACHINE,
        "kind": "choice" if choices else kind,
        "initial": schema["default"],
    }
    if choices:
        found["choices"] = choices
    for ours, theirs in (("least", "minimum"), ("most", "maximum"), ("required", "required")):
        if theirs in schema:
            found[ours] = schema[theirs]
    if kind == "endpoint":
        found["fields"] = {
            field: "text" if one["type"] == "string" else "number" for field, one in schema["properties"].items()
        }
    return found


def _words(name: str) -> str:
    """A title for a setting without one: `maxNotes` gives `Max notes`."""
    return re.sub(r"(?<!^)([A-Z])", lambda found: f" {found[1].lower()}", name).capitalize()


if __name__ == "__main__":
    if not FILE.exists() or FILE.read_text(encoding="utf-8") != text():
        if "--check" in sys.argv:
            raise SystemExit(f"stale, run `make obsidian-generated`: {FILE}")
        FILE.write_text(text(), encoding="utf-8")
