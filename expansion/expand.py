"""A query and what a person may have meant by it: all ideas asked side by side, each for a few seconds at most.

Whatever a model does, the search goes on with what there is, and a notice says what is missing and why. Each idea has a
thread of its own that nobody waits for longer than it may take; one that is abandoned ends with its request.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from attrs import Attribute, evolve, field, frozen

from expansion.cache import AnswerCache, Key
from expansion.hyde import HYDE
from expansion.idea import Idea, as_data
from expansion.reply import Reply, Unusable, is_parroted
from expansion.rewrite import REWRITE
from expansion.salient import SALIENT, own_terms
from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ConfigError, ProviderError
from search.notice import Notice, NoticeKind
from search.ports import Chat
from search.query import ExpandedQuery

AnyIdea = Idea[tuple[str, ...]] | Idea[str]

IDEAS: Mapping[str, AnyIdea] = {idea.name: idea for idea in (REWRITE, SALIENT, HYDE)}

_LOOK_S = 0.02  # how often it is looked whether the search was cancelled meanwhile
_GRACE_S = 0.1  # beyond the time of an idea, for its model to say what it was waiting for


def _known_ideas(_instance: object, attribute: "Attribute[tuple[str, ...]]", value: object) -> None:
    if not isinstance(value, tuple) or not all(name in IDEAS for name in value) or len(set(value)) != len(value):
        raise ConfigError(attribute.name, value, f"a list of {', '.join(IDEAS)}, each at most once")


def _whole(low: int, high: int) -> "Callable[[object, Attribute[int], int], None]":
    def validate(_instance: object, attribute: "Attribute[int]", value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigError(attribute.name, value, f"a whole number, {low} to {high}")

    return validate


def _seconds(low: float, high: float) -> "Callable[[object, Attribute[float], float], None]":
    def validate(_instance: object, attribute: "Attribute[float]", value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ConfigError(attribute.name, value, f"a number of seconds, {low:g} to {high:g}")

    return validate


@frozen(kw_only=True)
class Expansion:
    """What a chat model is asked about a query; nothing is asked where no endpoint for chat is configured.

    ideas: Which of rewrite, salient and hyde. Default: all three (designs/3).
    max_variants: Other wordings that are used besides the original, 0 to 10. Default: 2 (designs/3).
    max_terms: Salient terms that are used, 0 to 64. Default: 8.
    timeout_s: How long each idea may take, in seconds, 0.01 to 60. Default: 5 (designs/3).
    settle_s: How long a query stands before a model is asked about it, in seconds, 0 to 10: what is typed on meanwhile
        is cancelled and never sent. Default: 0.3, longer than between two keys.
    """

    ideas: tuple[str, ...] = field(default=tuple(IDEAS), validator=_known_ideas)
    max_variants: int = field(default=2, validator=_whole(0, 10))
    max_terms: int = field(default=8, validator=_whole(0, 64))
    timeout_s: float = field(default=5.0, validator=_seconds(0.01, 60))
    settle_s: float = field(default=0.3, validator=_seconds(0, 10))


@frozen
class _Failed:
    """Why an idea came to nothing; `reason` completes 'the model REASON' unless it is a sentence of its own."""

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

    Without a model: the original and its own words. A blank query: nothing. An idea that fails: a notice, and what
    there would be without a model. The answer does not depend on the order in which the model's answers come.

    Raises:
        Cancelled: nobody waits any more; nothing else is ever raised.
    """
    if not query.strip():
        return ExpandedQuery(original=query)
    plain = ExpandedQuery(original=query, variants=(query,), terms=own_terms(query))
    if chat is None:
        return plain
    wanted = [IDEAS[name] for name in settings.ideas if IDEAS[name].suits(query)]
    answers = _Asking(chat, cache, query.strip()).ask_all(wanted, settings, budget)
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
class _Asking:
    """One query being asked about."""

    chat: Chat
    cache: AnswerCache
    query: str
    done: "SimpleQueue[tuple[str, object]]" = field(factory=SimpleQueue, init=False)
    abandoned: threading.Event = field(factory=threading.Event, init=False)

    def ask_all(self, ideas: Sequence[AnyIdea], settings: Expansion, budget: Budget) -> dict[str, object]:
        """Each idea's answer, or `_Failed`, in the order of `ideas`."""
        found = {idea.name: self.cache.get(self._key(idea)) for idea in ideas}
        if None in found.values():
            self._wait(settings.settle_s, budget)
        ends = budget.clock() + settings.timeout_s
        deadline = ends if budget.deadline is None else min(ends, budget.deadline)
        own = evolve(budget, deadline=deadline, is_cancelled=lambda: self.abandoned.is_set() or budget.is_cancelled())
        try:
            for idea in ideas:
                if found[idea.name] is None:
                    name = f"expansion-{idea.name}"
                    threading.Thread(target=self._ask, args=(idea, own), name=name, daemon=True).start()
            late = evolve(own, deadline=deadline + _GRACE_S)
            while None in found.values() and not late.is_spent:
                budget.check()
                with suppress(Empty):
                    name, answer = self.done.get(timeout=_LOOK_S)
                    found[name] = answer
            budget.check()
        finally:
            self.abandoned.set()
        missing = _Failed("expansion-timeout", f"took more than {settings.timeout_s:g} s")
        return {name: missing if answer is None else answer for name, answer in found.items()}

    def _wait(self, seconds: float, budget: Budget) -> None:
        settled = evolve(budget, deadline=budget.clock() + seconds)
        while not settled.is_spent:
            budget.check()
            self.abandoned.wait(_LOOK_S)

    def _ask(self, idea: AnyIdea, budget: Budget) -> None:
        """Ask for one idea, in its own thread; whatever happens, `done` hears of it, unless nobody waits."""
        answer: object
        try:
            asked = as_data(self.query)
            said = self.chat.complete(idea.system, asked, max_tokens=idea.max_tokens, budget=budget)
            answer = _read(idea, said, self.query)
            self.cache.put(self._key(idea), answer)
        except Cancelled:
            return
        except ProviderError as error:
            answer = _Failed("expansion-failed", f"failed ({error})")
        except Exception as error:  # noqa: BLE001 - a chat is anybody's code, and a search outlives its bugs
            answer = _Failed("expansion-failed", f"failed ({type(error).__name__})")
        self.done.put((idea.name, answer))

    def _key(self, idea: AnyIdea) -> Key:
        return self.chat.model, idea.name, idea.version, self.query


def _read(idea: AnyIdea, said: str, query: str) -> object:
    """What an answer is good for. One that is good for nothing is remembered as well: it would come again."""
    if is_parroted(said, idea.system):
        return _Failed("expansion-unusable", "said its instructions again")
    try:
        return idea.read(Reply(said), query)
    except Unusable as error:
        return _Failed("expansion-unusable", str(error))


_GIVES = {
    REWRITE.name: "other wordings",
    SALIENT.name: "salient terms",
    HYDE.name: "a passage that might answer it",
}


def _notices(answers: Mapping[str, object]) -> tuple[Notice, ...]:
    """One for each thing that went wrong, however many ideas it cost."""
    names: dict[_Failed, list[str]] = {}
    for name, answer in answers.items():
        if isinstance(answer, _Failed):
            names.setdefault(answer, []).append(name)
    return tuple(
        Notice(NoticeKind.DEGRADED, failed.code, f"The query went without {_listed(cost)}: the model {failed.reason}.")
        for failed, cost in names.items()
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = (_GIVES[name] for name in names)
    return f"{', '.join(first)} and {last}" if first else last
