"""all-MiniLM-L6-v2, the embedded model: English, 384 dimensions, 23 MB of package data, nothing else to install.

Its weights are stored as int8 with one scale per row. Word vectors stay int8 and are scaled when they are looked up.
The layers are converted to float32 once, on loading, which takes 30 MB more memory and halves the time of a query.

Never touches the network. `.ci/make_minilm.py` builds the file of weights.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from search.errors import ProviderError
from search.ports import Embedder
from search.providers.bert import F32, Encoder, Norm, read_layer
from search.providers.local_embedder import LocalEmbedder, LocalTraits
from search.providers.scripts import LATIN
from search.providers.tokenizer import Tokenizer
from search.providers.wordpiece import END, START, WordPiece

I8 = npt.NDArray[np.int8]

WEIGHTS = Path(__file__).parent / "data" / "minilm_q8.npz"
SHA256 = "508102b7f812a87ec3c9d6105b743411171c46c2411f0035f8b48c0c41f3a1b3"

TRAITS = LocalTraits(
    model="minilm-l6-v2-q8@1",
    n_dimensions=384,
    max_tokens=256,  # the limit that its authors recommend; it has 512 positions
    # tests/ranking with names and openings: .65 hardly helps questions, and cacm loses .014 nDCG@10 (at a share of .1).
    default_weight=0.5,
    # Cranfield, 1,400 notes on one subject: the best 1 in 200 pairs of query and note reach .6, in 7 queries of 10; a
    # quarter of them is judged relevant, fifty times chance. Only 3 queries of 10 have a pair that reaches .7.
    graph_gate=0.6,
    # Cranfield, with floor and gate as the ends of the scale: nDCG@10 .448 at .2, .442 to .450 at other values;
    # keyword search alone .377.
    noise_floor=0.2,
    scripts=LATIN,
    # XQuAD, nDCG@10 of hybrid below that of words if it reads other languages too: Turkish -.054, Spanish -.015.
    languages=frozenset({"english"}),
)

_N_LAYERS, _N_HEADS = 6, 12
_WORDS, _POSITIONS, _TYPES = (f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type"))
_PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def open_minilm(path: Path = WEIGHTS) -> Embedder:
    """The embedder with the weights at `path`. The file is first opened when a text is embedded."""
    return LocalEmbedder(TRAITS, lambda: _load(path))


def _load(path: Path) -> tuple[Tokenizer, Encoder]:
    # Hashing the whole file takes 17 ms with the processor's SHA instructions, a sixth of the loading time.
    try:
        with path.open("rb") as file:
            is_whole = hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    except OSError as error:
        raise _broken(f"{path.name} cannot be read ({error.strerror})") from error
    if not is_whole:
        raise _broken(f"{path.name} is damaged")
    with np.load(path) as file:
        return read_model(file)


def _broken(reason: str) -> ProviderError:
    return ProviderError(TRAITS.model, f"{reason}; install vaultseek again", is_retriable=False)


def read_model(arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[Tokenizer, Encoder]:
    """Tokenizer and encoder from the arrays of the file: NAME, or NAME:q (int8) and NAME:s (one scale per row)."""

    def tensor(name: str) -> F32:
        return arrays[name] if name in arrays else _widen(arrays[f"{name}:q"], arrays[f"{name}:s"])

    vocabulary = arrays["vocab"].tobytes().decode().split("\n")
    words, scales = arrays[f"{_WORDS}:q"], arrays[f"{_WORDS}:s"]
    encoder = Encoder(
        embed=lambda ids: _widen(words[ids], scales[ids]),
        positions=tensor(_POSITIONS) + tensor(_TYPES)[0],
        norm=Norm(tensor("embeddings.LayerNorm.weight"), tensor("embeddings.LayerNorm.bias")),
        layers=tuple(
            read_layer(tensor, [f"encoder.layer.{layer}.{part}" for part in _PARTS], _N_HEADS)
            for layer in range(_N_LAYERS)
        ),
        n_heads=_N_HEADS,
    )
    return Tokenizer(WordPiece(vocabulary).cut, start=START, end=END), encoder


def _widen(rounded: I8, scales: F32) -> F32:
    widened: F32 = rounded * scales[:, None]
    return widened
