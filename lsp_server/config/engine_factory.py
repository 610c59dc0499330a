"""Creates search engines with the models that the user configured and with query understanding from `expansion`.

A key goes from its environment variable straight to the connection; settings contain only the variable's name.
Creating an engine sends nothing.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from lsp_server.config.environment import NO_KEYS, Keys, key_of, with_cache_folder
from lsp_server.config.options import ENDPOINTS
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
"""The user's own acronyms, kinds, intents and date words: in the user's config folder and in `.vaultseek/`."""


def engine_of(root: Path, settings: "Settings", keys: Keys = NO_KEYS) -> "Engine":
    """The engine of a vault. With an unusable key it searches by words alone and says so in a notice.

    `keys` are those of the client that searches.

    Raises:
        VaultError: the folder cannot be searched.
    """
    from search.engine import open_engine  # noqa: PLC0415 it imports numpy and Whoosh

    checked = with_cache_folder(with_keys_checked(settings, keys))
    return open_engine(
        root,
        checked,
        key=key_of(checked.embedding, keys),
        rerank_key=key_of(checked.rerank, keys),
        expand=_expand(checked, keys),
        understand=_understand(root),
    )


def with_keys_checked(settings: "Settings", keys: Keys) -> "Settings":
    """The settings with a problem in place of each endpoint whose key is missing or malformed."""
    for name in (option.name for option in ENDPOINTS):
        if problem := _problem(getattr(settings, name), keys):
            settings = evolve(settings, **{name: None, f"{name}_problem": problem})  # type: ignore[arg-type]  # attrs' plugin wants names
    return settings


def _problem(endpoint: "Endpoint | None", keys: Keys) -> str:
    """Why an endpoint's key cannot be used; empty where it can."""
    from search.providers.connection import Connection  # noqa: PLC0415 the search core takes long to import

    if endpoint is None or not endpoint.key_variable:
        return ""
    key = key_of(endpoint, keys)
    try:
        Connection.to(endpoint, key)
    except ConfigError as error:
        return str(error)
    if key.strip():
        return ""
    variable = endpoint.key_variable
    return (
        f"{endpoint.name} needs a key, but the environment variable {variable} is not set; "
        f"set {variable} where vaultseek is started"
    )


def _understand(root: Path) -> "Understand":
    """Query understanding from three word lists: the built-in one, the user's and the vault's, in that order.

    If one of the two files is invalid, the built-in list is used alone and every answer says so.
    """
    from platformdirs import user_config_path  # noqa: PLC0415 only engines need it

    from expansion.lexicon import lexicon  # noqa: PLC0415 only engines need it
    from expansion.tables import read_file  # noqa: PLC0415 only engines need it
    from expansion.understanding import Understanding  # noqa: PLC0415 only engines need it
    from search.notice import Notice, NoticeKind  # noqa: PLC0415 only engines need it

    own = user_config_path("vaultseek", appauthor=False) / WORDS_FILE
    try:
        tables = (read_file(own), read_file(root / ".vaultseek" / WORDS_FILE, vault=root))
        return Understanding(lexicon(table for table in tables if table is not None))
    except ConfigError as error:
        notice = Notice(NoticeKind.DEGRADED, "words-unusable", f"Your own word lists are ignored: {error}.", error.path)
        return Understanding(lexicon(), notices=(notice,))


def _expand(settings: "Settings", keys: Keys) -> "Expand | None":
    if settings.chat is None:
        return None
    from expansion.expand import AnswerCache, Expansion, expand  # noqa: PLC0415 only a chat model needs it
    from expansion.hyde import HYDE  # noqa: PLC0415 only a chat model needs it
    from search.providers.connection import Connection  # noqa: PLC0415 only a chat model needs it
    from search.providers.remote_chat import RemoteChat  # noqa: PLC0415 only a chat model needs it
    from search.query import Mode  # noqa: PLC0415 only a chat model needs it

    chat = RemoteChat(Connection.to(settings.chat, key_of(settings.chat, keys)))
    for_words, cache = Expansion(timeout_s=min(60.0, settings.chat.timeout_s)), AnswerCache()
    for_meaning = evolve(for_words, prompts=(HYDE.name,))

    def ask(query: str, mode: Mode, budget: "Budget") -> "ExpandedQuery":
        ideas = for_meaning if mode is Mode.VECTOR else for_words
        return expand(query, chat, settings=ideas, cache=cache, budget=budget)

    return ask
