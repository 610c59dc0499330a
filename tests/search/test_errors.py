"""Errors of the public tree."""

import copy
import pickle

import pytest

from search.errors import ConfigError, ProviderError, StoreError, UnknownName, VaultClosed, VaultError, VaultseekError


@pytest.mark.parametrize("remade", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy])  # noqa: S301 our own
@pytest.mark.parametrize(
    "error",
    [
        VaultseekError("text"),
        ConfigError("limit", 0, "a whole number"),
        UnknownName("server.mod", ["mode"]),
        VaultError("/notes", "the folder does not exist"),
        VaultClosed("/notes"),
        StoreError("vectors", 3, "too short"),
        ProviderError("words", "no answer", is_retriable=True),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_reaches_another_process_with_its_text_and_fields(error, remade):
    other = remade(error)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
