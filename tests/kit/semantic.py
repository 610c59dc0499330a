"""Vaults and helpers for tests of engines with semantic search."""

import contextlib
import threading

VAULT = """
--- Garage.md
# Garage
The automobile needs oil.
--- Health.md
# Health
Call the doctor on Monday.
--- Notes/Oil.md
Oil for the lamp.
"""
LONG_NOTE = "--- Long.md\n" + "\n\n".join(f"endless w{n} " * 25 for n in range(300))


def many_notes(n):
    """A vault of `n` short notes in the folder Many."""
    return "\n".join(f"--- Many/{at:02d}.md\nword{at} and more" for at in range(n))


def wait_for_indexer(engine):
    """Wait until the background indexer has done its work."""
    thread = engine.semantic.indexer.thread
    if thread is not None:
        thread.join(60)


@contextlib.contextmanager
def model_in_use(engine):
    """Let another thread hold the engine's model."""
    is_held, release = threading.Event(), threading.Event()

    def hold():
        with engine.semantic.maintenance.scheduler.model_lock:
            is_held.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert is_held.wait(30)
        yield
    finally:
        release.set()
        thread.join()


class Pause:
    """Stops a thread where it calls this object, until `release` is set."""

    def __init__(self, applies=lambda _text: True):
        self.is_reached, self.release = threading.Event(), threading.Event()
        self._applies = applies

    def __call__(self, text):
        """Wait for `release`, if `applies` is true for the text."""
        if self._applies(text) and not self.release.is_set():
            self.is_reached.set()
            self.release.wait(30)
