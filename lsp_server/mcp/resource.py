"""The resource `vaultseek://note/PATH`: one note by its path; notes are not listed, since a vault has thousands.

With several vaults, PATH begins with the vault's name.
"""

from urllib.parse import unquote

from lsp_server.mcp.catalogue import Refusal, call
from lsp_server.mcp.vaults import SCHEME, Vaults
from search.budget import Budget

TEMPLATE = SCHEME + "{+path}"
_MAX_TOKENS = 7_500  # clients cut longer resources silently


def read(vaults: Vaults, uri: str, budget: Budget) -> str | Refusal:
    """The text of a note with line numbers, cut if it is long; or why there is none. Raises as `call`."""
    if not uri.startswith(SCHEME):
        return Refusal(f"uri must begin with {SCHEME}")
    path = unquote(uri.removeprefix(SCHEME))
    vault = {}
    if len(vaults.all) > 1:
        name, _, path = path.partition("/")
        if name not in vaults.names:
            return Refusal(
                f"the path after {SCHEME} must begin with a vault, which is one of {', '.join(vaults.names)}"
            )
        vault = {"vault": name}
    answer = call(vaults, "read_note", {"path": path, "max_tokens": _MAX_TOKENS, **vault}, budget)
    return answer if isinstance(answer, Refusal) else answer.text
