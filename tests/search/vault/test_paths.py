"""Which strings are valid note ids."""

import pytest

from search.vault.paths import is_note_id

GOOD = ["a.md", "a.markdown", "A.MD", "v1..2.md", "a~b.md", "a/b c/é.md", "~a/x.md", "a:b.md", "...md"]
BAD = [
    "/abs.md",
    "\\x.md",
    "../evil.md",
    "a/../b.md",
    "~/x.md",
    "C:/x.md",
    "c:\\x.md",
    "",
    "a//b.md",
    "./a.md",
]
BAD += ["a/./b.md", "a\\..\\b.md", "a\0.md", "a/", ".."]


@pytest.mark.parametrize("text", GOOD)
def test_a_relative_path_of_a_note_is_a_note_id(text):
    assert is_note_id(text)


@pytest.mark.parametrize("text", BAD)
def test_other_paths_are_not_note_ids(text):
    assert not is_note_id(text)
