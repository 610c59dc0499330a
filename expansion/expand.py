"""Asks a chat model what a user may have meant by a query. All prompts are sent at once.

Each prompt has a background call of its own and a few seconds. If a call fails or is late, the search goes on without
its answer, and a notice says what is missing and why.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from attrs import Attribute, evolve, field, frozen

from expansion.hyde import HYDE
from expansion.prompt import Prompt, as_data
from expansion.reply import Reply, Unusable, is_parroted
from expansion.rewrite import REWRITE
from expansion.salient import SALIENT, own_terms
from search.background import BackgroundCall
from search.budget import UNLIMITED, Budget
from search.errors import ConfigError, ProviderError, number, whole_number
from search.notice import Notice, NoticeKind
from search.ports import Chat
from search.providers.lru import LruCache
from search.query import ExpandedQuery

AnyPrompt = Prompt[tuple[str, ...]] | Prompt[str]

Key = tuple[str, str, int, str]
"""All that an answer depends on: the model, the prompt with its version, and the query."""

AnswerCache = LruCache[Key, object]
"""The models' answers, kept for as long as the program runs."""

PROMPTS: Mapping[str, AnyPrompt] = {prompt.name: prompt for prompt in (REWRITE, SALIENT, HYDE)}

_NAP_S = 0.02  # how often a waiting query checks whether the search was cancelled
_GRACE_S = 0.1  # beyond the time limit, so that the model's own error can arrive and say more than a timeout


def _known_prompts(_instance: object, attribute: "Attribute[tuple[str, ...]]", value: object) -> None:
    if not isinstance(value, tuple) or not all(name in PROMPTS for name in value) or len(set(value)) != len(value):
        raise ConfigError(attribute.name, value, f"a list of {', '.join(PROMPTS)}, each at most once")


@frozen(kw_only=True)
class Expansion:
    """What a chat model is asked about a query. Without a chat endpoint nothing is asked.

    prompts: Which of rewrite, salient and hyde. Default: all three (designs/3).
    max_variants: How many other wordings are used in addition to the original, 0 to 10. Default: 2 (designs/3).
    max_terms: How many salient terms are used, 0 to 64. Default: 8.
    timeout_s: How long each prompt may take, in seconds, 0.01 to 60. Default: 5 (designs/3).
    settle_s: How long a query must stand before a model is asked about it, in seconds, 0 to 10. If the user types on
        within this time, the search is cancelled and nothing is sent. Default: 0.3, longer than between two keys.
    """

    prompts: tuple[str, ...] = field(default=tuple(PROMPTS), validator=_known_prompts)
    max_variants: int = field(default=2, validator=whole_number(0, 10))
    max_terms: int = field(default=8, validator=whole_number(0, 64))
    timeout_s: float = field(default=5.0, validator=number(0.01, 60, " of seconds"))
    settle_s: float = field(default=0.3, validator=number(0, 10, " of seconds"))


@frozen
class _Failed:
    """Why a prompt has no usable answer; `reason` completes the sentence 'the model REASON'."""

    code: str
    reason: str


def expand(
    query: str,
    chat: Chat | None,
    *,
    settings: Expansion,
    cache: AnswerCache,
    budget: Budget = UNLIMITED,
) -> ExpandedQuery:
    """The query with other wordings, salient terms and, for a question, a passage that might answer it.

    Without a model, the result holds the original query and its own words. If a prompt fails, its part of the result is
    as without a model, and a notice says why. A blank query gives an empty result. The result does not depend on the
    order in which the model's answers arrive.

    Raises:
        Cancelled: the budget was cancelled. Nothing else is ever raised.
    """
    if not query.strip():
        return ExpandedQuery(original=query)
    plain = ExpandedQuery(original=query, variants=(query,), terms=own_terms(query))
    if chat is None:
        return plain
    prompts = [PROMPTS[name] for name in settings.prompts if PROMPTS[name].suits(query)]
    answers = _Asker(chat, cache, query.strip()).ask_all(prompts, settings, budget)
    expanded = evolve(plain, notices=_notices(answers))
    for name, answer in answers.items():
        match name, answer:
            case REWRITE.name, tuple():
                expanded = evolve(expanded, variants=(query, *answer[: settings.max_variants]))
            case SALIENT.name, tuple():
                expanded = evolve(expanded, terms=answer[: settings.max_terms])
            case HYDE.name, str():
                expanded = evolve(expanded, hyde=answer)
    return expanded


