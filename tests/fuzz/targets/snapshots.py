"""Snapshots whose bytes were changed: absent, or with the answers of a vault that was read."""

import tempfile
from functools import cache
from pathlib import Path
from unittest.mock import patch

from hypothesis import strategies as st

from search.cache.snapshot_file import read_sections
from search.index.snapshot import _made_by
from search.vault.settings import VaultSettings
from tests.fuzz.target import Target, mutated
from tests.search.index.test_snapshot import everything, lay_out, opened

FIRST = {"a.md": "# Oak\noak [[b]] running #elm", "b.md": "knowledge of oak", "x/c d.md": "up:: [[a]] elm"}
SECOND = {**FIRST, "b.md": "another text of it"}


@cache
def vault() -> tuple[Path, bytes, bytes]:
    """A vault, its snapshot, and the snapshot of an earlier state of it."""
    folder = Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-"))
    with patch("search.index.indexer._FEW_NOTES", 1):
        return lay_out(folder / "v", FIRST), _saved(folder, SECOND), _saved(folder, FIRST)


def _saved(folder: Path, texts: dict[str, str]) -> bytes:
    engine = opened(lay_out(folder / "v", texts), folder / "s")
    engine.refresh()
    engine.save_snapshot()
    return (folder / "s").read_bytes()


@cache
def read_anew() -> dict[str, object]:
    """What an engine says that reads the vault."""
    return everything(opened(vault()[0]))


def check_snapshot(data: bytes) -> None:
    """A snapshot with any change in it is absent or changes no answer."""
    with tempfile.TemporaryDirectory(prefix="vaultseek-fuzz-") as name:
        path = Path(name) / "s"
        path.write_bytes(data)
        is_whole = data in vault()[1:]
        assert (read_sections(path, _made_by(VaultSettings())) is not None) >= is_whole
        assert everything(opened(vault()[0], path)) == read_anew()


def _seeds() -> tuple[bytes, ...]:
    return vault()[1:]


def _inputs() -> st.SearchStrategy[bytes]:
    return mutated(_seeds(), (_seeds()[0][:9], b" ", b"\n", b"0", b'"', b"]", b"\0"))


TARGETS = (Target("snapshots", check_snapshot, st.deferred(_inputs), seeds=_seeds, n_examples=80),)
