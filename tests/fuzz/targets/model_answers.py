"""Answers of endpoints: vectors, scores and texts that anything may be wrong with."""

import json
import math

import numpy as np
from hypothesis import strategies as st

from expansion.expand import AnswerCache, Expansion, expand
from search.providers.embedding_answer import read_embeddings
from search.providers.failure import Failure
from search.providers.remote_chat import read_chat
from search.providers.remote_reranker import read_scores
from tests.fuzz.target import Target, built_of, corpus, mutated

N_TEXTS = 3
MAX_WORDING = 2_000


def check_vectors(data: bytes) -> None:
    """Each text gets a vector of length 1 in the direction of its own numbers, or a reason, or all fail together."""
    for n_dimensions in (None, 2):
        rows = read_embeddings(data, n_texts=N_TEXTS, n_dimensions=n_dimensions)
        if isinstance(rows, Failure):
            assert rows.reason
            continue
        assert len(rows) == N_TEXTS
        vectors = [row for row in rows if not isinstance(row, str)]
        assert all(row for row in rows if isinstance(row, str))
        assert all(row.dtype == np.float32 and abs(np.linalg.norm(row.astype(float)) - 1) < 1e-3 for row in vectors)
        assert len({row.shape for row in vectors}) <= 1
        _check_order(data, rows)


def _check_order(data: bytes, rows: object) -> None:
    items = json.loads(data)["data"]
    for place, item in enumerate(items):
        row, numbers = rows[item.get("index", place) or 0], item["embedding"]  # type: ignore[index]
        if not isinstance(row, str) and isinstance(numbers, list):
            largest = max(range(len(numbers)), key=lambda at: abs(numbers[at]))
            assert np.sign(row[largest]) == np.sign(numbers[largest])
            assert abs(row[largest]) >= np.abs(row).max() * 0.999


def check_scores(data: bytes) -> None:
    """Each passage gets a score that is a finite number, or all fail together."""
    scores = read_scores(data, n_passages=N_TEXTS)
    if isinstance(scores, Failure):
        assert scores.reason
        return
    assert len(scores) == N_TEXTS
    assert all(type(score) is float and math.isfinite(score) for score in scores)


class Replying:
    """A chat model with one answer."""

    model = "fuzzed"

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def complete(self, *_arguments: object, **_options: object) -> str:
        """The answer."""
        return self.reply


def check_chat(data: bytes) -> None:
    """An answer becomes search text of bounded size, or a notice says why not; the query stays as typed."""
    text = read_chat(data)
    if isinstance(text, Failure):
        assert text.reason
        text = data.decode("utf-8", "replace")
    expanded = expand("how old is an oak?", Replying(text), settings=Expansion(settle_s=0.0), cache=AnswerCache())
    assert expanded.original == expanded.variants[0] == "how old is an oak?"
    assert len(expanded.variants) <= 3
    assert len(expanded.terms) <= 8
    for wording in (*expanded.variants, *expanded.terms):
        assert 0 < len(wording) <= MAX_WORDING, wording
        assert wording.isprintable(), wording
    assert {notice.code for notice in expanded.notices} <= {"expansion-unusable"}, expanded.notices


NUMBERS = (
    *("0", "1", "-1", "0.5", "1e38", "1e39", "1e308", "1e999", "NaN", "-Infinity", "1e-46", "null", "true", '"1"'),
    *("[1]", "9" * 400, "[" * 2000),
)
number = st.sampled_from(NUMBERS)
index = st.sampled_from(("0", "1", "2", "0", "1", "2", "3", "-1", "null", "true", '"0"', "1.0", "9" * 30))
vector = st.one_of(
    st.lists(number, max_size=3).map(lambda found: f"[{','.join(found)}]"),
    st.lists(st.sampled_from(NUMBERS[:4]), min_size=2, max_size=2).map(lambda found: f"[{','.join(found)}]"),
    st.sampled_from(('"AACAPwAAgD8="', '"AADAfwAAgD8="', '"AAAA"', '"!"', '"é"', "{}", "null", '""')),
)
vectors = st.lists(st.builds('{{"index":{},"embedding":{}}}'.format, index, vector), max_size=4)
in_order = st.lists(vector, min_size=3, max_size=3).map(
    lambda found: [f'{{"index":{at},"embedding":{one}}}' for at, one in enumerate(found)]
)
score_name = st.sampled_from(("score", "relevance_score", "x"))
scores = st.lists(st.builds('{{"index":{},"{}":{}}}'.format, index, score_name, number), max_size=4)
wrapped = st.sampled_from(('{{"data":[{}]}}', '{{"results":[{}]}}', "[{}]", '{{"data":[{}]', "{}"))


def _inside(whole: str, parts: list[str]) -> bytes:
    return whole.format(",".join(parts)).encode()


REPLIES = (
    *("<think>", "</think>", "```json\n", "```\n", "- ", "1. ", '"', "Sure, here are:\n", "I'm sorry"),
    *("oak trees", "oak\n", "[", "]", "{", "}"),
    *('["oak", "elm"]', '{"a": "oak"}', "\0", "\x1b[31m", "\u202e", "\u2028", "\ud800", "知識", "ab" * 30),
    *("x" * 2500, ":", "。", "„", "\r", "  "),
)
chats = built_of(REPLIES).map(
    lambda text: json.dumps({"choices": [{"message": {"content": text.decode("utf-8", "replace")}}]}).encode()
)
in_order_alone = st.builds(_inside, st.just('{{"data":[{}]}}'), in_order)
all_vectors = st.one_of(in_order_alone, st.builds(_inside, wrapped, vectors), mutated(corpus("vectors")))
all_scores = st.one_of(st.builds(_inside, wrapped, scores), mutated(corpus("scores")))
all_chats = st.one_of(chats, built_of(REPLIES), mutated(corpus("chats")))
TARGETS = (
    Target("vectors", check_vectors, all_vectors, NUMBERS, n_examples=300),
    Target("scores", check_scores, all_scores, NUMBERS, n_examples=300),
    Target("chats", check_chat, all_chats, REPLIES, n_examples=200),
)
