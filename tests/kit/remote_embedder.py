"""A remote embedder for tests: its key, some texts, and a retry policy that does not sleep."""

import numpy as np

from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.retry_policy import RetryPolicy
from tests.kit.fake_endpoint import hashed

KEY = "sk-canary-0123456789"
TEXTS = [f"note number {word}" for word in ("oak", "elm", "ash", "fir", "yew", "box", "bay")]


class Naps:
    """Counts the seconds that would have been slept."""

    def __init__(self):
        self.total = 0.0

    def __call__(self, seconds):
        """Do not sleep."""
        self.total += seconds


def open_embedder(fake, *, key=KEY, naps=None, **options) -> RemoteEmbedder:
    """An embedder behind a fake endpoint; `options` are settings of the endpoint."""
    endpoint = Endpoint(base_url=fake.base_url, model="fake", key_variable="MY_KEY", **options)
    return RemoteEmbedder(Connection.to(endpoint, key), RetryPolicy(sleep=naps or Naps()))


def cosine_to(vector, text) -> float:
    """The cosine of a vector and the fake endpoint's vector for a text."""
    return float(vector @ np.array(hashed(text), np.float32))
