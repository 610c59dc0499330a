"""The passage of a note that a model reads instead of the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.snippets.passage import passage
from search.vault.markdown import parse_note

TEXT = """---
x: 1
---
# Trees

About trees.

## Oak

The oak is old.

## Elm

The elm is ill.
"""


def parsed(text):
    return parse_note(NoteId("Trees.md"), text).note


@pytest.mark.parametrize(
    ("line", "n_characters", "expected"),
    [
        (12, 500, "Trees\nTrees > Elm\n## Elm\n\nThe elm is ill."),
        (9, 500, "Trees\nTrees > Oak\n## Oak\n\nThe oak is old.\n\n## Elm\n\nThe elm is ill."),
        (9, 36, "Trees\nTrees > Oak\n\nThe oak is old."),
        (0, 500, "Trees\n---\nx: 1"),
        (99, 500, "Trees\nTrees > Elm\n## Elm\n\nThe elm is ill."),
    ],
)
def test_a_passage_begins_with_its_headings_and_contains_the_line(line, n_characters, expected):
    assert passage(parsed(TEXT), TEXT, line, n_characters=n_characters).startswith(expected)


def test_the_passage_of_an_empty_note_is_its_title():
    assert passage(parsed(""), "", 0, n_characters=100) == "Trees"


@given(st.text(max_size=400), st.integers(0, 50), st.integers(100, 300))
def test_a_passage_is_never_longer_than_requested(text, line, n_characters):
    found = passage(parsed(text), text, line, n_characters=n_characters)
    assert len(found) <= n_characters
