"""The errors of quantizing, and the range of cosines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from search.vectors.cosine import Quantized, cosines, dequantize, inverse_lengths, quantize, row_bytes, unit

FLOATS = st.floats(-1e6, 1e6, width=32, allow_subnormal=True)
MATRICES = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9), elements=FLOATS)


@given(MATRICES)
def test_no_component_is_off_by_more_than_half_a_scale(vectors):
    quantized = quantize(vectors)
    error = np.abs(dequantize(quantized).astype(np.float64) - vectors)
    allowed = quantized.scales.astype(np.float64)[:, None] * (0.5 + 1e-4) + 1e-35
    assert (error <= allowed).all()


@given(MATRICES, st.integers(0, 2**32))
def test_a_dot_product_with_a_unit_query_is_off_by_no_more_than_the_stated_bound(vectors, seed):
    query = unit(np.random.default_rng(seed).standard_normal(vectors.shape[1]).astype(np.float32))
    quantized = quantize(vectors)
    error = np.abs(dequantize(quantized).astype(np.float64) @ query - vectors.astype(np.float64) @ query)
    bound = np.sqrt(vectors.shape[1]) * quantized.scales.astype(np.float64) / 2
    assert (error <= bound * 1.001 + 1e-33).all()


@given(MATRICES, st.integers(0, 2**32))
def test_a_cosine_is_off_by_no_more_than_twice_that_bound_over_the_length(vectors, seed):
    query = unit(np.random.default_rng(seed).standard_normal(vectors.shape[1]).astype(np.float32))
    quantized = quantize(vectors)
    found = cosines(quantized.rows, inverse_lengths(quantized.rows), query)
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1)
    for row in np.flatnonzero((lengths > 0) & (quantized.scales > 0)):
        bound = np.sqrt(vectors.shape[1]) * float(quantized.scales[row]) / lengths[row]
        assert abs(found[row] - exact[row] @ query / lengths[row]) <= bound * 1.001 + 1e-5


@given(MATRICES)
def test_quantizing_twice_changes_nothing(vectors):
    once = quantize(vectors)
    twice = quantize(dequantize(once))
    np.testing.assert_array_equal(once.rows, twice.rows)


@given(MATRICES)
def test_a_vector_and_its_negative_have_the_same_steps(vectors):
    np.testing.assert_array_equal(quantize(vectors).rows, -quantize(-vectors).rows)


@given(MATRICES)
def test_a_cosine_lies_between_minus_one_and_one_and_is_one_with_itself(vectors):
    rows = quantize(vectors).rows
    for row in rows:
        found = cosines(rows, inverse_lengths(rows), unit(row.astype(np.float32)))
        assert (np.abs(found) <= 1).all()
        own = cosines(row[None], inverse_lengths(row[None]), unit(row.astype(np.float32)))
        assert own[0] == pytest.approx(1.0 if row.any() else 0.0, abs=1e-6)


def test_a_zero_vector_has_cosine_zero_to_everything():
    quantized = quantize(np.zeros((2, 3), np.float32))
    assert quantized.scales.tolist() == [0, 0]
    assert cosines(quantized.rows, inverse_lengths(quantized.rows), np.ones(3, np.float32)).tolist() == [0, 0]
    assert unit(np.zeros(3, np.float32)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_query_with_numbers_that_are_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        unit(np.array([1.0, bad], np.float32))


def test_no_vectors_give_no_cosines_and_no_bytes():
    empty = np.empty((0, 4), np.float32)
    assert len(quantize(empty).rows) == 0
    assert cosines(quantize(empty).rows, np.empty(0, np.float32), np.ones(4, np.float32)).shape == (0,)
    assert quantize(empty).to_bytes() == b""
    assert dequantize(Quantized.from_bytes(b"", 4)).shape == (0, 4)


@given(MATRICES)
def test_vectors_come_back_from_bytes_unchanged(vectors):
    quantized = quantize(vectors)
    data = quantized.to_bytes()
    assert len(data) == len(vectors) * row_bytes(vectors.shape[1])
    back = Quantized.from_bytes(data, vectors.shape[1])
    np.testing.assert_array_equal(back.rows, quantized.rows)
    np.testing.assert_array_equal(back.scales, quantized.scales)


def test_a_vector_in_bytes_is_its_scale_in_little_endian_and_then_its_steps():
    assert quantize(np.array([[127.0, -63.6]], np.float32)).to_bytes() == b"\x00\x00\x80\x3f\x7f\xc0"
