"""Every line of a canvas or a notebook leads to its card or cell in the file."""

import json

import pytest

from search.vault.kinds.places import file_places
from search.vault.kinds.registry import seen_text

CANVAS = json.dumps(
    {
        "nodes": [
            {"id": "f1", "type": "file", "file": "Oak.md"},
            {"id": 'q"\\é', "type": "text", "text": 'Said "id": "c2",\nfirst card'},
            {"id": "c2", "type": "text", "text": "second card"},
            {"type": "text", "text": "card without id"},
        ],
        "edges": [{"id": "e1", "fromNode": "f1", "toNode": "c2", "label": "feeds"}],
    },
    indent=1,
)
CELLS = [
    {"cell_type": "markdown", "source": ['# Title of "cell_type": x\n', "prose"]},
    {"cell_type": "code", "source": "   "},
    {"cell_type": "code", "source": "plot(oak)", "outputs": [{"text": "no"}]},
]
NOTEBOOK = json.dumps({"cells": CELLS}, indent=1)


@pytest.mark.parametrize(
    ("path", "text", "shown", "fragment", "has"),
    [
        ("a.canvas", CANVAS, "Oak.md", "f1", '"f1"'),
        ("a.canvas", CANVAS, "first card", 'q"\\é', '"id": "q'),
        ("a.canvas", CANVAS, "second card", "c2", '   "id": "c2"'),
        ("a.ipynb", NOTEBOOK, "prose", "cell=1", '"cell_type": "markdown"'),
        ("a.ipynb", NOTEBOOK, "plot(oak)", "cell=3", '"cell_type": "code"'),
    ],
)
def test_a_line_leads_to_its_card_or_cell(path, text, shown, fragment, has):
    line = seen_text(path, text).split("\n").index(shown)
    (place,) = file_places(path, text, [line])
    assert place is not None
    assert place.fragment == fragment
    assert has in text.split("\n")[place.line]


def test_lines_without_a_card_of_their_own_have_no_place():
    lines = seen_text("a.canvas", CANVAS).split("\n")
    wanted = [lines.index("feeds"), lines.index("card without id"), 999]
    assert file_places("a.canvas", CANVAS, wanted) == [None, None, None]


@pytest.mark.parametrize("path", ["a.canvas", "a.ipynb", "a.html", "a.md", "a.png"])
@pytest.mark.parametrize("text", ["", "[", "no JSON", '{"nodes": 1, "cells": [3]}'])
def test_no_text_of_any_file_raises(path, text):
    assert file_places(path, text, [0, 5]) == [None, None]
