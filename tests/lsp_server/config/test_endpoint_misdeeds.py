"""Whatever an endpoint sends, a search answers in time and says what went wrong."""

import logging
import re

import pytest
from attrs import evolve

from lsp_server.config.engine_factory import engine_of
from lsp_server.config.settings import resolve
from search.query import Query
from tests.kit.fake_endpoint import Answer, embeddings, hashed
from tests.lsp_server.config.endpoints import KEY, needs_openai, own

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(root, fake):
    """A factory of engines with both endpoints and short patience."""
    made = []

    def make(**more):
        settings = resolve(own(fake, **more)).search
        short = evolve(settings.indexing, patience_s=1.0, patience_alone_s=1.0, in_background=False)
        made.append(engine_of(root, evolve(settings, indexing=short)))
        return made[-1]

    yield make
    for one in made:
        one.close()


MISDEEDS = {
    "wrong key": (Answer.error(401, f"{KEY}?"), "denied access (401); check $MY_KEY"),
    "no such model": (Answer.error(404, "no such model: it"), "does not know this address or model (404): no such"),
    "no credit": (Answer.error(429, "insufficient_quota"), "has no credit left (429)"),
    "10 MB": (Answer(b"{" + b" " * 10_000_000), "sent more than the"),
    "a web page": (Answer(b"<html>"), "answered with a web page; is base_url right? It usually ends in /v1"),
    "a stream": (Answer(b"data: {}\n\n"), "answered with a stream"),
    "elsewhere": (Answer(status=308, headers=(("location", "http://192.0.2.1/"),)), "redirects to http://192.0.2.1/"),
    "a slow drip": (Answer(b" " * 5000, drips=True), "took more than"),
}


@needs_openai
@pytest.mark.parametrize("which", ["embeddings", "completions"])
@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_whatever_an_endpoint_sends_the_search_answers_and_a_notice_says_why(fake, engine, caplog, which, misdeed):
    caplog.set_level(logging.DEBUG)
    answer, text = MISDEEDS[misdeed]
    well = fake.rule
    fake.rule = lambda asked: answer if asked.path.endswith(which) else well(asked)
    one = engine(chat={"baseUrl": fake.base_url, "keyVariable": "MY_KEY", "model": "talk", "timeoutS": 1.0})
    answer = one.search(Query(text="what is flour?"))
    assert answer.hits[0].hit.id == "Bread.md"
    code = {"embeddings": "semantic-failed", "completions": "expansion-failed"}[which]
    messages = [notice.message for notice in answer.notices if notice.code == code]
    assert messages
    assert all(text in message for message in messages)
    assert KEY not in repr(answer) + repr(one.status()) + caplog.text


@needs_openai
def test_an_endpoint_that_never_answers_delays_a_search_by_the_patience_only(root, fake):
    fake.rule = lambda _asked: Answer(hangs=True)
    settings = resolve(own(fake, chat=None)).search
    engine = engine_of(root, evolve(settings, indexing=evolve(settings.indexing, patience_alone_s=0.2)))
    try:
        answer = engine.search(Query(text="flour"))
        fake.closing.set()
    finally:
        engine.close()
    assert [found.hit.id for found in answer.hits] == ["Bread.md"]
    # On a busy machine, loading the client can take so long that no request is sent at all.
    assert re.search("took more than 0|no time is left", answer.notices[0].message)


@needs_openai
def test_no_search_waits_for_an_endpoint_that_has_just_failed(fake, engine):
    fake.rule = lambda _asked: Answer.error(404, "no such model")
    one = engine()
    one.search(Query(text="what is flour?"))
    n_asked = len(fake.asked)
    again = one.search(Query(text="what is bread flour?"))
    assert len(fake.asked) == n_asked
    assert [notice.code for notice in again.notices] == ["semantic-failed", "expansion-failed"]
    assert all("(asked again in" in notice.message for notice in again.notices)


@needs_openai
def test_vectors_of_another_length_are_reported_and_replaced_at_the_next_start(fake, engine):
    first = engine()
    assert first.search(Query(text="evening starter")).mode == "hybrid"
    well = fake.rule
    fake.rule = lambda asked: (
        embeddings([hashed(text, 32) for text in asked.texts]) if asked.path.endswith("embeddings") else well(asked)
    )
    answer = first.search(Query(text="where is the reset button?"))
    assert answer.hits[0].hit.id == "Router.md"
    assert "sent a vector of 32 dimensions where 64 are expected; set dimensions to" in answer.notices[0].message
    first.close()
    second = engine()
    answer = second.search(Query(text="where is the reset button?"))
    assert answer.mode == "hybrid"
    assert [notice.code for notice in answer.notices] == ["store-other-model"]
    assert second.status().semantic.n_notes == 3


@needs_openai
def test_the_update_command_embeds_a_vault_once_its_endpoint_is_back(fake, engine):
    well, fake.rule = fake.rule, lambda _asked: Answer.error(503, "starting")
    one = engine()
    one.search(Query(text="flour"))
    fake.rule = well
    one.semantic._embedder._breaker._open_until = 0.0
    assert one.maintenance().update() == 3
    assert one.search(Query(text="evening starter")).mode == "hybrid"
