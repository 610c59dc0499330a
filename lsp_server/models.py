"""Engines with the models that the user named, what a chat model says, and what queries mean, handed to the search.

A key stands in an environment variable and goes from there to the connection alone; settings know the variable's name.
Making an engine sends nothing.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from lsp_server.settings import key_of, with_cache_folder
from search.errors import ConfigError

if TYPE_CHECKING:
    from search.budget import Budget
    from search.engine import Engine
    from search.execution.enrichment import Expand
    from search.execution.understanding import Understand
    from search.providers.endpoint import Endpoint
    from search.query import ExpandedQuery
    from search.settings import Settings

WORDS_FILE = "words.toml"
"""Acronyms, kinds, intents and words of dates of one's own: in the user's folder for settings, and in `.vaultseek/`."""


def engine_of(root: Path, settings: "Settings") -> "Engine":
    """The engine of a vault. Where a key cannot be one, words alone are searched, with a notice.

    Raises:
        VaultError: the folder cannot be searched.
    """
    from search.engine import open_engine  # noqa: PLC0415 - takes numpy and Whoosh with it

    checked = with_cache_folder(with_keys_checked(settings))
    return open_engine(
        root,
        checked,
        key=key_of(checked.embedding),
        rerank_key=key_of(checked.rerank),
        expand=_expand(checked),
        understand=_understand(root),
    )


def with_keys_checked(settings: "Settings") -> "Settings":
    """The settings, with a problem in place of each endpoint whose key is missing or cannot be one."""
    embedding, chat, rerank = (_problem(named) for named in (settings.embedding, settings.chat, settings.rerank))
    return evolve(
        settings,
        embedding=None if embedding else settings.embedding,
        embedding_problem=embedding or settings.embedding_problem,
        chat=None if chat else settings.chat,
        chat_problem=chat or settings.chat_problem,
        rerank=None if rerank else settings.rerank,
        rerank_problem=rerank or settings.rerank_problem,
    )


def _problem(endpoint: "Endpoint | None") -> str:
    """Why an endpoint's key does not do; empty where it does."""
    from search.providers.endpoint import checked_key  # noqa: PLC0415 - the search core is not imported yet

    if endpoint is None or not endpoint.key_variable:
        return ""
    try:
        key = checked_key(key_of(endpoint), endpoint)
    except ConfigError as error:
        return str(error)
    if key:
        return ""
    variable = endpoint.key_variable
    return (
        f"{endpoint.name} wants a key, and the environment variable {variable} is not set; "
        f"set {variable} where vaultseek is started"
    )


def _understand(root: Path) -> "Understand":
    """What queries mean, by the words that come along, the user's own, and the vault's own, in this order.

    Where a file of one's own cannot be used, every answer says so, and what comes along is used.
    """
    from platformdirs import user_config_path  # noqa: PLC0415 - as above

    from expansion.lexicon import lexicon  # noqa: PLC0415 - as above
    from expansion.tables import read_file  # noqa: PLC0415 - as above
    from expansion.understanding import Understanding  # noqa: PLC0415 - as above
    from search.notice import Notice, NoticeKind  # noqa: PLC0415 - as above

    files = (user_config_path("vaultseek", appauthor=False) / WORDS_FILE, root / ".vaultseek" / WORDS_FILE)
    try:
        return Understanding(lexicon(table for file in files if (table := read_file(file)) is not None))
    except ConfigError as error:
        notice = Notice(NoticeKind.DEGRADED, "words-unusable", f"Words of your own are not used: {error}.", error.path)
        return Understanding(lexicon(), notices=(notice,))


def _expand(settings: "Settings") -> "Expand | None":
    if settings.chat is None:
        return None
    from expansion.cache import AnswerCache  # noqa: PLC0415 - as above
    from expansion.expand import Expansion, expand  # noqa: PLC0415 - as above
    from expansion.hyde import HYDE  # noqa: PLC0415 - as above
    from search.providers.openai_compatible import open_remote_chat  # noqa: PLC0415 - as above
    from search.query import Mode  # noqa: PLC0415 - as above

    chat = open_remote_chat(settings.chat, key=key_of(settings.chat))
    for_words, cache = Expansion(timeout_s=min(60.0, settings.chat.timeout_s)), AnswerCache()
    for_meaning = evolve(for_words, prompts=(HYDE.name,))

    def ask(query: str, mode: Mode, budget: "Budget") -> "ExpandedQuery":
        ideas = for_meaning if mode is Mode.VECTOR else for_words
        return expand(query, chat, settings=ideas, cache=cache, budget=budget)

    return ask
