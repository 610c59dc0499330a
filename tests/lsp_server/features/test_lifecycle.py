"""Start of the connection."""

import pytest

from lsp_server.features.lifecycle import initialize


@pytest.mark.asyncio
async def test_initialization_options_that_are_no_object_are_kept(client):
    await client.initialize(initializationOptions=[1])
    assert client.server.session.initial_options == [1]
    assert initialize.__name__ == "initialize"
