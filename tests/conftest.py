"""Fixtures and settings for all tests.

Limits arithmetic to one thread, as the program does, before any test imports numpy.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from search.providers.threads import limit_blas_to_one_thread
from tests.kit.skips import pytest_make_collect_report, pytest_runtest_makereport

__all__ = ["pytest_make_collect_report", "pytest_runtest_makereport"]  # hooks

limit_blas_to_one_thread(os.environ)

# No deadlines, so that a busy machine fails no test; CI uses the same random examples as a local run.
settings.register_profile("thorough", settings.get_profile("default"), deadline=None)
settings.register_profile("quick", settings.get_profile("default"), deadline=None, max_examples=20)
settings.load_profile("thorough")

# A shell that runs tests in the background makes them ignore interrupts, and their child processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

_CACHE = TemporaryDirectory(prefix="vaultseek-tests-")
os.environ["XDG_CONFIG_HOME"] = _CACHE.name  # your own settings change no test
os.environ["VAULTSEEK_CACHE"] = _CACHE.name  # no test, and no process that a test starts, touches your own cache

_ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of the judged collections; without it the tests that need it are skipped."""
    folder = Path(os.environ.get("VAULTSEEK_SHARED") or _ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared collections: VAULTSEEK_SHARED is unset and {folder} is missing")
    return folder


@pytest.fixture
def attempts(request: pytest.FixtureRequest) -> Callable[[int], None]:
    """Takes how many things a test has tried, such as kills or messages, for the table of `make harden`."""
    return lambda n: request.node.user_properties.append(("attempts", n))
