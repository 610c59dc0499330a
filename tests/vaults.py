"""Vaults for tests, written as one string: `--- path` begins each note."""

from pathlib import Path
from typing import Any

from search.answer.result import SearchResult
from search.engine import Engine
from search.query import Query


def notes_of(vault: str) -> dict[str, str]:
    """Each note's path and text."""
    parts = f"\n{vault}".split("\n--- ")[1:]
    return {path.strip(): text for path, _, text in (part.partition("\n") for part in parts)}


def write(root: Path, vault: str) -> Path:
    """Write the notes below `root`, in addition to existing ones."""
    for path, text in notes_of(vault).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return root


def ids(result: SearchResult) -> list[str]:
    """The notes found, in their order."""
    return [found.hit.id for found in result.hits]


def codes(result: SearchResult) -> list[str]:
    """The notices' codes."""
    return [notice.code for notice in result.notices]


def search(engine: Engine, query: str, **options: Any) -> SearchResult:
    """The answer to a query."""
    return engine.search(Query(text=query, **options))


def ask(engine: Engine, query: str, **options: Any) -> list[str]:
    """The notes that a query finds, in their order."""
    return ids(search(engine, query, **options))


def first_note(root: Path, vault: str, query: str) -> str:
    """The first note that a query finds in a vault, which is written below `root`."""
    return ask(Engine(write(root, vault)), query)[0]


def highlighted(result: SearchResult, note: str) -> list[str]:
    """Every highlighted text of a note's excerpts."""
    found = next(found for found in result.hits if found.hit.id == note)
    return [snippet.text[a:b] for snippet in found.snippets for a, b in snippet.highlights]
