"""The options that a client can set under `vaultseek`: at initialize, by didChangeConfiguration or when asked.

Each option names the place in `search.settings.Settings` that it sets. Its type and range are read from there, so that
they are written once. `ServerOptions` holds the options of the server itself.
"""

from collections.abc import Mapping
from typing import Literal

from attrs import field, frozen

from lsp_server.wire.fields import InRange, UpTo

SECTION = "vaultseek"
PIPELINE = "pipeline"
"""The option for an object with changes to the preset's pipeline, see `pipeline_json.py`."""


@frozen(kw_only=True)
class ServerOptions:
    """Options of the server itself; the search core does not know them."""

    vaults: tuple[str, ...] = field(default=(), validator=UpTo(100))
    """Folders (absolute paths, `~` or file URIs) that are searched even though nothing marks them as vaults. Empty by
    default: the server reads no folder without a sign that the user wants it searched."""

    max_results: int = field(default=30, validator=InRange(1, 100))
    """Notes in an answer, unless the request sets a number (designs/3, Search Options)."""

    patience_s: float = field(default=3.0, validator=InRange(0, 60))
    """How long an answer waits, in seconds, while a vault is read for the first time; after that it covers the notes
    read so far. Reading 10,000 notes of 2 KB takes about 3."""

    hover: tuple[Literal["links", "unresolved", "tags", "headings"], ...] = ("links", "unresolved", "tags", "headings")
    """What a hover gives information on: all four by default, nothing for an empty list."""

    symbol_headings: bool | None = None
    """Whether `workspace/symbol` returns headings in addition to notes and aliases. None means yes, except in VS Code,
    whose Markdown extension lists them itself."""


@frozen
class EndpointOption:
    """An endpoint: an object with the named fields of `search.providers.endpoint.Endpoint`."""

    name: str  # also the attribute of `Settings`, whose `NAME_problem` says why the endpoint cannot be used
    fields: tuple[str, ...]
    timeout_s: float = 60.0  # the longest time for one request, unless the client sets it


ENDPOINTS = (
    EndpointOption(
        "embedding",
        (
            "baseUrl",
            "model",
            "keyVariable",
            "dimensions",
            "batchSize",
            "timeoutS",
            "maxTokens",
            "queryPrefix",
            "passagePrefix",
        ),
    ),
    # designs/3 gives a chat model 5 s, because the user is waiting.
    EndpointOption("chat", ("baseUrl", "model", "keyVariable", "timeoutS"), timeout_s=5.0),
    EndpointOption("rerank", ("baseUrl", "model", "keyVariable", "timeoutS", "batchSize")),
)

PRESET = "preset"
"""The option that is resolved first: `pipeline` and all other options change the preset's pipeline."""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    PRESET: ("preset",),
    "include": ("vault", "include"),
    "exclude": ("vault", "exclude"),
    "fileTypes": ("vault", "file_types"),
    "maxNoteBytes": ("vault", "max_note_bytes"),
    "keepSnapshot": ("keep_snapshot",),
    "candidateLimit": ("pipeline", "grep", "candidate_limit"),
    "stemWeight": ("pipeline", "stems", "weight"),
    "typoWeight": ("pipeline", "typos", "weight"),
    "fusion": ("pipeline", "fusion"),
    "rrfK": ("pipeline", "rrf", "k"),
    "enableSemantic": ("enable_semantic",),
    "semanticWeight": ("pipeline", "semantic", "weight"),
    "semanticScope": ("pipeline", "semantic", "scope"),
    "mode": ("mode",),
    "embeddingModel": ("embedding_model",),
    "autoIndex": ("indexing", "auto_index"),
    "semanticPatienceS": ("indexing", "patience_s"),
    "indexFolder": ("indexing", "folder"),
    "rerankPatienceS": ("reranking", "timeout_s"),
    "rerankThresholdMs": ("reranking", "p95_threshold_ms"),
    "snippets": ("n_snippets",),
}
"""The settings of the search core: public name -> attribute names from `Settings` downwards."""
