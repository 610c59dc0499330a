"""Notices of an answer as sentences, few and short: a model pays for each of them."""

from collections.abc import Iterable

from lsp_server.mcp.quoting import cut, one_line
from search.notice import Notice

_MOST = 3
_LONGEST = 160  # characters


def sentences(notices: Iterable[Notice]) -> list[str]:
    """The first notices, and how many there are more."""
    found = [cut(one_line(notice.message), _LONGEST) for notice in notices]
    return found if len(found) <= _MOST else [*found[:_MOST], f"{len(found) - _MOST} more notices."]
