"""The folder that `make standalone` makes, as on a machine without Python: no PATH, no packages, no project."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from kit.attachments import docx, pdf
from kit.pictures import jpeg

from tests.e2e.conftest import ROOT, Pipes

FOLDER = Path(os.environ.get("VAULTSEEK_STANDALONE") or ROOT / "no such folder").absolute()
HANDBOOK = ROOT / "vault_fixtures/handbook"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no standalone program was made")

HELLO = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture(scope="module")
def away(tmp_path_factory):
    """A folder with nothing in it, and an environment without programs."""
    folder = tmp_path_factory.mktemp("away")
    kept = {
        name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMP") if name in os.environ
    }  # Windows needs them
    return {"cwd": folder, "env": {**kept, "VAULTSEEK_CACHE": str(folder / "cache"), "PYTHONUTF8": "1"}}


@pytest.fixture(scope="module")
def program():
    return str(FOLDER / ("vaultseek.exe" if sys.platform == "win32" else "vaultseek"))


@pytest.fixture
def run(program, away):
    """Run a command; the process, whose output is text."""

    def runner(*arguments, given=None):
        return subprocess.run(
            [program, *map(str, arguments)], **away, input=given, capture_output=True, encoding="utf-8", check=False
        )

    return runner


def ids(ran):
    assert ran.returncode == 0, ran.stderr
    return [result["id"] for result in json.loads(ran.stdout)["results"]]


def test_the_folder_is_at_most_60_mb_packed(tmp_path):
    packed = Path(shutil.make_archive(str(tmp_path / "vaultseek"), "xztar", FOLDER.parent, FOLDER.name))
    assert packed.stat().st_size <= 60_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the libraries need them")
def test_the_folder_has_no_links_which_an_archive_would_store_as_copies():
    assert not [path for path in FOLDER.rglob("*") if path.is_symlink()]


def test_it_says_its_version(run):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert run("--version").stdout == f"vaultseek {version}\n"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("limit switch ice", "Daily/2026-04-10.md"),
        ("lightnnig", "Handbook/Safety/Lightning.md"),  # a typo
        ("/light+ning/", "Handbook/Safety/Lightning.md"),
    ],
)
def test_a_search_finds_by_words_with_typos_and_by_a_pattern(run, query, found):
    assert found in ids(run("search", query, "--vault", HANDBOOK, "--json"))


def test_notes_that_need_rare_packages_are_read(run, tmp_path):
    (tmp_path / "old.md").write_bytes("# Café\n\nUne tasse de thé à la menthe.\n".encode("cp1252"))
    (tmp_path / "escaped.md").write_text('---\naliases:\n  - "qu\\u0061gga"\n---\ntext\n', encoding="utf-8")
    assert ids(run("search", "menthe", "--vault", tmp_path, "--json", "--mode", "keyword")) == ["old.md"]
    assert ids(run("search", "quagga", "--vault", tmp_path, "--json", "--mode", "keyword")) == ["escaped.md"]


def test_attachments_are_parsed_by_the_program_itself(run, tmp_path):
    (tmp_path / "yields.pdf").write_bytes(pdf("acorns of an oak"))
    (tmp_path / "minutes.docx").write_bytes(docx("The squirrels met."))
    (tmp_path / "pier.jpg").write_bytes(jpeg(comment="frozen harbour"))
    ran = run("index", "--vault", tmp_path)  # waits until all are parsed, as no search does
    assert ran.returncode == 0, ran.stderr
    for query, file in (("acorns", "yields.pdf"), ("squirrels", "minutes.docx"), ("harbour", "pier.jpg")):
        assert ids(run("search", query, "--vault", tmp_path, "--json", "--mode", "keyword")) == [file]


def test_an_index_is_made_with_the_built_in_model(run, garden):
    ran = run("index", "--vault", garden)
    assert ran.returncode == 0, ran.stderr
    by_meaning = ids(run("search", "moisten the flower", "--mode", "vector", "--vault", garden, "--json"))
    assert by_meaning[0] in {"plants/orchid.md", "watering.md"}
    report = run("doctor", "--vault", garden).stdout
    assert "as a standalone program; update: replace the folder " in report


def test_an_endpoint_is_asked(run, garden):
    """Nothing listens on this port, which only the client of the extra `remote` can find out."""
    options = ("--endpoint", "http://127.0.0.1:9/v1", "--embedding-model", "words")
    ran = run("search", "orchid", "--vault", garden, *options)
    assert ran.returncode == 0
    assert "pip install" not in ran.stderr
    assert "127.0.0.1:9" in ran.stderr


def test_an_editor_is_served(program, away, garden):
    pipes = Pipes(command=[program, "serve"], **away)
    assert pipes.initialize(garden)["serverInfo"]["name"] == "vaultseek"
    found = pipes.ask("vaultseek/search", {"query": "orchid"})["result"]["results"]
    assert found[0]["id"] == "plants/orchid.md"
    assert pipes.leave() == (0, "")


def test_an_assistant_is_served(run, garden):
    call = {"method": "tools/call", "params": {"name": "search", "arguments": {"query": "orchid"}}}
    messages = [{"id": 1, **HELLO}, {"method": "notifications/initialized"}, {"id": 2, **call}]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    ran = run("mcp", "--vault", garden, given=lines)
    assert ran.returncode == 0, ran.stderr
    hello, *_ = map(json.loads, ran.stdout.splitlines())
    assert hello["result"]["serverInfo"]["name"] == "vaultseek"


def test_the_settings_of_an_assistant_name_the_program(run, program, garden):
    settings = json.loads(run("mcp", "--vault", garden, "--print-config", "claude").stdout)
    assert settings["mcpServers"]["vaultseek"]["command"] == program


def test_every_package_in_the_folder_comes_with_its_licence():
    given = {path.name for path in (FOLDER / "_internal/licences").iterdir()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["mcp"], "pypdfium2"]
    assert {"python", "vaultseek", *(line.partition(">")[0] for line in named)} <= given
