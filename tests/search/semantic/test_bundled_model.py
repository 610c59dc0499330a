"""Semantic search with the model that is part of the package."""

import socket

import pytest

from search.answer.trail import Found
from search.engine import open_engine
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ids, search, write

pytestmark = pytest.mark.slow

VAULT = """
--- Bread.md
Feed the sourdough starter with flour every evening and keep it in a warm spot.
--- Router.md
Hold the reset button for ten seconds, then log in to the admin page.
--- Tax.md
The return is due at the end of July; receipts are in the blue folder.
"""


@pytest.fixture(scope="module")
def handbook(tmp_path_factory):
    """An engine over a small vault."""
    cache = tmp_path_factory.mktemp("cache")
    settings = Settings(
        indexing=Indexing(folder=str(cache), in_background=False, patience_s=60.0, patience_alone_s=60.0)
    )
    engine = open_engine(write(tmp_path_factory.mktemp("real"), VAULT), settings)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("wifi stopped working", "Router.md"),
        ("baking yeast dough", "Bread.md"),
        ("when must I declare my income", "Tax.md"),
    ],
)
def test_the_bundled_model_answers_questions_that_keywords_cannot(handbook, question, note):
    assert ids(search(handbook, question))[:1] == [note]
    found = search(handbook, question).hits[0].hit
    assert any(isinstance(step, Found) and step.source == "semantic" for step in found.trail)


def test_without_configuration_no_socket_is_opened(handbook, monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    handbook.open_buffer("New.md", "A text that was never embedded.")
    assert search(handbook, "wifi stopped working").mode == "hybrid"
    assert handbook.maintenance().rebuild() == 4
    handbook.close_buffer("New.md")
