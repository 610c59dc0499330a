"""Which strings name a note."""

import pytest

from search.ids import NoteId
from search.vault.paths import is_note_id, join, to_note_id

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
    assert join("/vault", NoteId(text)) == f"/vault/{text}"
    assert to_note_id("/vault", f"/vault/{text}") == text


@pytest.mark.parametrize("text", BAD)
def test_what_leads_elsewhere_is_refused(text):
    assert not is_note_id(text)
    with pytest.raises(ValueError, match="not the path of a note"):
        join("/vault", NoteId(text))


@pytest.mark.parametrize("path", ["/vault2/a.md", "/a.md", "/vault", "/vault/../a.md", "a.md"])
def test_a_file_outside_the_vault_has_no_id(path):
    assert to_note_id("/vault", path) is None
