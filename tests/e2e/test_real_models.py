"""A search with real models: a chat server and an embeddings server, both over HTTP."""

import pytest

from tests.kit.real_models import needs_chat, serve_chat, serve_embeddings
from vaults import write

pytestmark = needs_chat

VAULT = """
--- Oaks.md
# Oaks
An oak grows slowly and reaches an age of several hundred years, some a thousand.
--- Router.md
# Router
Hold the reset button for ten seconds, then log in to the admin page.
--- Bread.md
# Bread
Feed the sourdough starter with flour every evening and keep it in a warm spot.
--- Tax.md
# Tax
The return is due at the end of July; receipts are in the blue folder.
"""
# A model of this size answers about half of the questions, and which half can differ by processor.
QUESTIONS = {
    "how long do oaks live?": "Oaks.md",
    "how does bread dough rise?": "Bread.md",
    "when do I have to declare my income?": "Tax.md",
    "how do I reset the router?": "Router.md",
}


@pytest.fixture(scope="module")
def chat():
    with serve_chat() as address:
        yield address


@pytest.fixture
def embedding():
    with serve_embeddings() as server:
        yield server


@pytest.mark.timeout(300)  # a question takes some seconds, and up to a minute on a busy machine
def test_a_question_is_answered_with_a_passage_from_a_real_model(start, chat, embedding, tmp_path):
    root = write(tmp_path / "vault", VAULT)
    (root / ".obsidian").mkdir()
    pipes = start()
    options = {
        "embedding": {"baseUrl": embedding.base_url, "model": "minilm"},
        "chat": {"baseUrl": chat, "model": "smollm2", "timeoutS": 60},
        "indexFolder": str(tmp_path / "cache"),
        "semanticPatienceS": 60,
    }
    pipes.initialize(root, initializationOptions=options)
    for question, note in QUESTIONS.items():
        answer = pipes.ask("vaultseek/search", {"query": question})["result"]
        assert answer["mode"] == "hybrid", answer["notices"]
        assert {notice["code"] for notice in answer["notices"]} <= {"expansion-unusable"}
        first = answer["results"][0]
        assert first["id"] == note
        assert first["explanation"]["semanticScore"] > 0.3
        assert {step["source"] for step in first["explanation"]["trail"] if step["kind"] == "fused"} >= {"semantic"}
        passage = answer["expandedQuery"].get("passage", "")
        if passage:
            break
        assert any("a passage that might answer it" in notice["message"] for notice in answer["notices"])
    else:
        pytest.fail("the model wrote no passage for any of the questions")
    sent = [text for request in embedding.asked for text in request.texts]
    assert {question, passage} <= set(sent)
    oak = [text for text in sent if "An oak grows slowly" in text]
    assert len(oak) == len(set(oak)) == 2  # the opening of the note and its passage
    again = pipes.ask("vaultseek/search", {"query": question})["result"]
    assert again["expandedQuery"] == answer["expandedQuery"]
    assert sum(text in {question, passage} for request in embedding.asked for text in request.texts) == 2
    reason = pipes.ask("vaultseek/explain", {"query": question, "note": first["id"]})["result"]
    assert reason["rank"] == 1
    assert pipes.leave() == (0, "")
