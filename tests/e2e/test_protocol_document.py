"""PROTOCOL.md against the server: its examples are replayed, and its hash is that of the wire types."""

import hashlib
import json
import re

import attrs
import pytest

from lsp_server.config.options import OPTIONS, ServerOptions
from lsp_server.wire.fields import camel
from lsp_server.wire.types import SearchOptions
from tests.e2e.conftest import ROOT

TEXT = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json request (\S+)\n(.*?)```\n+```json answer\n(.*?)```", TEXT, re.DOTALL)
SAME = {"id", "note", "uri", "vault", "code", "state", "step", "field", "kind", "line", "character", "text", "complete"}


def shape(value, key=""):
    """Names and types, and those values that do not depend on ranking."""
    match value:
        case dict():
            return {name: shape(part, name) for name, part in value.items()}
        case list():
            return [shape(part, key) for part in value]
        case bool() | str() if key in SAME:
            return value
        case int() if key in SAME:
            return value
        case int() | float() if not isinstance(value, bool):
            return "number"
        case _:
            return type(value).__name__


@pytest.mark.parametrize(("method", "params", "answer"), EXAMPLES)
def test_an_example_is_what_the_server_answers(start, garden, method, params, answer):
    pipes = start()
    pipes.initialize(garden, initializationOptions={"semanticPatienceS": 60})
    if method in {"vaultseek/status", "vaultseek/related"}:  # their answers depend on earlier requests
        pipes.ask("vaultseek/search", {"query": "orchid"})
    mine, theirs = garden.as_uri(), "file:///home/me/garden"
    real = pipes.ask(method, json.loads(params.replace(theirs, mine)))
    real = real["result"] if "result" in real else {"error": real["error"]}
    assert shape(json.loads(json.dumps(real).replace(mine, theirs))) == shape(json.loads(answer))


def test_every_method_has_an_example():
    assert {method for method, *_ in EXAMPLES} == {
        f"vaultseek/{name}" for name in ("search", "context", "related", "text", "explain", "status")
    }


def test_the_document_matches_the_wire_types():
    """If this fails, bring PROTOCOL.md up to date with the wire types first, then its hash.

    The generated TypeScript is part of the hash since it shows the fields of values that the search core defines.
    """
    sources = ("lsp_server/wire/types.py", "editor-client/shared/wire.ts")
    digest = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in sources)).hexdigest()[:16]
    assert f"wire: `{digest}`" in TEXT


@pytest.mark.parametrize(
    "name",
    [camel(attribute.name) for cls in (SearchOptions, ServerOptions) for attribute in attrs.fields(cls)]
    + list(OPTIONS),
)
def test_every_option_is_documented(name):
    assert f"`{name}`" in TEXT
