"""What a client may set under `vaultseek`: in initializationOptions, by didChangeConfiguration or when it is asked.

An option names the place in `search.settings.Settings` that it sets; its type and its range are read there, so that
neither is written twice. What belongs to the server alone stands in `ServerOptions`.
"""

from typing import Literal

from attrs import field, frozen

from lsp_server.wire import UpTo, Within

SECTION = "vaultseek"
PIPELINE = "pipeline"
"""An object of the parts of a design that differ from the preset's, see `designs.py`."""


@frozen(kw_only=True)
class ServerOptions:
    """Options that the search core does not know."""

    vaults: tuple[str, ...] = field(default=(), validator=UpTo(100))
    """Folders (absolute paths, `~` or file URIs) that may be searched although nothing marks them as vaults. None by
    default: nothing is read without a sign that the user wants it."""

    max_results: int = field(default=30, validator=Within(1, 100))
    """Notes in an answer where the request does not say (designs/3, Search Options)."""

    patience_s: float = field(default=3.0, validator=Within(0, 60))
    """How long an answer waits for a vault that is being read for the first time, in seconds, before it is given from
    what is there. 10,000 notes of 2 KB take about 3."""

    hover: tuple[Literal["links", "unresolved", "tags", "headings"], ...] = ("links", "unresolved", "tags", "headings")
    """On what a hover says something; all four by default, none of them for an empty list."""

    symbol_headings: bool | None = None
    """Whether `workspace/symbol` gives headings beside notes and aliases. None: yes, but not to VS Code, whose Markdown
    extension lists them itself."""


@frozen
class Option:
    """One of the search core's settings under its public name."""

    name: str
    path: tuple[str, ...]  # attribute names from `Settings` downwards


@frozen
class EndpointOption:
    """An endpoint, as an object of the named fields of `search.providers.endpoint.Endpoint`."""

    name: str  # also that of the attribute of `Settings`; `NAME_problem` says there why it cannot be used
    fields: tuple[str, ...]
    timeout_s: float = 60.0  # that of a request where the client names none


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
    EndpointOption("chat", ("baseUrl", "model", "keyVariable", "timeoutS"), timeout_s=5.0),  # designs/3: somebody waits
    EndpointOption("rerank", ("baseUrl", "model", "keyVariable", "timeoutS", "batchSize")),
)

PRESET = Option("preset", ("preset",))  # the design that the options of the pipeline, and `pipeline` itself, change
OPTIONS = (
    PRESET,
    Option("include", ("vault", "include")),
    Option("exclude", ("vault", "exclude")),
    Option("maxNoteBytes", ("vault", "max_note_bytes")),
    Option("candidateLimit", ("pipeline", "grep", "candidate_limit")),
    Option("stemWeight", ("pipeline", "stems", "weight")),
    Option("typoWeight", ("pipeline", "typos", "weight")),
    Option("fusion", ("pipeline", "fusion")),
    Option("rrfK", ("pipeline", "rrf", "k")),
    Option("enableSemantic", ("enable_semantic",)),
    Option("semanticWeight", ("pipeline", "semantic", "weight")),
    Option("semanticScope", ("pipeline", "semantic", "scope")),
    Option("mode", ("mode",)),
    Option("embeddingModel", ("embedding_model",)),
    Option("autoIndex", ("indexing", "auto_index")),
    Option("semanticPatienceS", ("indexing", "patience_s")),
    Option("indexFolder", ("indexing", "folder")),
    Option("rerankPatienceS", ("reranking", "timeout_s")),
    Option("rerankThresholdMs", ("reranking", "p95_threshold_ms")),
    Option("snippets", ("n_snippets",)),
)
