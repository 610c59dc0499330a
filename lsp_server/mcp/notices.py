"""Notices of an answer as sentences, few and short: a model pays for each of them."""

from collections.abc import Iterable

from lsp_server.mcp.quoting import cut, one_line
from search.notice import Notice

_FOR_MODELS = {  # instead of messages that name a folder of the user's computer
    "store-locked": "",  # a second client is nothing special
    "empty-vault": "There are no notes.",
    "words-unusable": "The user's own word lists are ignored, since they cannot be used.",
}
_MOST = 3
_LONGEST = 160  # characters


def sentences(notices: Iterable[Notice]) -> list[str]:
    """The first notices, and how many there are more."""
    told = (_FOR_MODELS.get(found.code, found.message) for found in notices)
    shown = [cut(one_line(message), _LONGEST) for message in told if message]
    return shown if len(shown) <= _MOST else [*shown[:_MOST], f"{len(shown) - _MOST} more notices."]
