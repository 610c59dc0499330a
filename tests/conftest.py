"""Fixtures that any test may use. Before any test imports numpy: one thread for arithmetic, as the program has it."""

import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from search.providers.threads import limit_blas_to_one_thread

limit_blas_to_one_thread(os.environ)

settings.register_profile("no clock", deadline=None)  # a busy machine decides no test
settings.load_profile("no clock")

# A shell that runs the tests in the background has them ignore interrupts, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

_CACHE = TemporaryDirectory(prefix="vaultseek-tests-")
os.environ["XDG_CONFIG_HOME"] = _CACHE.name  # nobody's own words change what tests find
os.environ["VAULTSEEK_CACHE"] = _CACHE.name  # also of the processes that tests start: nobody's own cache is touched

_ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared collections; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("VAULTSEEK_SHARED") or _ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared collections: VAULTSEEK_SHARED is unset and {folder} is missing")
    return folder
