"""The tools in the order in which they are listed, and the call of one by its name.

Whatever a client sends, a call returns an answer, or a refusal of one sentence.
"""

import sys
from collections.abc import Mapping, Sequence

from attrs import frozen

from lsp_server.mcp.parameters import Arguments, Parameter, checked, input_schema
from lsp_server.mcp.quoting import cut, escaped_line
from lsp_server.mcp.tool import Answer, Tool
from lsp_server.mcp.tools.build_context import BUILD_CONTEXT
from lsp_server.mcp.tools.explain_result import EXPLAIN_RESULT
from lsp_server.mcp.tools.read_note import READ_NOTE
from lsp_server.mcp.tools.related_notes import RELATED_NOTES
from lsp_server.mcp.tools.search_notes import SEARCH_NOTES
from lsp_server.mcp.tools.vault_status import VAULT_STATUS
from lsp_server.mcp.vaults import ServedVault, Vaults
from search.budget import Budget
from search.errors import VaultError, VaultseekError, did_you_mean, shorten

TOOLS: tuple[Tool, ...] = (SEARCH_NOTES, READ_NOTE, BUILD_CONTEXT, RELATED_NOTES, EXPLAIN_RESULT, VAULT_STATUS)
_MAX_SENTENCE = 600  # characters of a refusal


@frozen
class Refusal:
    """Why there is no answer, in one sentence that a model can act on."""

    sentence: str


def parameters_of(tool: Tool, vaults: Sequence[str]) -> tuple[Parameter, ...]:
    """The tool's parameters; with several `vaults` (names) also `vault`, which must be one of them."""
    if len(vaults) == 1:
        return tool.parameters
    return (*tool.parameters, Parameter(name="vault", is_required=True, choices=tuple(vaults)))


def schema_of(tool: Tool, vaults: Sequence[str]) -> dict[str, object]:
    """The JSON schema of the tool's arguments."""
    return input_schema(parameters_of(tool, vaults))


def call(vaults: Vaults, name: str, given: Mapping[str, object], budget: Budget) -> Answer | Refusal:
    """Call the tool `name` with the arguments that a client has given, which are not checked yet.

    An unknown tool, arguments that are not allowed, an unreadable vault and bugs give a refusal.

    Raises:
        Cancelled: the budget was cancelled.
    """
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    try:
        if tool is None:
            names = [known.name for known in TOOLS]
            near = did_you_mean(name, names) or f"; allowed is one of {', '.join(names)}"
            raise VaultseekError(f"there is no tool {shorten(name)}{near}")  # noqa: TRY301 - one place makes failures
        arguments = checked(parameters_of(tool, vaults.names), given)
        return tool.run(_vault(vaults, arguments), arguments, budget)
    except VaultError as error:
        return _refusal(f"the vault's folder cannot be read now: {error.reason}; tell the user, and try again later")
    except VaultseekError as error:
        return _refusal(str(error))
    except Exception as error:  # noqa: BLE001 - a bug in one call must not end the server
        sys.stderr.write(f"vaultseek: internal error in {name[:40]!r}: {type(error).__name__}: {error}\n")
        return _refusal(f"internal error ({type(error).__name__}); try other arguments")


def _vault(vaults: Vaults, arguments: Arguments) -> ServedVault:
    return vaults.named(str(arguments.values.get("vault") or ""))


def _refusal(sentence: str) -> Refusal:
    return Refusal(cut(escaped_line(sentence), _MAX_SENTENCE))
