"""Which strings name a note."""

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
    "a.txt",
]
BAD += ["a/./b.md", "a\\..\\b.md", "a\0.md", "a/", ".."]


@pytest.mark.parametrize("text", GOOD)
def test_a_path_below_the_vault_names_a_note(text):
    assert is_note_id(text)


@pytest.mark.parametrize("text", BAD)
def test_what_leads_elsewhere_is_refused(text):
    assert not is_note_id(text)
