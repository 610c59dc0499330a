"""The encoder against the formulas of the paper, written out in double precision."""

import math

import numpy as np
import pytest

from search.providers.bert import Encoder, Norm, _gelu, read_layer

WIDTH, INNER, HEADS, LAYERS = 12, 20, 3, 2
PARTS = ("q", "k", "v", "out", "out_norm", "wide", "narrow", "narrow_norm")
SHAPES = {"wide": (INNER, WIDTH), "narrow": (WIDTH, INNER)}


@pytest.fixture(scope="module")
def tensors():
    random = np.random.default_rng(5)
    found = {"words": random.normal(size=(50, WIDTH)), "positions": random.normal(size=(40, WIDTH))}
    for name in ("norm", *(f"{layer}.{part}" for layer in range(LAYERS) for part in PARTS)):
        is_norm = name.endswith("norm")
        shape = (WIDTH,) if is_norm else SHAPES.get(name.partition(".")[2], (WIDTH, WIDTH))
        found[f"{name}.weight"] = random.normal(size=shape)
        found[f"{name}.bias"] = random.normal(size=shape[0])
    return {name: values.astype(np.float32) for name, values in found.items()}


@pytest.fixture(scope="module")
def encoder(tensors):
    return Encoder(
        embed=lambda ids: tensors["words"][ids],
        positions=tensors["positions"],
        norm=Norm(tensors["norm.weight"], tensors["norm.bias"]),
        layers=tuple(
            read_layer(tensors.__getitem__, [f"{layer}.{part}" for part in PARTS], HEADS) for layer in range(LAYERS)
        ),
        n_heads=HEADS,
    )


def by_hand(tensors, ids):
    exact = {name: values.astype(np.float64) for name, values in tensors.items()}

    def dense(x, name):
        return x @ exact[f"{name}.weight"].T + exact[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-12) * exact[f"{name}.weight"] + exact[f"{name}.bias"]

    def attention(x, at):
        parts = [np.split(dense(x, f"{at}.{part}"), HEADS, axis=1) for part in "qkv"]
        heads = []
        for q, k, v in zip(*parts, strict=True):
            weights = np.exp(q @ k.T / math.sqrt(WIDTH / HEADS))
            heads.append(weights / weights.sum(axis=1, keepdims=True) @ v)
        return dense(np.concatenate(heads, axis=1), f"{at}.out")

    x = norm(exact["words"][ids] + exact["positions"][: len(ids)], "norm")
    for at in range(LAYERS):
        x = norm(x + attention(x, at), f"{at}.out_norm")
        wide = dense(x, f"{at}.wide")
        x = norm(
            x + dense(wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2, f"{at}.narrow"), f"{at}.narrow_norm"
        )
    return x.mean(axis=0) / np.linalg.norm(x.mean(axis=0))


@pytest.mark.parametrize("ids", [[7], [1, 2], list(range(40))], ids=["one token", "two", "all positions"])
def test_vector_equals_the_formulas(encoder, tensors, ids):
    vector = encoder.vectors([ids])[0]
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, by_hand(tensors, ids), atol=2e-5)


def test_texts_that_are_encoded_together_get_the_vectors_that_each_gets_alone(encoder):
    texts = [[7], [1, 2], list(range(40)), [7]]
    together = encoder.vectors(texts)
    np.testing.assert_allclose(together, [encoder.vectors([ids])[0] for ids in texts], atol=1e-6)
    np.testing.assert_allclose(together[0], together[3], atol=1e-6)


def test_encoding_does_not_change_the_weights(encoder, tensors):
    """Norms and GELU overwrite their input, which must never be a weight."""
    before = {name: values.copy() for name, values in tensors.items()}
    encoder.vectors([[3, 1, 4]])
    for name, values in before.items():
        np.testing.assert_array_equal(values, tensors[name], err_msg=name)


def test_gelu_has_single_precision_across_blocks():
    points = np.linspace(-12, 12, 40_001).astype(np.float32)
    expected = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in points.tolist()]
    np.testing.assert_allclose(_gelu(points.reshape(1, -1).copy())[0], expected, atol=2e-6)


def test_gelu_of_extreme_values_is_finite():
    extremes = np.array([[-3e38, -1e10, 0.0, 1e10, 3e38]], np.float32)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(_gelu(extremes.copy()), np.maximum(extremes, 0))
