"""Exceptions as LSP errors."""

import pytest

from lsp_server.errors import to_response_error
from search.errors import ConfigError, ProviderError, VaultError

EVIL = "no\x1b[31m\x9b"


@pytest.mark.parametrize(
    "error",
    [
        ConfigError(f"pipeline.{EVIL}", EVIL, "text"),
        VaultError(EVIL, EVIL),
        ProviderError(EVIL, EVIL, is_retriable=False),
    ],
)
def test_an_error_has_no_control_characters(error):
    sent = to_response_error(error)
    texts = [sent.message, *(sent.data or {}).values()]
    assert not any(char in text for text in texts for char in "\x1b\x9b")
