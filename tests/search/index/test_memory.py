"""Memory is given back where that is possible, and nothing breaks where it is not."""

import ctypes

import pytest

from search.index import memory


class Library:
    """A C library with or without `malloc_trim`."""

    def __init__(self, answer=None):
        if answer is not None:
            self.malloc_trim = lambda _: answer


@pytest.mark.parametrize(
    ("platform", "library", "gave"),
    [
        ("linux", Library(1), True),
        ("linux", Library(0), False),
        ("linux", Library(), False),
        ("darwin", Library(1), False),
        ("win32", Library(1), False),
    ],
)
def test_memory_is_given_back_by_glibc_alone(monkeypatch, platform, library, gave):
    monkeypatch.setattr(memory.sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert memory.give_back() is gave


def test_large_blocks_are_asked_to_be_mapped(monkeypatch):
    asked = []
    library = Library()
    library.mallopt = lambda option, value: asked.append((option, value))
    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    memory.return_large_blocks()
    assert asked == [(-3, 1_048_576), (-1, 2_097_152)]


def test_a_program_without_a_c_library_goes_on(monkeypatch):
    def refuse(_):
        raise OSError

    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    assert memory.give_back() is False
    memory.return_large_blocks()
