"""Engines over small vaults for tests, and a vault whose reading can be held back."""

import threading
from pathlib import Path

from search.engine import Engine
from vaults import write


def many(n_notes: int, text: str = "oak") -> str:
    """A vault of `n_notes` notes with the same text."""
    return "".join(f"--- n{n:03}.md\n{text}\n" for n in range(n_notes))


def engine_of(root: Path, vault: str, **options: object) -> Engine:
    """An engine over a vault that is written below `root`."""
    return Engine(write(root, vault), **options)


class HeldVault:
    """Holds back the reading of a vault until `go` is set."""

    def __init__(self, engine: Engine, monkeypatch) -> None:
        self.go = threading.Event()
        read = engine._vault.read

        def held(*arguments):
            self.go.wait(20)
            return read(*arguments)

        monkeypatch.setattr(engine._vault, "read", held)
