# ruff: noqa: INP001 - part of scripts, not of a package; defaults of settings can be anything
"""All plain settings, for the scripts that generate documents and clients from them."""

from collections.abc import Iterator
from typing import Any

import attrs

from lsp_server.config.options import OPTIONS, ServerOptions
from lsp_server.wire.types import camel
from search.settings import Settings


def known_settings() -> Iterator[tuple[str, "attrs.Attribute[Any]", Any]]:
    """Each plain setting: its public name, the field that holds it (with its type resolved), and its default.

    Endpoints and `pipeline` are objects and not included.
    """
    server = ServerOptions()
    for of_server in attrs.fields(attrs.resolve_types(ServerOptions)):
        yield camel(of_server.name), of_server, getattr(server, of_server.name)
    for public_name, path in OPTIONS.items():
        owner: Any = Settings()
        for name in path[:-1]:
            owner = getattr(owner, name)
        last = path[-1]
        yield public_name, attrs.fields_dict(attrs.resolve_types(type(owner)))[last], getattr(owner, last)
