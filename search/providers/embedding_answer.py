"""Reads the body of an answer to an embedding request without trust: it may contain anything.

A single bad vector (with NaN, or all zero) only affects its text. A body in the wrong form fails the whole request. One
text can be the cause of that too: some servers write a NaN as invalid JSON, or leave the vector out.
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
Row = F32 | str  # a vector of unit length, or the reason why there is none

_BYTES_PER_NUMBER = 32  # "-0.012345678901234567, " and the white space of some servers
_MAX_DIMENSIONS = 16_384


def max_answer_bytes(n_texts: int, n_dimensions: int | None) -> int:
    """The largest body that an answer for `n_texts` texts can have."""
    return 65_536 + n_texts * (n_dimensions or _MAX_DIMENSIONS) * _BYTES_PER_NUMBER


def read_json(body: bytes) -> object | Failure:
    """The JSON value of a body, or a failure that says what the body is instead."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(body)  # accepts NaN, which some servers write
        except (ValueError, RecursionError):
            return _unusable(f"answered with {_kind_of(body)}; is base_url right? It usually ends in /v1")
    return value


def _is_web_page(body: bytes) -> bool:
    return body.lstrip()[:1] == b"<"


def _kind_of(body: bytes) -> str:
    beginning = body.lstrip()[:8]
    if _is_web_page(body):
        return "a web page"
    if beginning.startswith((b"data:", b"event:", b": ")):
        return "a stream, which was not requested"
    return "something that is not JSON" if beginning else "nothing"


def read_embeddings(body: bytes, *, n_texts: int, n_dimensions: int | None) -> Sequence[Row] | Failure:
    """One row per text, in the order of the texts, all of `n_dimensions` if that is known.

    A body that cannot be used gives a failure of the kind REFUSED, since other texts may succeed; but a web page gives
    FINAL, since the address is wrong.
    """
    answer = read_json(body)
    if isinstance(answer, Failure):
        return answer if _is_web_page(body) else evolve(answer, kind=FailureKind.REFUSED)
    rows = _rows_of(answer, n_texts, n_dimensions)
    return evolve(rows, kind=FailureKind.REFUSED) if isinstance(rows, Failure) else rows


def _rows_of(answer: object, n_texts: int, n_dimensions: int | None) -> Sequence[Row] | Failure:
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return _unusable("answered with JSON that contains no vectors")
    if len(items) != n_texts:
        return _unusable(f"sent {len(items):,} vectors for {n_texts:,} texts")
    ordered = _in_order(items)
    if ordered is None:
        return _unusable("gave its vectors invalid indexes")
    return _rows([_vector(item.get("embedding")) for item in ordered], n_dimensions)


def _rows(vectors: Sequence[F32 | None], n_dimensions: int | None) -> Sequence[Row] | Failure:
    rows: list[Row] = []
    for vector in vectors:
        if vector is None:
            return _unusable("sent a vector that is not a list of numbers")
        expected = n_dimensions or len(vectors[0] if vectors[0] is not None else ())
        if len(vector) != expected:
            found = f"sent a vector of {len(vector):,} dimensions where {expected:,} are expected"
            remedy = "set dimensions to the length of its vectors, or restart vaultseek if the model has changed"
            return _unusable(f"{found}; {remedy}")
        rows.append(to_unit_length(vector))
    return rows


def to_unit_length(vector: F32) -> Row:
    """The vector scaled to length 1, or the reason why that is impossible."""
    if not np.isfinite(vector).all():
        return "the endpoint's vector for it has a component that is not a number"
    peak = float(np.abs(vector).max(initial=0.0))
    if peak == 0.0:
        return "the endpoint's vector for it is zero"
    scaled = (vector / peak).astype(np.float64)  # to at most 1 first, so that the square of a component cannot overflow
    unit: F32 = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return unit


def _in_order(items: list[dict[str, object]]) -> list[dict[str, object]] | None:
    """The items by `index`, which must be 0 to n - 1, or as they are if none has an `index`; None for anything else."""
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
    """A vector from a list of numbers or from base64 of little-endian float32; null means NaN, which JSON lacks."""
    if isinstance(found, str):
        try:
            raw = base64.b64decode(found, validate=True)
        except (binascii.Error, ValueError):
            return None
        return np.frombuffer(raw, "<f4").astype(np.float32) if raw and len(raw) % 4 == 0 else None
    if not isinstance(found, list) or not found or len(found) > _MAX_DIMENSIONS:
        return None
    numbers = [float("nan") if number is None else number for number in found]
    if not all(type(number) is float or type(number) is int for number in numbers):
        return None
    with np.errstate(over="ignore"):  # numbers beyond float32 become infinite, and `to_unit_length` rejects them
        try:
            return np.array(numbers, np.float64).astype(np.float32)
        except OverflowError:
            return np.full(len(numbers), np.inf, np.float32)


def _unusable(reason: str) -> Failure:
    return Failure(FailureKind.FINAL, reason)
