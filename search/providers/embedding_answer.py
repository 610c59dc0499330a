"""The body of an answer to a request for vectors, read without trust: what is in it may be anything.

A single bad vector (not a number, all zero) costs its text; a body that is not what was asked for costs the request,
which may be the doing of one text: servers write a NaN as what is no JSON, or leave its vector out.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import orjson
from attrs import evolve

from search.providers.failure import Failure, FailureKind

F32 = npt.NDArray[np.float32]
Row = F32 | str  # a vector of unit length, or why there is none

_BYTES_A_NUMBER = 32  # "-0.012345678901234567, " and what servers put around it
_MOST_DIMENSIONS = 16_384


def most_bytes(n_texts: int, n_dimensions: int | None) -> int:
    """The largest body that can be an answer for so many texts."""
    return 65_536 + n_texts * (n_dimensions or _MOST_DIMENSIONS) * _BYTES_A_NUMBER


def read_json(body: bytes) -> object | Failure:
    """The value that a body holds, or what it is instead."""
    try:
        found: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            found = json.loads(body)  # knows NaN, which some servers write
        except (ValueError, RecursionError):
            return _unusable(f"answered with {_kind_of(body)}; is base_url right? It usually ends in /v1")
    return found


def _is_elsewhere(body: bytes) -> bool:
    """Whether this is no answer of a program to a program."""
    return body.lstrip()[:1] == b"<"


def _kind_of(body: bytes) -> str:
    beginning = body.lstrip()[:8]
    if _is_elsewhere(body):
        return "a web page"
    if beginning.startswith((b"data:", b"event:", b": ")):
        return "a stream, which was not asked for"
    return "something that is not JSON" if beginning else "nothing"


def read_embeddings(body: bytes, *, n_texts: int, n_dimensions: int | None) -> Sequence[Row] | Failure:
    """One row for each text, in the order of the texts; all of `n_dimensions` where that is known already.

    What cannot be used is REFUSED, since other texts may fare better, unless it comes from the wrong address.
    """
    answer = read_json(body)
    if isinstance(answer, Failure):
        return answer if _is_elsewhere(body) else evolve(answer, kind=FailureKind.REFUSED)
    rows = _rows_of(answer, n_texts, n_dimensions)
    return evolve(rows, kind=FailureKind.REFUSED) if isinstance(rows, Failure) else rows


def _rows_of(answer: object, n_texts: int, n_dimensions: int | None) -> Sequence[Row] | Failure:
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return _unusable("answered with JSON that holds no vectors")
    if len(items) != n_texts:
        return _unusable(f"sent {len(items):,} vectors for {n_texts:,} texts")
    ordered = _in_order(items)
    if ordered is None:
        return _unusable("numbered its vectors in a way that makes no sense")
    return _rows([_vector(item.get("embedding")) for item in ordered], n_dimensions)


def _rows(vectors: Sequence[F32 | None], n_dimensions: int | None) -> Sequence[Row] | Failure:
    rows: list[Row] = []
    for vector in vectors:
        if vector is None:
            return _unusable("sent a vector that is no list of numbers")
        expected = n_dimensions or len(vectors[0] if vectors[0] is not None else ())
        if len(vector) != expected:
            found = f"sent a vector of {len(vector):,} dimensions where {expected:,} are expected"
            mend = "set dimensions to what the model gives, or restart vaultseek if it is another model now"
            return _unusable(f"{found}; {mend}")
        rows.append(to_unit_length(vector))
    return rows


def to_unit_length(vector: F32) -> Row:
    """The vector of the same direction and length 1, or why there is none."""
    if not np.isfinite(vector).all():
        return "the endpoint's vector for it has a component that is no number"
    peak = float(np.abs(vector).max(initial=0.0))
    if peak == 0.0:
        return "the endpoint's vector for it is zero"
    scaled = (vector / peak).astype(np.float64)  # first to 1 at most: the square of a component must not overflow
    unit: F32 = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return unit


def _in_order(items: list[dict[str, object]]) -> list[dict[str, object]] | None:
    """By `index`, 0 to n - 1 each once; as they came where no item has one; None for anything else."""
    numbers = [item.get("index") for item in items]
    if all(number is None for number in numbers):
        return items
    by_number: Mapping[object, dict[str, object]] = {
        number: item for number, item in zip(numbers, items, strict=True) if type(number) is int
    }
    if by_number.keys() != set(range(len(items))):
        return None
    return [by_number[number] for number in range(len(items))]


def _vector(found: object) -> F32 | None:
    """A list of numbers, or base64 of little-endian float32; null stands for what JSON cannot say: NaN."""
    if isinstance(found, str):
        try:
            raw = base64.b64decode(found, validate=True)
        except (binascii.Error, ValueError):
            return None
        return np.frombuffer(raw, "<f4").astype(np.float32) if raw and len(raw) % 4 == 0 else None
    if not isinstance(found, list) or not found or len(found) > _MOST_DIMENSIONS:
        return None
    numbers = [float("nan") if number is None else number for number in found]
    if not all(type(number) is float or type(number) is int for number in numbers):
        return None
    with np.errstate(over="ignore"):  # too large for float32 is infinite, and refused with the other non-numbers
        try:
            return np.array(numbers, np.float64).astype(np.float32)
        except OverflowError:
            return np.full(len(numbers), np.inf, np.float32)


def _unusable(reason: str) -> Failure:
    return Failure(FailureKind.FINAL, reason)
