"""What goes wrong, as the client is told: a code, one sentence, and for parameters the field, value and allowed range.

Never a traceback and never a path of this machine: those go to the log.
"""

import logging
from pathlib import PurePath

from lsprotocol.types import ErrorCodes, LSPErrorCodes, ResponseError
from pygls.exceptions import JsonRpcException

from search.budget import Cancelled
from search.errors import ConfigError, VaultError, VaultseekError, shorten

logger = logging.getLogger(__name__)

INTERNAL = "The server failed at this request; its log says more."
CANCELLED = "The request was cancelled."


def to_response_error(error: BaseException) -> ResponseError:
    """The answer to a request that raised `error`; what is not foreseen is logged and answered as an internal error."""
    match error:
        case ConfigError():
            data = {"field": error.path, "value": shorten(error.value), "allowed": error.allowed}
            return ResponseError(code=ErrorCodes.InvalidParams, message=str(error), data=data)
        case VaultError():
            message = f"The vault {PurePath(error.path).name!r} cannot be searched: {error.reason}"
            return ResponseError(code=LSPErrorCodes.RequestFailed, message=message)
        case VaultseekError():
            return ResponseError(code=LSPErrorCodes.RequestFailed, message=str(error))
        case JsonRpcException():
            return ResponseError(code=error.code, message=error.message)
        case Cancelled():
            return ResponseError(code=LSPErrorCodes.RequestCancelled, message=CANCELLED)
        case _:
            logger.error("A request failed", exc_info=error)
            return ResponseError(code=ErrorCodes.InternalError, message=INTERNAL)
