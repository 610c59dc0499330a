"""What to paste into a client's settings so that it starts `vaultseek mcp`, with absolute paths only.

Desktop programs know neither the shell's PATH nor its current folder. A wrong name of the outer key fails silently in
most clients, and each has its own:

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
    """The settings of a client, one of `CLIENTS`."""
    program, *before = command()
    args = [*before, *arguments]
    if client == "codex":
        return f"[mcp_servers.vaultseek]\ncommand = {_quoted(program)}\nargs = {_quoted(args)}\n"
    entry: dict[str, object] = {"command": program, "args": args}
    if client == "vscode":
        entry = {"type": "stdio", **entry}
    return json.dumps({_OUTER[client]: {"vaultseek": entry}}, indent=2, ensure_ascii=False) + "\n"


def place_of(client: str) -> str:
    """Where the client's settings are, in words."""
    return _FILES[client]


def command() -> list[str]:
    """The absolute path of this program, or else of Python with the module that is this program."""
    started = Path(sys.argv[0])
    if started.stem == "vaultseek" and (found := shutil.which(str(started.absolute())) or shutil.which("vaultseek")):
        return [str(Path(found).absolute())]
    return [str(Path(sys.executable).absolute()), "-P", "-m", "lsp_server"]


def _quoted(value: object) -> str:
    """A text or a list of texts in TOML, whose basic strings are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
