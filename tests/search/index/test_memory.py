"""Unused memory goes back to the system where the C library allows it; elsewhere nothing breaks."""

import ctypes

import pytest

from search.index import memory


class Library:
    """A C library with or without `malloc_trim`."""

    def __init__(self, answer=None):
        if answer is not None:
            self.malloc_trim = lambda _: answer


@pytest.mark.parametrize(
    ("platform", "library", "is_trimmed"),
    [
        ("linux", Library(1), True),
        ("linux", Library(0), False),
        ("linux", Library(), False),
        ("darwin", Library(1), False),
        ("win32", Library(1), False),
    ],
)
def test_the_heap_is_trimmed_with_glibc_only(monkeypatch, platform, library, is_trimmed):
    monkeypatch.setattr(memory.sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert memory.trim_heap() is is_trimmed


def test_configuring_the_allocator_sets_both_thresholds(monkeypatch):
    options = []
    library = Library()
    library.mallopt = lambda option, value: options.append((option, value))
    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    memory.configure_allocator()
    assert options == [(-3, 1_048_576), (-1, 2_097_152)]


def test_without_a_c_library_nothing_happens(monkeypatch):
    def refuse(_):
        raise OSError

    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    assert memory.trim_heap() is False
    memory.configure_allocator()
