"""The BERT encoder as plain matrix arithmetic: token ids in, one vector of unit length out.

The trick: no padding. The tokens of several texts are the rows of one matrix, and only attention is computed text by
text. That saves a third of the time for texts of a line, whose rows are too few to pay for reading the weights. Wide
matrices do not fit into the cache, so a long text is best alone; for the same reason attention is computed head by
head, and GELU block by block.

Never keeps state between calls, so threads may share an encoder and get equal results.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt
from attrs import frozen

F32 = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]

_BLOCK = 16_384  # numbers per GELU block; its three buffers take 200 kB, which fits into the second-level cache
_EPSILON = 1e-12  # of LayerNorm, in BERT's configuration

# erfc(z) = (A1 t + ... + A5 t^5) exp(-z z), t = 1 / (1 + P z), with an error of at most 1.5e-7: Abramowitz and
# Stegun 7.1.26.
_P = 0.3275911 / 2**0.5
_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


@frozen(eq=False)
class Dense:
    """`states @ weight + bias`; the weight is (n_in, n_out)."""

    weight: F32
    bias: F32

    def __call__(self, states: F32) -> F32:
        """One row per token, in and out."""
        product: F32 = states @ self.weight
        product += self.bias
        return product


@frozen(eq=False)
class Norm:
    """LayerNorm: each row is brought to mean 0 and variance 1, then scaled and shifted."""

    gain: F32
    shift: F32

    def __call__(self, states: F32) -> F32:
        """Overwrites `states`."""
        states -= states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states)[:, None] / states.shape[1]
        states /= np.sqrt(variance + np.float32(_EPSILON))
        states *= self.gain
        states += self.shift
        return states


@frozen(eq=False)
class Layer:
    """One block of the encoder: self-attention, then a two-layer network, each added to its input and normalized."""

    query_key_value: Dense  # side by side; the query's part is already divided by sqrt(width of a head)
    attended: Dense
    attended_norm: Norm
    widen: Dense
    narrow: Dense
    narrow_norm: Norm


@frozen(eq=False)
class Encoder:
    """The weights of a model, ready for arithmetic."""

    embed: Callable[[Ids], F32]  # ids -> a new array of their word vectors
    positions: F32  # one row per position; the vector of token type 0 is already added
    norm: Norm
    layers: tuple[Layer, ...]
    n_heads: int

    def vectors(self, texts: Sequence[Sequence[int]]) -> F32:
        """For each text the mean of the last states of its tokens, at unit length.

        There must be a text or more, each with 1 to `len(positions)` ids.
        """
        bounds = [0, *accumulate(map(len, texts))]
        states = self.embed(np.asarray([id_ for ids in texts for id_ in ids], np.int32))
        for start, end in pairwise(bounds):
            states[start:end] += self.positions[: end - start]
        states = self.norm(states)
        for layer in self.layers:
            query_key_value = layer.query_key_value(states)
            attended = [_attend(query_key_value[start:end], self.n_heads) for start, end in pairwise(bounds)]
            states += layer.attended(np.concatenate(attended) if len(attended) > 1 else attended[0])
            states = layer.attended_norm(states)
            states += layer.narrow(_gelu(layer.widen(states)))
            states = layer.narrow_norm(states)
        means = np.stack([states[start:end].mean(axis=0) for start, end in pairwise(bounds)])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means


def read_layer(tensor: Callable[[str], F32], names: Sequence[str], n_heads: int) -> Layer:
    """A layer from the tensors NAME.weight (n_out, n_in) and NAME.bias.

    `names` are those of query, key, value, attended, attended_norm, widen, narrow, narrow_norm, in this order.
    """
    query, key, value, attended, attended_norm, widen, narrow, narrow_norm = names

    def dense(*parts: str) -> Dense:
        weights = [tensor(f"{part}.weight") for part in parts]
        return Dense(np.concatenate(weights).T, np.concatenate([tensor(f"{part}.bias") for part in parts]))

    def norm(name: str) -> Norm:
        return Norm(tensor(f"{name}.weight"), tensor(f"{name}.bias"))

    query_key_value = dense(query, key, value)
    width = len(query_key_value.bias) // 3
    query_key_value.weight[:, :width] /= np.float32((width / n_heads) ** 0.5)
    query_key_value.bias[:width] /= np.float32((width / n_heads) ** 0.5)
    return Layer(query_key_value, dense(attended), norm(attended_norm), dense(widen), dense(narrow), norm(narrow_norm))


def _attend(query_key_value: F32, n_heads: int) -> F32:
    n_tokens, width = len(query_key_value), query_key_value.shape[1] // 3
    queries, keys, values = query_key_value.reshape(n_tokens, 3, n_heads, -1).transpose(1, 2, 0, 3)
    attended = np.empty((n_tokens, n_heads, width // n_heads), np.float32)
    for head in range(n_heads):
        share = queries[head] @ keys[head].T
        share -= share.max(axis=1, keepdims=True)
        np.exp(share, out=share)
        attended[:, head] = (share @ values[head]) / share.sum(axis=1, keepdims=True)
    return attended.reshape(n_tokens, width)


def _gelu(states: F32) -> F32:
    """`x * Phi(x)`, computed as `max(x, 0) - |x| / 2 * erfc(|x| / sqrt 2)`. Overwrites `states`."""
    flat = states.reshape(-1)
    size = min(_BLOCK, flat.size)
    absolute, t, tail = np.empty((3, size), np.float32)
    for start in range(0, flat.size, size):
        x = flat[start : start + size]
        _subtract_tail(x, absolute[: x.size], t[: x.size], tail[: x.size])
    return states


def _subtract_tail(x: F32, absolute: F32, t: F32, tail: F32) -> None:
    np.abs(x, out=absolute)
    np.multiply(absolute, np.float32(_P), out=t)
    t += np.float32(1)
    np.reciprocal(t, out=t)
    np.multiply(t, np.float32(_A[4]), out=tail)
    for coefficient in _A[3::-1]:
        tail += np.float32(coefficient)
        tail *= t
    tail *= absolute
    np.multiply(absolute, absolute, out=t)
    t *= np.float32(-0.5)
    np.exp(t, out=t)
    tail *= t
    tail *= np.float32(0.5)
    np.maximum(x, np.float32(0), out=x)
    x -= tail
