"""A local OpenAI-compatible server for tests, which answers correctly or as badly as a test scripts it.

`serve()` gives a `FakeEndpoint`. Each item of its `script` answers one of the next requests: an `Answer`, which is sent
unchanged, or a function of the request. With an empty script the server answers correctly. Embeddings are made of
hashed words, so texts that share words have near vectors, the same on every machine. Chats answer with `reply`.
Reranking scores a passage by the words it shares with the query, in the format that `rerank_shape` names.
"""

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

N_DIMENSIONS = 64


@frozen
class Asked:
    """A received request."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, object]

    @property
    def texts(self) -> list[str]:
        """The texts that the request wants vectors of."""
        found = self.body["input"]
        return found if isinstance(found, list) else [str(found)]


@frozen
class Answer:
    """A response; `drips` sends the body byte by byte, `cuts` ends the connection before the announced length."""

    body: bytes = b"{}"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    drips: bool = False
    cuts: bool = False
    hangs: bool = False  # sends nothing at all until the server is closed

    @classmethod
    def json(cls, value: object, status: int = 200, **headers: str) -> "Answer":
        """A value as JSON."""
        extra = tuple((name.replace("_", "-"), text) for name, text in headers.items())
        return cls(json.dumps(value).encode(), status, (("content-type", "application/json"), *extra))

    @classmethod
    def error(cls, status: int, message: str, **headers: str) -> "Answer":
        """An error as OpenAI writes it."""
        return cls.json({"error": {"message": message}}, status, **headers)


Scripted = Answer | Callable[[Asked], Answer]


@define
class FakeEndpoint:
    """The server as a test sees it."""

    base_url: str = ""
    asked: list[Asked] = field(factory=list)
    script: deque[Scripted] = field(factory=deque)
    rule: Callable[[Asked], Answer | None] | None = None  # asked when the script is empty; None: answer correctly
    reply: Callable[[str], str] = lambda _query: "oak"  # the answer of a chat to its user message
    rerank_shape: str = "results"  # or "data" (Voyage), "bare" (text-embeddings-inference, which wants `texts`)
    closing: threading.Event = field(factory=threading.Event)

    def answer(self, asked: Asked) -> Answer:
        """The answer to a request, which is added to `asked`."""
        self.asked.append(asked)
        if self.script:
            scripted = self.script.popleft()
            return scripted if isinstance(scripted, Answer) else scripted(asked)
        ruled = self.rule(asked) if self.rule else None
        return ruled or self.proper(asked)

    def proper(self, asked: Asked) -> Answer:
        """A correct answer."""
        if asked.path.endswith("/embeddings"):
            return embeddings([hashed(text) for text in asked.texts])
        if asked.path.endswith("/chat/completions"):
            messages = asked.body["messages"]
            assert isinstance(messages, list)
            return chat(self.reply(messages[-1]["content"]))
        if asked.path.endswith("/rerank"):
            return self.reranked(asked)
        return Answer.error(404, f"no such path: {asked.path}")

    def reranked(self, asked: Asked) -> Answer:
        """Scores in the format of this kind of server."""
        wanted = "texts" if self.rerank_shape == "bare" else "documents"
        if wanted not in asked.body:
            return Answer(f"missing field `{wanted}`".encode(), 422, (("content-type", "text/plain"),))
        passages, query = asked.body[wanted], asked.body["query"]
        assert isinstance(passages, list)
        assert isinstance(query, str)
        return rerank([overlap(query, passage) for passage in passages], shape=self.rerank_shape)


def overlap(query: str, passage: str) -> float:
    """The share of the query's words that the passage contains."""
    words = set(re.findall(r"\w+", query.casefold()))
    return len(words & set(re.findall(r"\w+", passage.casefold()))) / max(1, len(words))


def rerank(scores: list[object], *, shape: str = "results") -> Answer:
    """Scores as such a server sends them, best first if they are numbers."""
    name = "score" if shape == "bare" else "relevance_score"
    items = [{"index": at, name: score} for at, score in enumerate(scores)]
    if all(isinstance(score, int | float) for score in scores):
        items.sort(key=lambda item: -item[name])
    return Answer.json(items if shape == "bare" else {shape: items, "model": "fake"})


def hashed(text: str, n_dimensions: int = N_DIMENSIONS) -> list[float]:
    """A unit vector: the sum of a direction for each word of three letters or more; a fixed one without such words."""
    vector = np.full(n_dimensions, 1e-3)
    for word in re.findall(r"\w{3,}", text.casefold()):
        vector += _direction(word, n_dimensions)
    return [float(number) for number in vector / np.linalg.norm(vector)]


@cache
def _direction(word: str, n_dimensions: int) -> npt.NDArray[np.float64]:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(n_dimensions)


def embeddings(vectors: list[object]) -> Answer:
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return Answer.json({"object": "list", "data": data, "model": "fake"})


def chat(content: object) -> Answer:
    message = {"role": "assistant", "content": content}
    return Answer.json({"object": "chat.completion", "choices": [{"index": 0, "message": message}]})


@contextmanager
def serve() -> Iterator[FakeEndpoint]:
    """A server on a free port of 127.0.0.1 while the block runs."""
    fake = FakeEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send(fake.answer(Asked(self.path, headers, body)))

        def do_GET(self):
            self.send(fake.answer(Asked(self.path, {}, {})))

        def send(self, answer: Answer):
            if answer.hangs:
                fake.closing.wait(20)
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body) + answer.cuts))
            self.end_headers()
            try:
                if not answer.drips:
                    self.wfile.write(answer.body)
                else:
                    for at in range(len(answer.body)):
                        self.wfile.write(answer.body[at : at + 1])
                        if fake.closing.wait(0.01):
                            break
            except OSError:  # the client closed the connection
                self.close_connection = True
            self.close_connection |= answer.cuts or answer.drips

        def log_message(self, *_arguments):
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_arguments):
            """Ignore clients that abandon a request."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
