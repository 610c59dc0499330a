"""The entries for registries of editors agree with the package; configurations in docs/editors.md can be read."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from search.ids import FILE_TYPES, OPENED_EXTENSIONS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEOVIM = ROOT / "editor-client/neovim"
SUBMIT = NEOVIM / "submit"
LUA = [NEOVIM / "lsp/vaultseek.lua", SUBMIT / "nvim-lspconfig/lsp/vaultseek.lua"]
EDITORS = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
SERVE = ["vaultseek", "serve"]


def strings_of(path, key):
    """The texts in a list `key = { ... }` of a Lua file."""
    (inner,) = re.findall(rf"^  {key} = \{{(.*?)\}}", path.read_text(encoding="utf-8"), re.MULTILINE)
    return re.findall(r"""["']([^"']*)["']""", inner)


def blocks(language, title):
    """The blocks in one section of docs/editors.md."""
    section = EDITORS.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@pytest.mark.parametrize("path", LUA, ids=lambda path: path.relative_to(NEOVIM).parts[0])
def test_the_configurations_for_neovim_start_the_package_s_command(path):
    command, serve = strings_of(path, "cmd")
    assert command in PROJECT["scripts"]
    assert serve == "serve"
    assert strings_of(path, "filetypes") == ["markdown"]
    assert strings_of(path, "root_markers") == [".obsidian"]
    assert path.stem == PROJECT["name"]


def test_the_entry_of_the_mason_registry_agrees_with_the_package():
    path = SUBMIT / "mason-registry/packages/vaultseek/package.yaml"
    name = PROJECT["name"]
    assert path.parent.name == name
    assert yaml.safe_load(path.read_text(encoding="utf-8")) == {
        "name": name,
        "description": PROJECT["description"],
        "homepage": PROJECT["urls"]["Homepage"],
        "licenses": [PROJECT["license"]],
        "languages": ["Markdown"],
        "categories": ["LSP"],
        "source": {"id": f"pkg:pypi/{name}@VERSION"},
        "bin": dict.fromkeys(PROJECT["scripts"], f"pypi:{name}"),
        "neovim": {"lspconfig": name},
    }


def test_the_configuration_for_helix_is_toml_that_uses_the_server_it_defines():
    (block,) = blocks("toml", "Helix")
    found = tomllib.loads(block)
    server = found["language-server"]["vaultseek"]
    assert [server["command"], *server["args"]] == SERVE
    (language,) = found["language"]
    assert language["name"] == "markdown"
    assert "vaultseek" in language["language-servers"]


@pytest.mark.parametrize(
    ("title", "group", "name"),
    [
        ("Kate", "servers", "markdown"),
        ("Sublime Text, with LSP", "clients", "vaultseek"),
    ],
)
def test_the_configurations_for_kate_and_sublime_text_are_json(title, group, name):
    (block,) = blocks("json", title)
    assert json.loads(block)[group][name]["command"] == SERVE


def test_each_client_names_the_version_of_the_project():
    """They compare it with the server's and say which of the two to update."""
    version = PROJECT["version"]
    clients = ROOT / "editor-client"
    assert f'M.own = "{version}"' in (clients / "neovim/lua/vaultseek/version.lua").read_text(encoding="utf-8")
    for manifest in ("vscode/package.json", "obsidian/manifest.json"):
        assert json.loads((clients / manifest).read_text(encoding="utf-8"))["version"] == version


def test_the_panels_name_every_type_of_file_that_is_no_note():
    text = (ROOT / "editor-client/shared/kinds.ts").read_text(encoding="utf-8")
    (listed,) = re.findall(r"FILE_TYPES: readonly string\[\] = (\[[^\]]*\])", text)
    assert json.loads(listed) == list(FILE_TYPES)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("editor-client/shared/documents.ts", r"new Set\(\s*`([^`]*)`"),
        ("editor-client/neovim/lua/vaultseek/open.lua", r"\(\[\[(.*?)\]\]\):gmatch"),
    ],
)
def test_all_clients_hand_the_same_types_of_files_to_the_system(path, pattern):
    (found,) = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)
    assert [f".{extension}" for extension in found.split()] == [*OPENED_EXTENSIONS]