@frozen(eq=False)
class _Asker:
    """Asks a model about one query."""

    chat: Chat
    cache: AnswerCache
    query: str

    def ask_all(self, prompts: Sequence[AnyPrompt], settings: Expansion, budget: Budget) -> dict[str, object]:
        """The answer to each prompt, or `_Failed`, in the order of `prompts`."""
        answers = {prompt.name: self.cache.get(self._key(prompt)) for prompt in prompts}
        unknown = [prompt for prompt in prompts if answers[prompt.name] is None]
        if unknown:
            _settle(budget.within(settings.settle_s))
        limit = budget.within(settings.timeout_s)
        late = _Failed("expansion-timeout", f"took more than {settings.timeout_s:g} s")
        with ExitStack() as stack:
            calls = [(prompt.name, stack.enter_context(self._start(prompt, limit))) for prompt in unknown]
            for name, call in calls:
                answers[name] = call.result() if call.is_done_within(limit, grace_s=_GRACE_S) else late
        return answers

    def _start(self, prompt: AnyPrompt, limit: Budget) -> BackgroundCall[object]:
        return BackgroundCall.start(lambda own: self._ask(prompt, own), name=f"expansion-{prompt.name}", budget=limit)

    def _ask(self, prompt: AnyPrompt, budget: Budget) -> object:
        user = as_data(self.query)
        try:
            reply = self.chat.complete(prompt.system, user, max_tokens=prompt.max_tokens, budget=budget)
            answer = _read(prompt, reply, self.query)
        except ProviderError as error:
            return _Failed("expansion-failed", f"failed ({error})")
        except Exception as error:  # noqa: BLE001 - the chat is foreign code; a search survives its bugs
            return _Failed("expansion-failed", f"failed ({type(error).__name__})")
        self.cache.put(self._key(prompt), answer)
        return answer

    def _key(self, prompt: AnyPrompt) -> Key:
        return self.chat.model, prompt.name, prompt.version, self.query


def _settle(budget: Budget) -> None:
    """Wait until the budget is spent, so that a query that is still being typed is cancelled before it is sent."""
    while not budget.is_spent:
        budget.check()
        time.sleep(_NAP_S)


def _read(prompt: AnyPrompt, reply: str, query: str) -> object:
    """The usable part of a reply. An unusable reply is cached as well, since the model would give it again."""
    if is_parroted(reply, prompt.system):
        return _Failed("expansion-unusable", "repeated its instructions")
    try:
        return prompt.read(Reply(reply), query)
    except Unusable as error:
        return _Failed("expansion-unusable", str(error))


_GIVES = {
    REWRITE.name: "other wordings",
    SALIENT.name: "salient terms",
    HYDE.name: "a passage that might answer it",
}


def _notices(answers: Mapping[str, object]) -> tuple[Notice, ...]:
    """One notice for each cause, however many prompts failed for it."""
    names: dict[_Failed, list[str]] = {}
    for name, answer in answers.items():
        if isinstance(answer, _Failed):
            names.setdefault(answer, []).append(name)
    return tuple(
        Notice(
            NoticeKind.DEGRADED,
            failed.code,
            f"The search did without {_listed(failed_names)}: the model {failed.reason}.",
        )
        for failed, failed_names in names.items()
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = (_GIVES[name] for name in names)
    return f"{', '.join(first)} and {last}" if first else last
