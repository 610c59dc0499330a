"""A vault with a cache and a user's folder of its own, commands over it, and an endpoint that follows a script."""

import pytest

from lsp_server.cli import main
from tests.kit.fake_endpoint import chat
from tests.kit.fake_endpoint import serve as serve_fake
from tests.lsp_server.config.endpoints import KEY, PASSAGE
from vaults import write

HOME = """
--- Bread.md
Feed the sourdough starter with flour every evening.
--- Router.md
Hold the reset button for ten seconds, then log in.
--- Tax.md
The return is due in July.
"""
BAKERY = """--- Bread.md
# Bread
flour and flour and flour
--- Cake.md
# Cake
flour, and a spoon of sugar
--- Scale.md
The Kitchen Scale (KS) is broken.
"""


@pytest.fixture
def _openai():
    pytest.importorskip("openai", reason="the extra `remote` is not installed")


@pytest.fixture
def fake():
    with serve_fake() as endpoint:
        endpoint.reply = lambda _query: PASSAGE  # also for query rewriting
        endpoint.rule = lambda asked: chat("sourdough\nbread") if "terms" in str(asked.body.get("messages")) else None
        yield endpoint


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The vault HOME, and a key in the environment."""
    return _vault(HOME, tmp_path, monkeypatch)


@pytest.fixture
def bakery(tmp_path, monkeypatch):
    """The vault BAKERY, likewise."""
    return _vault(BAKERY, tmp_path, monkeypatch)


def _vault(notes, tmp_path, monkeypatch):
    write(tmp_path / "vault", notes)
    (tmp_path / "vault" / ".obsidian").mkdir()
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MY_KEY", KEY)
    return tmp_path / "vault"


@pytest.fixture
def run(root, capsys):
    """Run a command over the vault; gives the exit code, the output and the errors."""
    return lambda *arguments: _run(root, capsys, *arguments)


@pytest.fixture
def run_by_words(bakery, capsys):
    """Run a command over BAKERY that searches by words alone; gives the exit code, the output and the errors."""
    return lambda *arguments: _run(bakery, capsys, *arguments, "--mode", "keyword")


def _run(root, capsys, *arguments):
    code = main.main([*arguments, "--vault", str(root)])
    return code, *capsys.readouterr()
