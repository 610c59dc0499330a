# ruff: noqa: INP001 - part of scripts, not of a package; defaults of settings can be anything
"""All plain settings, for the scripts that generate documents and clients from them."""

from collections.abc import Iterator
from typing import Any

import attrs

from lsp_server.config.options import OPTIONS, ServerOptions
from lsp_server.wire.fields import camel
from search.settings import Settings

# What each setting means, for people. Types, ranges and defaults come from the classes.
DESCRIPTIONS = {
    "vaults": "Folders to search as vaults, also without an `.obsidian` folder: absolute paths or `~/…`.",
    "maxResults": "Maximum number of notes in an answer.",
    "patienceS": "How many seconds an answer waits while a vault is read for the first time.",
    "preset": "How to rank: a preset of sources, fusion and boosts.",
    "include": "Search only these: folders, `*.ext`, `#tag`, `[[note]]`. If empty, all notes.",
    "exclude": "Do not search these: folders, `*.ext`, `#tag`, `[[note]]`.",
    "fileTypes": "Which files to search next to Markdown notes; if empty, only notes.",
    "maxNoteBytes": "How much of the beginning of a long note is read.",
    "keepSnapshot": "Keep what was read of the notes in your cache folder, so that the next start is fast.",
    "candidateLimit": "Maximum number of notes to rank for a query.",
    "fusion": "How to combine the results by words and by meaning: by score or by rank.",
    "rrfK": "The constant k of the fusion by rank.",
    "enableSemantic": "Also find notes by their meaning, with a model on this machine.",
    "semanticWeight": "The share of semantic similarity in the score.",
    "semanticScope": "Whether to find notes by meaning, or only to rank those that contain words of the query.",
    "mode": "The default mode of a search: words and meaning, or only one of them.",
    "embeddingModel": "The model on this machine that computes vectors. "
    "`auto` is the multilingual one if it is installed and most notes are not English.",
    "autoIndex": "When to compute vectors without a command.",
    "semanticPatienceS": "How many seconds a search waits for the vectors of its best notes.",
    "indexFolder": "The folder for vectors and snapshots. If empty, your cache folder.",
    "hover": "What a hover gives information on.",
    "symbolHeadings": "Whether *Go to Symbol in Workspace* lists headings too. "
    "If empty, it does except in VS Code, which lists headings itself.",
    "rerankPatienceS": "How many seconds a search waits for the reranker.",
    "rerankThresholdMs": "A reranker whose slowest 5 of 100 answers take longer is switched off for a minute.",
    "rerank": "A `/v1/rerank` endpoint that reorders the best notes. "
    "**Excerpts of your notes and your queries are sent there.**",
    "stemWeight": "The weight of other forms of a word compared to the word itself; 0 ignores them.",
    "typoWeight": "The weight of words that correct a misspelled one; 0 ignores them.",
    "snippets": "How many excerpts to show for each note.",
    "embedding": "An OpenAI-compatible endpoint that computes vectors, instead of the model on this machine. "
    "**Text of your notes is sent there.**",
    "chat": "An OpenAI-compatible endpoint that writes a passage for each question, which is searched as well. "
    "**Your questions are sent there.**",
}


def known_settings() -> Iterator[tuple[str, "attrs.Attribute[Any]", Any]]:
    """Each plain setting: its public name, the field that holds it (with its type resolved), and its default.

    Endpoints and `pipeline` are objects and not included.
    """
    server = ServerOptions()
    for of_server in attrs.fields(attrs.resolve_types(ServerOptions)):
        yield camel(of_server.name), of_server, getattr(server, of_server.name)
    for public_name, path in OPTIONS.items():
        owner: Any = Settings()
        for name in path[:-1]:
            owner = getattr(owner, name)
        last = path[-1]
        yield public_name, attrs.fields_dict(attrs.resolve_types(type(owner)))[last], getattr(owner, last)
