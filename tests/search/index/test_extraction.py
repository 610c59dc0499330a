"""A caller that waits for the texts of attachments sees the progress, and can stop waiting."""

import threading
from types import SimpleNamespace

import pytest

from search.budget import Budget, Cancelled
from search.index import extraction as extraction_module
from search.index.extraction import Extraction

FILES = ("a.pdf", "b.pdf", "c.pdf")


class SlowVault:
    """Its files are pending; each is parsed once it is released."""

    def __init__(self):
        child = SimpleNamespace(rest=lambda: None, close=lambda: None)
        self.attachments = SimpleNamespace(pending=FILES, problem="", child=child)
        self.released = [threading.Event() for _ in FILES]

    def extract(self, note_id):
        """Parse a file that is released."""
        assert self.released[FILES.index(note_id)].wait(60)
        self.attachments.pending = self.attachments.pending[1:]
        return True


@pytest.fixture
def vault():
    return SlowVault()


@pytest.fixture
def extraction(vault, monkeypatch):
    monkeypatch.setattr(extraction_module, "_BATCH_S", 0.0)
    opened = Extraction(vault, lambda _: None, lambda: None)
    opened.start()
    yield opened
    for event in vault.released:
        event.set()
    opened.close()


def test_progress_is_reported_until_all_files_are_done(vault, extraction):
    seen = []

    def report(done, total):
        seen.append((done, total))
        if done < len(FILES):
            vault.released[done].set()

    extraction.wait(progress=report)
    assert seen[0] == (0, 3)
    assert {(1, 3), (2, 3)} <= set(seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert extraction.thread is None


def test_a_cancelled_caller_stops_waiting_and_the_work_goes_on(vault, extraction):
    seen = []
    budget = Budget(is_cancelled=lambda: bool(seen))
    with pytest.raises(Cancelled):
        extraction.wait(budget=budget, progress=lambda *counts: seen.append(counts))
    assert seen == [(0, 3)]
    assert extraction.thread is not None
    for event in vault.released:
        event.set()
    extraction.wait()
    assert vault.attachments.pending == ()


def test_a_caller_without_patience_does_not_wait(extraction):
    extraction.wait(0.0, progress=lambda *_: pytest.fail("waited"))
    assert extraction.thread is not None
