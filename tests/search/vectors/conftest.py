"""A fixture that opens stores and closes them after the test."""

import pytest

from search.vectors.store import VectorStore


@pytest.fixture
def open_store():
    """Opens the store in a folder; keyword arguments replace the usual options."""
    opened = []

    def open_one(folder, **changed):
        options = {"model": "trees@1", "n_dimensions": 4, "chunker": "1"}
        opened.append(VectorStore.open(folder, **(options | changed)))
        return opened[-1]

    yield open_one
    while opened:
        opened.pop().close()
