"""Fixtures that any test may use."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared collections; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("VAULTSEEK_SHARED") or _ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared collections: VAULTSEEK_SHARED is unset and {folder} is missing")
    return folder
