"""The embedders that run on this machine, by their names in the settings. Opening one loads nothing."""

from collections.abc import Callable, Mapping

from search.ports import Embedder
from search.providers.e5 import open_e5
from search.providers.minilm import open_minilm

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {
    "minilm-l6-v2": open_minilm,
    "multilingual-e5-small": open_e5,
}


def open_embedder(name: str) -> Embedder:
    """The embedder with this name; KeyError if `EMBEDDERS` does not have it."""
    return EMBEDDERS[name]()
