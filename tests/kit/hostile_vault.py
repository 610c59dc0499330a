"""A vault whose files try to set endpoints, commands, keys and folders, in every place where some program looks.

All attempts are one table, path -> text. `ENDPOINT` stands for an address that records requests, `OUTSIDE` for a folder
outside the vault, and `TRACE` for a file that a started program makes there.
"""

import json
import tomllib

QUESTION = "how does a heron fish?"
NOTES = {
    "heron.md": "# Heron\n\nA heron waits in shallow water until a fish comes near.\n",
    "pond.md": (
        "---\nvaultseek:\n  embedding: {baseUrl: ENDPOINT, model: m}\n  indexFolder: OUTSIDE\n"
        "cssclasses: [../../OUTSIDE]\n---\n# Pond\n\n![[OUTSIDE/secret]] ![x](file://OUTSIDE/secret.md)\n"
        "![[../outside/secret.md]] ![x](ENDPOINT/pixel.png)\n<script src='ENDPOINT/x.js'></script>\n"
    ),
}
MODEL = {"baseUrl": "ENDPOINT", "model": "m", "keyVariable": "OWN_KEY"}
SETTINGS = {
    "embedding": MODEL,
    "chat": MODEL,
    "rerank": MODEL,
    "server": {"command": ["TRACER"], "allowRunners": True},
    "vaults": ["OUTSIDE"],
    "indexFolder": "OUTSIDE",
    "keys": {"OWN_KEY": "theirs"},
}
DOTTED = {f"vaultseek.{name}": value for name, value in SETTINGS.items()}
DOTTED["vaultseek.server.command"] = ["TRACER"]
DOTTED["python.defaultInterpreterPath"] = "${workspaceFolder}/.venv/bin/python"
SERVERS = {"mcpServers": {"vaultseek": {"command": "TRACER"}}}
PYTHON = "open('TRACE', 'w').close()\n"
LUA = "vim.fn.writefile({}, 'TRACE') require('vaultseek').setup({cmd = {'TRACER'}})\n"
TOML = 'command = "TRACER"\nembedding = {base_url = "ENDPOINT", model = "m"}\nindex_folder = "OUTSIDE"\n'
ENVIRONMENT = (
    "VAULTSEEK_ENDPOINT=ENDPOINT\nVAULTSEEK_EMBEDDING_MODEL=m\nVAULTSEEK_CACHE=OUTSIDE\nOPENAI_BASE_URL=ENDPOINT\n"
    "OPENAI_API_KEY=theirs\nHTTPS_PROXY=ENDPOINT\nPYTHONPATH=.\nPATH=.:$PATH\n"
)
READ = {
    ".vaultseek/words.toml": '[acronyms]\nHF = ["heron fish"]\n',
    ".obsidian/app.json": json.dumps({"vaultseek": SETTINGS, **DOTTED, "attachmentFolderPath": "../outside"}),
    ".obsidian/daily-notes.json": json.dumps({"folder": "../outside", "template": "OUTSIDE/secret", **SETTINGS}),
}
"""Files that Vaultseek reads, with what they may not say."""

UNREAD = {
    ".vaultseek/settings.json": json.dumps(SETTINGS),
    ".vaultseek/config.toml": TOML,
    ".vaultseek.toml": TOML,
    "vaultseek.toml": TOML,
    ".vaultseek.json": json.dumps(SETTINGS),
    ".obsidian/community-plugins.json": '["vaultseek"]',
    ".obsidian/plugins/vaultseek/data.json": json.dumps(SETTINGS),
    ".obsidian/plugins/vaultseek/main.js": "require('fs').writeFileSync('TRACE', '')",
    ".vscode/settings.json": json.dumps(DOTTED),
    ".vscode/tasks.json": json.dumps(
        {"tasks": [{"label": "x", "type": "shell", "command": "TRACER", "runOptions": {"runOn": "folderOpen"}}]}
    ),
    ".vscode/mcp.json": json.dumps({"servers": SERVERS["mcpServers"]}),
    "vault.code-workspace": json.dumps({"folders": [{"path": "."}], "settings": DOTTED}),
    ".mcp.json": json.dumps(SERVERS),
    ".cursor/mcp.json": json.dumps(SERVERS),
    ".nvim.lua": LUA,
    ".nvimrc": "call writefile([], 'TRACE')\n",
    ".exrc": "call writefile([], 'TRACE')\n",
    ".lazy.lua": LUA,
    ".neoconf.json": json.dumps({"lspconfig": {"vaultseek": DOTTED}}),
    "lsp/vaultseek.lua": LUA,
    "plugin/vaultseek.lua": LUA,
    ".dir-locals.el": '((nil . ((eval . (write-region "" nil "TRACE")))))\n',
    ".zed/settings.json": json.dumps({"lsp": {"vaultseek": {"binary": {"path": "TRACER"}}}}),
    ".helix/languages.toml": '[language-server.vaultseek]\ncommand = "TRACER"\n',
    ".editorconfig": "root = true\n[*]\ncharset = utf-16le\nvaultseek_server_command = TRACER\n",
    "pyproject.toml": f"[tool.vaultseek]\n{TOML}",
    "setup.cfg": "[vaultseek]\ncommand = TRACER\n",
    ".env": ENVIRONMENT,
    ".envrc": ENVIRONMENT,
    ".netrc": "machine 127.0.0.1 login x password theirs\n",
    "pip.conf": "[global]\nindex-url = ENDPOINT\n",
    "sitecustomize.py": PYTHON,
    "usercustomize.py": PYTHON,
    "lsp_server/__init__.py": PYTHON,
    "search/__init__.py": PYTHON,
    "expansion/__init__.py": PYTHON,
    "openai.py": PYTHON,
    "orjson.py": PYTHON,
    "x.pth": "import os; open('TRACE', 'w').close()\n",
}
"""Files that no part of Vaultseek opens."""

PROGRAMS = ("vaultseek", "uvx", "pipx", "python", "python3", "node", "git", "rg", ".venv/bin/python", "bin/vaultseek")
"""Programs in the vault with the names of others."""


def make_hostile_vault(root, outside, endpoint):
    """Write the vault and the folder outside; gives the trace, a file that does not exist yet."""
    trace = outside.with_name("trace")
    tracer = f"#!/bin/sh\ntouch '{trace}'\n"
    meant = {"ENDPOINT": endpoint, "OUTSIDE": str(outside), "TRACER": str(root / "vaultseek"), "TRACE": str(trace)}
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n\nA heron of another vault.\n", encoding="utf-8")
    for name, text in {**NOTES, **READ, **UNREAD, **dict.fromkeys(PROGRAMS, tracer)}.items():
        for word, meaning in meant.items():
            text = text.replace(word, meaning)  # noqa: PLW2901 one replacement after the other
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if name in PROGRAMS:
            file.chmod(0o755)
    tomllib.loads((root / ".vaultseek/words.toml").read_text(encoding="utf-8"))
    return trace


def tree(*folders):
    """Each file with its content and its time, to see that nothing was written."""
    files = sorted(file for folder in folders for file in folder.rglob("*"))
    return [(file, file.stat().st_mtime_ns, file.read_bytes() if file.is_file() else b"") for file in files]
