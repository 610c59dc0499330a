"""Exceptions become LSP errors: a code, one sentence, and for a parameter its path, its value and what is allowed.

An error never contains a traceback or a path of this machine: those go to the log.
"""

import logging
from pathlib import PurePath

from lsprotocol.types import ErrorCodes, LSPErrorCodes, ResponseError
from pygls.exceptions import JsonRpcException

from lsp_server.wire.plain_text import plain
from search.budget import Cancelled
from search.errors import ConfigError, StoreError, VaultClosed, VaultError, VaultseekError, shorten

logger = logging.getLogger(__name__)

INTERNAL = "Internal error in Vaultseek; see the server's log."
CANCELLED = "The request was cancelled."
CHANGED = "The vault was closed during the request; send it again."


def to_response_error(error: BaseException) -> ResponseError:
    """The answer to a request that raised `error`; an unexpected error is logged and becomes an internal error."""
    match error:
        case ConfigError():
            data = {"field": plain(error.path), "value": shorten(error.value), "allowed": error.allowed}
            return ResponseError(code=ErrorCodes.InvalidParams, message=plain(str(error)), data=data)
        case VaultClosed():
            return ResponseError(code=LSPErrorCodes.ContentModified, message=CHANGED)
        case VaultseekError():
            return ResponseError(code=LSPErrorCodes.RequestFailed, message=plain(_without_path(error)))
        case JsonRpcException():
            return ResponseError(code=error.code, message=error.message)
        case Cancelled():
            return ResponseError(code=LSPErrorCodes.RequestCancelled, message=CANCELLED)
        case _:
            logger.error("A request failed", exc_info=error)
            return ResponseError(code=ErrorCodes.InternalError, message=INTERNAL)


def _without_path(error: VaultseekError) -> str:
    match error:
        case VaultError():
            return f"The vault {PurePath(error.path).name!r} cannot be searched: {error.reason}"
        case StoreError():
            return f"The stored vectors cannot be used: {error.reason}"
        case _:
            return str(error)
