"""A vault and engines that search it with a model of a few lines."""

import pytest
from kit.semantic import VAULT

from embedders import WordEmbedder
from search.engine import Engine
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import write


@pytest.fixture
def vault(tmp_path):
    """The folder of the vault."""
    return write(tmp_path / "vault", VAULT)


@pytest.fixture
def make(tmp_path, vault):
    """Makes engines over one vault and one cache. They embed in the background only if a test asks for it."""
    engines = []

    def engine(embedder=None, *, expand=None, **indexing):
        options = {"folder": str(tmp_path / "cache"), "in_background": False, "resume_after_s": 0.0, **indexing}
        settings = Settings(indexing=Indexing(**options))
        engines.append(Engine(vault, settings, embedder=embedder or WordEmbedder(), expand=expand))
        return engines[-1]

    yield engine
    for one in engines:
        one.close()
