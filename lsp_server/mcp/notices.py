"""Notices of an answer as sentences, few and short: a model pays for each of them."""

from collections.abc import Iterable

from lsp_server.mcp.quoting import cut, one_line
from search.notice import Notice

_NOT_FOR_MODELS = frozenset(
    {"store-locked"}
)  # a second client is nothing special, and the message names a user's folder
_MOST = 3
_LONGEST = 160  # characters


def sentences(notices: Iterable[Notice]) -> list[str]:
    """The first notices, and how many there are more."""
    shown = [cut(one_line(found.message), _LONGEST) for found in notices if found.code not in _NOT_FOR_MODELS]
    return shown if len(shown) <= _MOST else [*shown[:_MOST], f"{len(shown) - _MOST} more notices."]
