"""Every line of a canvas or a notebook leads to its card or cell in the file."""

import json

import pytest

from search.vault.kinds.places import FilePlace, file_places, fragments
from search.vault.kinds.registry import seen_text

CANVAS = json.dumps(
    {
        "nodes": [
            {"id": "f1", "type": "file", "file": "Oak.md"},
            {"id": 'q"\\é', "type": "text", "text": 'Said "id": "c2",\nfirst card'},
            {"id": "c2", "type": "text", "text": "second card"},
            {"type": "text", "text": "card without id"},
            {"id": "x" * 201, "type": "text", "text": "card with a very long id"},
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


def test_a_card_without_an_id_is_named_by_its_number_and_all_edges_together():
    lines = seen_text("a.canvas", CANVAS).split("\n")
    wanted = [lines.index("feeds"), lines.index("card without id"), lines.index("card with a very long id")]
    assert file_places("a.canvas", CANVAS, wanted) == [
        FilePlace("edges", 0),
        FilePlace("card=4", 0),
        FilePlace("card=5", 0),
    ]


def test_every_line_of_a_canvas_is_in_a_part_with_a_name():
    lines = seen_text("a.canvas", CANVAS).split("\n")
    parts = fragments("a.canvas", CANVAS)
    assert [(fragment, lines[line]) for line, fragment in parts] == [
        ("f1", "Oak.md"),
        ("edges", "feeds"),
        ('q"\\é', 'Said "id": "c2",'),
        ("c2", "second card"),
        ("card=4", "card without id"),
        ("card=5", "card with a very long id"),
    ]


def test_a_canvas_without_edges_has_no_part_for_them():
    card = {"nodes": [{"id": "c1", "type": "text", "text": "only"}], "edges": [{"id": "e"}]}
    assert fragments("a.canvas", json.dumps(card)) == ((0, "c1"),)


@pytest.mark.parametrize("path", ["a.canvas", "a.ipynb", "a.html", "a.md", "a.png"])
@pytest.mark.parametrize("text", ["", "[", "no JSON", '{"nodes": 1, "cells": [3]}'])
def test_no_text_of_any_file_raises(path, text):
    assert file_places(path, text, [0, 5]) == [None, None]
