"""Where a remote model is and how it is asked: what a user configures, checked before anything is sent.

The key is no part of it. `key_variable` only names where the caller finds it, so that settings can be shown and logged.
"""

import re
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen
from attrs.validators import optional

from search.errors import ConfigError, number, true_or_false, whole_number
from search.providers.scripts import Script

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_METHOD = re.compile(r"/(?:embeddings|(?:chat/)?completions|rerank|models)/?$")


def _address(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    allowed = "an address such as http://127.0.0.1:11434/v1, without user, password, query or fragment"
    if not isinstance(value, str):
        raise ConfigError(attribute.name, value, allowed)
    try:
        parts = urlsplit(value)
        _ = parts.port  # raises where it is no number
        secret = parts.username is not None or "?" in value or "#" in value
    except ValueError as error:
        raise ConfigError(attribute.name, value, allowed) from error
    if secret:  # may hold a key, so it is not repeated
        raise ConfigError(attribute.name, f"{parts.scheme}://{parts.hostname}/…", allowed)
    is_odd = not value.isprintable() or " " in value or "\\" in value
    if parts.scheme not in {"http", "https"} or not parts.hostname or is_odd:
        raise ConfigError(attribute.name, value, allowed)
    if method := _METHOD.search(value):
        raise ConfigError(attribute.name, value, f"the address without {method[0]}, usually ending in /v1")


def _without_slash(address: str) -> str:
    return address.rstrip("/") if isinstance(address, str) else address


def _model(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    if not isinstance(value, str) or not value or len(value) > 200 or not value.isprintable() or " " in value:
        raise ConfigError(attribute.name, value, "a model's name as the endpoint knows it, without spaces")


def _variable(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    if not isinstance(value, str) or (value and not _VARIABLE.fullmatch(value)):
        # Whoever puts the key itself here must not find it in a message.
        raise ConfigError(attribute.name, "…", "the name of an environment variable, never the key itself")


def _prefix(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    if not isinstance(value, str) or len(value) > 1000 or re.search("[\0\ud800-\udfff]", value):
        raise ConfigError(attribute.name, value, "a text of at most 1,000 characters")


def _scripts(_instance: object, attribute: "Attribute[Script | None]", value: object) -> None:
    if value is not None and not isinstance(value, tuple):
        raise ConfigError(attribute.name, value, "ranges of code points, or nothing for all scripts")


@frozen(kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint and one model of it, for vectors or for chat.

    base_url: Its address, without `/embeddings`; usually ends in `/v1`. http or https.
    model: The model's name as the endpoint knows it.
    key_variable: The environment variable that holds the key; empty where none is needed, as with local servers.
    dimensions: The length of vector to ask for, 1 to 16,384. Default: none, which takes what the model gives; not
        every server understands the question.
    batch_size: Texts to a request, 1 to 2,048. Default: 32; a server that refuses it gets half, and half of that.
    timeout_s: The longest that one request may take, in seconds, 0.1 to 3,600. Default: 60, since a local model on a
        slow machine takes its time for a batch.
    max_tokens: The longest chunk that is made for the model, in its tokens (estimated), 16 to 1,000,000. Default: 512,
        which suits nearly every embedding model; a longer chunk says more about less.
    scripts: The scripts that the model reads, as ranges of code points. Default: none, which means all.
    default_weight: The semantic weight that suits the model, 0 to 1. Default: 0.6 (designs/3).
    graph_gate: The cosine from which a note counts as sure, 0 to 1. Default: 0.75 (designs/3).
    noise_floor: The cosine below which two texts are strangers, 0 to 1. Default: 0.2; models differ.
    query_prefix: What the model wants to see in front of a question, as "search_query: ". Default: nothing.
    passage_prefix: The same for what is searched. Default: nothing.
    uses_proxy: Whether the proxy that the environment names is used. Default: false, since a note's text should go
        where the user said and nowhere else.
    """

    base_url: str = field(converter=_without_slash, validator=_address)
    model: str = field(validator=_model)
    key_variable: str = field(default="", validator=_variable)
    dimensions: int | None = field(default=None, validator=optional(whole_number(1, 16_384)))
    batch_size: int = field(default=32, validator=whole_number(1, 2048))
    timeout_s: float = field(default=60.0, validator=number(0.1, 3600.0))
    max_tokens: int = field(default=512, validator=whole_number(16, 1_000_000))
    scripts: Script | None = field(default=None, validator=_scripts)
    default_weight: float = field(default=0.6, validator=number(0.0, 1.0))
    graph_gate: float = field(default=0.75, validator=number(0.0, 1.0))
    noise_floor: float = field(default=0.2, validator=number(0.0, 1.0))
    query_prefix: str = field(default="", validator=_prefix)
    passage_prefix: str = field(default="", validator=_prefix)
    uses_proxy: bool = field(default=False, validator=true_or_false)

    @property
    def name(self) -> str:
        """How messages call it.

        >>> Endpoint(base_url="http://localhost:1234/v1", model="nomic").name
        'nomic at http://localhost:1234/v1'
        """
        return f"{self.model} at {self.base_url}"

    @property
    def vectors_name(self) -> str:
        """The name of its vectors: all that changes them, so that those of different names are never compared.

        The address is part of it, since two servers may call different models the same.

        >>> Endpoint(base_url="http://localhost:1234/v1", model="nomic", dimensions=256).vectors_name
        'nomic@localhost:1234/v1#256'
        """
        address = self.base_url.partition("://")[2]
        prefixes = f"#{self.query_prefix}|{self.passage_prefix}" if self.query_prefix or self.passage_prefix else ""
        return f"{self.model}@{address}{f'#{self.dimensions}' if self.dimensions else ''}{prefixes}"


def checked_key(key: str, endpoint: Endpoint) -> str:
    """The key without the white space around it; empty for none.

    Raises:
        ConfigError: it could not be sent in a header. The message does not hold it.
    """
    bare = key.strip()
    if not all("!" <= char <= "~" for char in bare):
        name = f"${endpoint.key_variable}" if endpoint.key_variable else "key"
        raise ConfigError(name, "…", "a key of printable ASCII characters, without spaces")
    return bare
