"""The designs, each a value of the one pipeline, by the name that a client or a setting asks for."""

from collections.abc import Callable, Mapping

from search.design import Pipeline
from search.errors import ConfigError
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.normalize import Normalize
from search.stages.title import Title

DEFAULT = "tiered-lexical"


def tiered_lexical() -> Pipeline:
    """designs/3: grep, then words, raised by folder and links, exact names first, min-max.

    Fused by score, not by rank as the document has it: neighbouring ranks differ by 1.6 %, a boost gives up to 15 %,
    so that after a fusion by rank a note far down would overtake a much better match (tests/ranking).
    """
    return Pipeline(name="tiered-lexical", stages=(Folder(), Graph(), Title(), Normalize()))


PRESETS: Mapping[str, Callable[[], Pipeline]] = {"tiered-lexical": tiered_lexical}


def preset_named(name: str) -> Pipeline:
    """A preset's pipeline.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in PRESETS:
        raise ConfigError("preset", name, "one of " + ", ".join(PRESETS))
    return PRESETS[name]()
