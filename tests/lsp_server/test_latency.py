"""The durations that the status and the doctor report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.latency import quantile


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.5, 0.0), ([7.0], 0.0, 7.0), ([7.0], 1.0, 7.0), ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0), (range(1, 101), 0.95, 95)],
)
def test_a_quantile_is_a_value_that_was_measured(values, share, expected):
    assert quantile(values, share) == expected


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.floats(0.01, 1.0))
def test_a_quantile_is_the_smallest_value_that_covers_its_share(values, share):
    """No smaller value covers that share. The tolerance allows for the rounding of `share` times n."""
    found = quantile(values, share)
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    assert sum(value < found for value in values) < share * len(values) + 1e-9
