"""The notices of an answer as sentences, few and short, since the user pays for each token that a model reads."""

from collections.abc import Iterable

from lsp_server.mcp.quoting import cut, one_line
from search.notice import Notice

# A second program on the same vectors is normal here, and the message names a folder of the user's.
_NOT_FOR_MODELS = frozenset({"store-locked"})
_MAX_NOTICES = 3
_MAX_CHARS = 160  # of a notice


def sentences(notices: Iterable[Notice]) -> list[str]:
    """The first three notices, each on one line, and a sentence that counts the others."""
    shown = [cut(one_line(found.message), _MAX_CHARS) for found in notices if found.code not in _NOT_FOR_MODELS]
    return (
        shown if len(shown) <= _MAX_NOTICES else [*shown[:_MAX_NOTICES], f"{len(shown) - _MAX_NOTICES} more notices."]
    )
