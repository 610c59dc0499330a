"""The fake endpoint that the tests of providers ask."""

import pytest

from tests.kit.fake_endpoint import serve


@pytest.fixture
def fake():
    pytest.importorskip("openai", reason="the extra `remote` is not installed")
    with serve() as endpoint:
        yield endpoint
