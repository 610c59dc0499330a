"""Start of the connection."""

import pytest

from lsp_server.features.lifecycle import initialize


@pytest.mark.asyncio
async def test_options_of_an_odd_shape_are_kept_for_later(client):
    await client.initialize(initializationOptions=[1])
    assert client.server.session.initial_options == [1]
    assert initialize.__name__ == "initialize"
