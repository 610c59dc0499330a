"""How long the rest will take."""

from search.semantic.throughput import Throughput


def test_nothing_is_known_before_anything_was_embedded():
    pace = Throughput()
    assert pace.seconds_for_chunks(3) is None
    assert pace.seconds_for_chunks(0) == 0.0


def test_what_embeds_nothing_says_nothing():
    pace = Throughput()
    with pace.measuring(lambda: 7):
        pass
    assert pace.seconds_for_chunks(1) is None


def test_old_measurements_count_half_again_and_again():
    pace, n_chunks = Throughput(), [0]
    for _ in range(20):
        with pace.measuring(lambda: n_chunks[0]):
            n_chunks[0] += 100
    assert pace._n_chunks < 700
    seconds = pace.seconds_for_chunks(10)
    assert seconds is not None
    assert seconds > 0.0
