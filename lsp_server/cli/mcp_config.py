"""What to paste into a client's settings so that it starts `vaultseek mcp`, with absolute paths only.

Programs started from a desktop know neither the shell's PATH nor its current folder. Clients differ in the outer key,
and most ignore a wrong one silently:

    claude, cursor  mcpServers           JSON
    vscode          servers              JSON
    zed             context_servers      JSON
    codex           mcp_servers          TOML
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_OUTER = {"claude": "mcpServers", "cursor": "mcpServers", "vscode": "servers", "zed": "context_servers"}
CLIENTS = ("claude", "cursor", "vscode", "codex", "zed")
_FILES = {
    "claude": "claude_desktop_config.json (Settings > Developer > Edit Config), or .mcp.json of a project",
    "cursor": "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
    "vscode": ".vscode/mcp.json, or the command MCP: Open User Configuration",
    "codex": "~/.codex/config.toml",
    "zed": "settings.json (the command zed: open settings)",
}


def config_for(client: str, arguments: Sequence[str]) -> str:
    """The text to paste into the settings of a client, which is one of `CLIENTS`."""
    program, *before = command()
    args = [*before, *arguments]
    if client == "codex":
        return f"[mcp_servers.vaultseek]\ncommand = {_quoted(program)}\nargs = {_quoted(args)}\n"
    entry: dict[str, object] = {"command": program, "args": args}
    if client == "vscode":
        entry = {"type": "stdio", **entry}
    return json.dumps({_OUTER[client]: {"vaultseek": entry}}, indent=2, ensure_ascii=False) + "\n"


def settings_place(client: str) -> str:
    """Where a client, one of `CLIENTS`, keeps its settings, in words."""
    return _FILES[client]


def command() -> list[str]:
    """The command that starts Vaultseek, as an absolute path: of this program, or of Python and its module."""
    started = Path(sys.argv[0])
    if started.stem == "vaultseek" and (found := shutil.which(str(started.absolute())) or shutil.which("vaultseek")):
        return [str(Path(found).absolute())]
    return [str(Path(sys.executable).absolute()), "-P", "-m", "lsp_server"]


def _quoted(value: object) -> str:
    """A text or a list of texts in TOML, whose strings are written as in JSON except for U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
