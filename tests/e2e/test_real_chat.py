"""Query expansion with a real, very small model behind llama.cpp's server: tests the protocol, not the quality."""

import pytest

from expansion.expand import AnswerCache, Expansion, expand
from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from tests.kit.real_models import needs_chat, serve_chat

pytestmark = needs_chat


@pytest.fixture(scope="module")
def address():
    with serve_chat() as found:
        yield found


def chat_at(address, **options):
    return RemoteChat(Connection.to(Endpoint(base_url=address, model="smollm2", **options)))


def test_a_real_model_answers(address):
    said = chat_at(address).complete("Answer in one sentence.", "What is an oak?", max_tokens=24, budget=UNLIMITED)
    assert any(map(str.isalpha, said))


def test_a_query_is_expanded_or_a_notice_says_why_not(address):
    settings = Expansion(timeout_s=60)
    found = expand("how long do oaks live?", chat_at(address), settings=settings, cache=AnswerCache())
    assert found.variants[0] == "how long do oaks live?"
    assert found.terms
    assert "expansion-failed" not in {notice.code for notice in found.notices}
    missing = " ".join(notice.message for notice in found.notices)
    assert (found.hyde == "") is ("a passage" in missing)
    assert (len(found.variants) == 1) is ("other wordings" in missing)


def test_a_prompt_beyond_its_context_is_explained(address):
    with pytest.raises(ProviderError, match="too long"):
        chat_at(address).complete("s", "oak " * 5000, max_tokens=5, budget=UNLIMITED)


def test_a_budget_ends_a_real_answer(address):
    with pytest.raises(ProviderError, match="took more than"):
        chat_at(address).complete("s", "Tell me a long story.", max_tokens=500, budget=Budget.of(0.3))
