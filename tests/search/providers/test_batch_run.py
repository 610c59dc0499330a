"""Runs over many texts: halving batches, splitting texts and giving up, without a network."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.budget import UNLIMITED
from search.providers.batches import PROBE, BatchRun, mean_of, split_in_half
from search.providers.failure import Failure, FailureKind


@given(st.text(min_size=1))
def test_both_parts_together_are_the_text(text):
    assert "".join(split_in_half(text)) == text


@pytest.mark.parametrize("whole", ["e\u0301", "👩\u200d🚀", "👍\U0001f3fd", "\ud83d\ude00", "☀\ufe0f"])
def test_character_of_several_code_points_is_not_split(whole):
    text = "a" + whole + "b" * (len(whole) - 1)
    assert whole in split_in_half(text)[0] or whole in split_in_half(text)[1]


def test_character_of_very_many_code_points_is_split():
    first, second = split_in_half("a" + "\u0301" * 100)
    assert first
    assert second


def test_vectors_that_cancel_each_other_have_no_mean():
    assert mean_of([np.array([1, 0], np.float32), np.array([-1, 0], np.float32)], [5, 5]) == (
        "the endpoint's vector for it is zero"
    )


@given(
    st.lists(st.sampled_from(["good", "bad", "nan", "", "long " * 20, "hopeless" * 20]), max_size=20),
    st.integers(1, 8),
    st.integers(1, 8),
)
@settings(max_examples=100, deadline=None)
def test_each_text_ends_up_with_a_vector_or_a_reason(texts, batch_size, server_limit):
    def ask(batch):
        if len(batch) > server_limit:
            return Failure(FailureKind.SIZE, "too many")
        if any(len(text) > 50 or "hopeless" in text for text in batch):
            return Failure(FailureKind.SIZE, "too long")
        if "bad" in batch:
            return Failure(FailureKind.REFUSED, "bad")
        return ["not a number" if text == "nan" else np.array([1.0], np.float32) for text in batch]

    run = BatchRun(texts, ask, batch_size=batch_size)
    run.run(UNLIMITED)
    assert run.failure is None
    assert set(run.vectors) == {at for at, text in enumerate(texts) if text in {"good", "long " * 20}}
    assert sorted([*run.vectors, *(missing.position for missing in run.missing)]) == list(range(len(texts)))


@pytest.mark.parametrize("kind", list(FailureKind))
def test_endpoint_that_always_fails_ends_the_run(kind):
    asked = []

    def ask(batch):
        asked.append(batch)
        return Failure(kind, "no")

    run = BatchRun(["oak " * 20] * 100, ask, batch_size=4)
    run.run(UNLIMITED)
    assert run.failure is not None
    assert len(run.missing) == 100
    assert len(asked) < 15
    assert (asked[-1] == [PROBE]) is (kind in {"size", "refused", "broken", "slow"})
