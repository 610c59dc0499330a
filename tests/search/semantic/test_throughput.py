"""How long the rest of the embedding takes, as estimated from recent measurements."""

import pytest

from search.semantic.note_embedder import Throughput


def test_the_time_is_unknown_before_anything_was_embedded():
    throughput = Throughput()
    assert throughput.seconds_for(3) is None
    assert throughput.seconds_for(0) == 0.0


def test_a_measurement_without_text_does_not_count():
    throughput = Throughput()
    throughput.add(0, 7.0)
    assert throughput.seconds_for(1) is None


def test_the_time_is_proportional_to_the_length_of_the_text():
    throughput = Throughput()
    throughput.add(4, 2.0)
    assert throughput.seconds_for(6) == 3.0


def test_old_measurements_lose_half_their_weight_with_each_new_one():
    throughput = Throughput()
    for _ in range(20):
        throughput.add(300_000, 600.0)
    throughput.add(300_000, 60.0)
    assert throughput.seconds_for(300_000) == pytest.approx(330.0, rel=1e-4)
