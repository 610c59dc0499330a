"""The designs, each a value of the one pipeline, by the name that a client or a setting asks for."""

from collections.abc import Callable, Mapping

from search.errors import ConfigError
from search.settings import Pipeline, tiered_lexical

PRESETS: Mapping[str, Callable[[], Pipeline]] = {"tiered-lexical": tiered_lexical}


def preset(name: str) -> Pipeline:
    """The pipeline of that name.

    Raises:
        ConfigError: there is none.
    """
    if name not in PRESETS:
        raise ConfigError("preset", name, " or ".join(PRESETS))
    return PRESETS[name]()
