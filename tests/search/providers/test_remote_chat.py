"""A chat model behind an endpoint: its options, its answers, and its budget."""

import pytest

from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from search.providers.retry_policy import RetryPolicy
from tests.kit.fake_endpoint import Answer, chat

pytestmark = pytest.mark.slow


def model(fake, **options):
    endpoint = Endpoint(base_url=fake.base_url, model="fake", **options)
    return RemoteChat(Connection.to(endpoint, "sk-canary"), RetryPolicy(n_tries=2, sleep=lambda _s: None))


def say(fake, budget=UNLIMITED, **options) -> str:
    return model(fake, **options).complete("be brief", "what is an oak?", max_tokens=50, budget=budget)


def test_chat_answers(fake):
    assert say(fake) == "oak"
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "what is an oak?"}]
    assert fake.asked[0].path == "/v1/chat/completions"
    assert fake.asked[0].body == {"model": "fake", "messages": messages, "max_tokens": 50, "temperature": 0.0}
    assert model(fake).model == f"fake at {fake.base_url}"


def test_key_in_an_answer_is_replaced(fake):
    """Answers are shown to users and searched for."""
    fake.reply = lambda _query: "Bearer SK-canary, an oak"
    assert say(fake) == "Bearer [key], an oak"


def test_options_refused_by_name_are_replaced_from_then_on(fake):
    def rule(asked):
        refused = {"max_tokens", "temperature"} & set(asked.body)
        return Answer.error(400, f"Unsupported parameter: '{min(refused)}'") if refused else None

    fake.rule = rule
    made = model(fake)
    for _ in range(2):
        assert made.complete("s", "u", max_tokens=50, budget=UNLIMITED) == "oak"
    assert len(fake.asked) == 4
    assert set(fake.asked[3].body) == {"model", "messages", "max_completion_tokens"}


def test_server_without_any_option_is_asked_without(fake):
    fake.rule = lambda asked: next(
        (Answer.error(400, f"unknown {name}") for name in asked.body if name not in {"model", "messages"}), None
    )
    assert say(fake) == "oak"
    assert set(fake.asked[-1].body) == {"model", "messages"}


@pytest.mark.parametrize(
    ("content", "text"),
    [("", ""), (None, ""), ([{"type": "text", "text": "a"}, {"text": "b"}, 1], "ab"), (7, ""), ("é ✓", "é ✓")],
)
def test_text_of_a_message(fake, content, text):
    fake.script.append(chat(content))
    assert say(fake) == text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"x" * 10_000_000), "more than the 262,144 bytes"),
        (chat("x" * 10_000_000), "more than the 262,144 bytes"),
        (Answer(b"<html>"), "a web page"),
        (Answer.json({}), "no message"),
        (Answer.json({"choices": []}), "no message"),
        (Answer.json({"choices": [1]}), "no message"),
        (Answer.error(400, "no such thing"), "refused the request"),
        (Answer.error(401, "sk-canary is wrong"), r"\[key\] is wrong"),
        (Answer.error(400, "prompt is too long"), "too long"),
    ],
)
def test_unusable_answer_is_explained_and_not_retried(fake, answer, words):
    fake.script.append(answer)
    with pytest.raises(ProviderError, match=words):
        say(fake)
    assert len(fake.asked) == 1


def test_dripping_answer_ends_with_the_budget(fake):
    fake.script.append(Answer(b" " * 5000, drips=True))
    with pytest.raises(ProviderError, match="took more than") as caught:
        say(fake, Budget.of(1.0))  # opening the client takes a while on a busy machine
    assert caught.value.is_retriable


def test_cancelled_chat_stops_in_the_middle_of_an_answer(fake):
    fake.script.append(Answer(b" " * 5000, drips=True))
    with pytest.raises(Cancelled):
        say(fake, Budget(is_cancelled=lambda: len(fake.asked) == 1))


def test_nothing_is_sent_once_the_budget_is_spent(fake):
    with pytest.raises(ProviderError, match="no time is left"):
        say(fake, Budget(deadline=0.0, clock=lambda: 1.0))
    assert fake.asked == []


def test_text_that_json_cannot_encode_is_repaired(fake):
    assert model(fake).complete("s", "\ud800\0", max_tokens=5, budget=UNLIMITED) == "oak"
