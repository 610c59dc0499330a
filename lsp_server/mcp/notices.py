"""The notices of an answer as sentences, few and short, since the user pays for each token that a model reads."""

from collections.abc import Iterable

from lsp_server.mcp.quoting import cut, one_line
from search.notice import Notice

_FOR_MODELS = {  # instead of messages that name a folder of the user's computer
    "store-locked": "",  # a second program on the same vectors is normal
    "empty-vault": "There are no notes.",
    "words-unusable": "The user's own word lists are ignored, since they cannot be used.",
}
_MAX_NOTICES = 3
_MAX_CHARS = 160  # of a notice


def sentences(notices: Iterable[Notice]) -> list[str]:
    """The first three notices, each on one line, and a sentence that counts the others."""
    told = (_FOR_MODELS.get(found.code, found.message) for found in notices)
    shown = [cut(one_line(message), _MAX_CHARS) for message in told if message]
    return (
        shown if len(shown) <= _MAX_NOTICES else [*shown[:_MAX_NOTICES], f"{len(shown) - _MAX_NOTICES} more notices."]
    )
