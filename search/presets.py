"""The designs, each a value of the one pipeline, by the name that a client or a setting asks for."""

from collections.abc import Callable, Mapping

from search.settings import Pipeline, tiered_lexical

PRESETS: Mapping[str, Callable[[], Pipeline]] = {"tiered-lexical": tiered_lexical}
