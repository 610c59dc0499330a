"""`vaultseek mcp`: its options, and what it prints for clients."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from lsp_server.cli import mcp, mcp_config
from lsp_server.cli.main import main
from lsp_server.cli.mcp_config import CLIENTS, config_for
from vaults import write

KEYS = {
    "claude": "mcpServers",
    "cursor": "mcpServers",
    "vscode": "servers",
    "codex": "mcp_servers",
    "zed": "context_servers",
}


@pytest.fixture
def vault(tmp_path):
    return write(tmp_path / "my notes", "--- Private/Oak.md\nAn oak.\n--- Elm.md\nAn elm #secret\n")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_gets_its_own_key_absolute_paths_and_all_options(vault, client, capsys, monkeypatch):
    monkeypatch.chdir(vault.parent)
    options = ["--vault", "my notes", "--deny", "Private", "--deny", "#secret", "--exclude", "*.tmp"]
    options += ["--embedding-model", "minilm-l6-v2"]
    assert main(["mcp", *options, "--print-config", client]) == 0
    output = capsys.readouterr().out
    config = tomllib.loads(output) if client == "codex" else json.loads(output)
    entry = config[KEYS[client]]["vaultseek"]
    assert Path(entry["command"]).is_absolute()
    given = entry["args"][entry["args"].index("mcp") + 1 :]
    assert given == ["--vault", str(vault), *options[2:]]


@pytest.mark.skipif(os.name == "nt", reason="a name that Windows does not allow")
def test_any_path_survives_each_format(tmp_path):
    odd = str(tmp_path / 'a "b" \\ c\x7f\n望')
    for client in CLIENTS:
        text = config_for(client, ["mcp", "--vault", odd])
        config = tomllib.loads(text) if client == "codex" else json.loads(text)
        assert config[KEYS[client]]["vaultseek"]["args"][-1] == odd


def test_an_installed_program_is_started_by_its_own_path(tmp_path, monkeypatch):
    program = tmp_path / "vaultseek"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "mcp"])
    assert mcp_config.command() == [str(program)]
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "lsp_server" / "__main__.py"), "mcp"])
    assert mcp_config.command() == [str(Path(sys.executable).absolute()), "-P", "-m", "lsp_server"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--deny", "Privat"],
            "--deny: there is no folder 'Privat'; write it from the vault's root; a tag begins with #",
        ),
        (
            ["--allow", "Work"],
            "--allow: there is no folder 'Work'; write it from the vault's root\n",
        ),
        (["--vault", " "], "--vault: '' is not allowed; allowed is a folder"),
        (["--vault", "/no/such/folder"], "/no/such/folder: the folder does not exist"),
        (["--print-config", "emacs"], "allowed is one of claude, cursor, vscode, codex, zed"),
        (["--limit", "5"], "unknown option: --limit"),
        (["--endpoint", "http://127.0.0.1:1"], "--embedding-model"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_served(vault, options, message, capsys):
    try:
        code = main(["mcp", "--vault", str(vault), *options])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert message in capsys.readouterr().err


def test_without_the_extra_the_command_says_how_to_get_it(vault, capsys, monkeypatch):
    monkeypatch.setattr(mcp, "find_spec", lambda _name: None)
    assert main(["mcp", "--vault", str(vault)]) == 2
    assert "pip install 'vaultseek[mcp]'" in capsys.readouterr().err


def test_a_folder_is_searched_unasked_only_if_it_is_a_vault(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["mcp"]) == 2
    assert "Name a vault with --vault DIR" in capsys.readouterr().err
