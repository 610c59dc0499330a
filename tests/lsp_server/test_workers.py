"""Work in the server's threads at its end."""

import pytest

from lsp_server.workers import Workers
from search.budget import Cancelled


@pytest.mark.asyncio
async def test_work_that_comes_when_the_server_ends_is_cancelled():
    """A client that closes its pipe may have sent more requests; none of them is a bug of the server."""
    workers = Workers()
    assert await workers.run(lambda _budget: 5) == 5
    workers.close()
    with pytest.raises(Cancelled):
        await workers.run(lambda _budget: 5)
