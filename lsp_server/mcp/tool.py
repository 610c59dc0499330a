"""What a tool is: what a model is told about it, its parameters and its function."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attrs import field, frozen

from lsp_server.mcp.parameters import Arguments, Parameter

if TYPE_CHECKING:
    from lsp_server.mcp.vaults import ServedVault
    from search.budget import Budget


@frozen
class Answer:
    """The same answer twice: as text for a model, and as data for a program, by the tool's `output` schema."""

    text: str
    data: Mapping[str, object]


@frozen(kw_only=True)
class Tool:
    """A tool; `output` is the JSON schema of its data.

    `run` answers a call, or raises VaultseekError with a sentence that a model can act on, or Cancelled.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Mapping[str, object]
    run: Callable[["ServedVault", Arguments, "Budget"], Answer] = field(repr=False)


def object_schema(required: str, **properties: str | Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of an object; a property is the name of its type, or a schema. `required`: names between blanks.

    >>> object_schema("path", path="string")
    {'type': 'object', 'required': ['path'], 'properties': {'path': {'type': 'string'}}}
    """
    schemas = {name: {"type": kind} if isinstance(kind, str) else dict(kind) for name, kind in properties.items()}
    return {"type": "object", "required": required.split(), "properties": schemas}


def list_schema(items: str | Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of a list."""
    return {"type": "array", "items": {"type": items} if isinstance(items, str) else dict(items)}
