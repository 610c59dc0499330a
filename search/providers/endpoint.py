"""The settings of a remote model: its address, its name and its limits. They are checked before anything is sent.

The key is not part of the settings, so that they can be shown and logged. `key_variable` names the environment variable
with the key.
"""

import re
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen
from attrs.validators import optional

from search.errors import ConfigError, number, true_or_false, whole_number
from search.ports import Traits
from search.providers.scripts import Script

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_METHOD = re.compile(r"/(?:embeddings|(?:chat/)?completions|rerank|models)/?$")


def _address(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    allowed = "an address such as http://127.0.0.1:11434/v1, without user, password, query or fragment"
    if not isinstance(value, str):
        raise ConfigError(attribute.name, value, allowed)
    try:
        parts = urlsplit(value)
        _ = parts.port  # raises if it is not a number
        secret = parts.username is not None or "?" in value or "#" in value
    except ValueError as error:
        raise ConfigError(attribute.name, value, allowed) from error
    if secret:  # it may contain a key, so the message must not repeat it
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
        raise ConfigError(attribute.name, value, "the name of a model as the endpoint knows it, without spaces")


def _variable(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    if not isinstance(value, str) or (value and not _VARIABLE.fullmatch(value)):
        # A user may have put the key itself here, so the message must not repeat it.
        raise ConfigError(attribute.name, "…", "the name of an environment variable, never the key itself")


def _prefix(_instance: object, attribute: "Attribute[str]", value: object) -> None:
    if not isinstance(value, str) or len(value) > 1000 or re.search("[\0\ud800-\udfff]", value):
        raise ConfigError(attribute.name, value, "a text of at most 1,000 characters")


def _below_gate(instance: "Endpoint", attribute: "Attribute[float]", value: float) -> None:
    number(0.0, 1.0)(instance, attribute, value)
    if value >= instance.graph_gate:
        raise ConfigError(attribute.name, value, f"a number below graphGate, which is {instance.graph_gate}")


def _scripts(_instance: object, attribute: "Attribute[Script | None]", value: object) -> None:
    if value is not None and not isinstance(value, tuple):
        raise ConfigError(attribute.name, value, "ranges of code points, or nothing for all scripts")


@frozen(kw_only=True)
class Endpoint(Traits):
    """An OpenAI-compatible endpoint and one model of it, for vectors or for chat.

    base_url: Its address, without `/embeddings`; usually ends in `/v1`. http or https.
    model: The name of the model as the endpoint knows it.
    key_variable: The environment variable with the key; empty if the endpoint needs none, as most local servers.
    dimensions: The length of vector to ask for, 1 to 16,384. Default: none, which takes the model's own length; not
        every server supports this field.
    batch_size: Texts per request, 1 to 2,048. Default: 32; if the server refuses it, it is halved until it fits.
    timeout_s: The longest time for one request, in seconds, 0.1 to 3,600. Default: 60, since a local model on a slow
        machine takes long for a batch.
    max_tokens: The longest chunk that is made for the model, in its tokens (estimated), 16 to 1,000,000. Default: 512,
        which suits nearly every embedding model; the vector of a longer chunk is less precise.
    scripts: The scripts that the model reads, as ranges of code points. Default: none, which means all.
    default_weight: The semantic weight that suits the model, 0 to 1. Default: 0.6 (designs/3).
    graph_gate: The cosine from which a note counts as a sure hit, 0 to 1. Default: 0.75 (designs/3).
    noise_floor: The cosine below which two texts are unrelated, 0 to 1, below `graph_gate`. Default: 0.2; models
        differ.
    query_prefix: The text that the model expects before a query, such as "search_query: ". Default: nothing.
    passage_prefix: The text that the model expects before a passage of a note. Default: nothing.
    uses_proxy: Whether to use the proxy that the environment names. Default: false, since a note's text should go to
        the address that the user configured and nowhere else.
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
    noise_floor: float = field(default=0.2, validator=_below_gate)
    query_prefix: str = field(default="", validator=_prefix)
    passage_prefix: str = field(default="", validator=_prefix)
    uses_proxy: bool = field(default=False, validator=true_or_false)

    @property
    def name(self) -> str:
        """The name of the model in messages.

        >>> Endpoint(base_url="http://localhost:1234/v1", model="nomic").name
        'nomic at http://localhost:1234/v1'
        """
        return f"{self.model} at {self.base_url}"

    @property
    def vectors_name(self) -> str:
        """The name under which its vectors are stored. It contains every setting that changes the vectors.

        Vectors of different names are never compared. The address is part of the name, since two servers may give
        different models the same name.

        >>> Endpoint(base_url="http://localhost:1234/v1", model="nomic", dimensions=256).vectors_name
        'nomic@localhost:1234/v1#256'
        """
        address = self.base_url.partition("://")[2]
        prefixes = f"#{self.query_prefix}|{self.passage_prefix}" if self.query_prefix or self.passage_prefix else ""
        return f"{self.model}@{address}{f'#{self.dimensions}' if self.dimensions else ''}{prefixes}"
