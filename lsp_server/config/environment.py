"""What no setting contains: API keys of endpoints, the token of a connection, and the folder for vectors.

Settings contain only the name of a key's variable, never the key. A client can send keys that take precedence over the
environment; they are taken out of its message, so that nothing that structures, logs or stores the message can show
one, and they serve this client alone: another one could name an endpoint of its own and be sent the first one's key.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from attrs import evolve

from lsp_server.config.options import SECTION

if TYPE_CHECKING:
    from search.providers.endpoint import Endpoint
    from search.settings import Settings

CACHE_VARIABLE = "VAULTSEEK_CACHE"
"""The environment variable that names a folder for vectors, used instead of the user's cache folder."""

Keys = Mapping[str, str]
"""Variable name -> key, from a client's secret storage."""

NO_KEYS: Keys = MappingProxyType({})


def take_keys(params: object) -> Keys:
    """Move `keys` out of the initializationOptions; those that are no strings are ignored."""
    keys = _taken(params, "keys")
    return {name: key for name, key in keys.items() if isinstance(key, str)} if isinstance(keys, dict) else {}


def take_token(params: object) -> str:
    """Move `token` out of the initializationOptions; "" if there is none."""
    token = _taken(params, "token")
    return token if isinstance(token, str) else ""


def _taken(params: object, name: str) -> object:
    """A value of the initializationOptions of `initialize`, removed from them; None if there is none."""
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    options = options.get(SECTION, options) if isinstance(options, dict) else None
    return options.pop(name, None) if isinstance(options, dict) else None


def key_of(endpoint: "Endpoint | None", given: Keys = NO_KEYS) -> str:
    """The key for the variable that an endpoint names: the client's, else the environment's, else empty."""
    if endpoint is None or not endpoint.key_variable:
        return ""
    return given.get(endpoint.key_variable) or os.environ.get(endpoint.key_variable, "")


def with_cache_folder(settings: "Settings") -> "Settings":
    """The settings with the folder for vectors that the environment names, unless they name one themselves."""
    folder = os.environ.get(CACHE_VARIABLE, "")
    if not folder or settings.indexing.folder:
        return settings
    return evolve(settings, indexing=evolve(settings.indexing, folder=str(Path(folder).absolute())))
