"""What is marked in an excerpt is what matched."""

import pytest

from search.engine import Engine
from search.query import Mode
from vaults import highlighted, search, write

VAULT = """
--- Garden.md
A big house stands here.
The tree is small.
Behind it grows a big tree, and the oak.
--- Big tree.md
The tree is an oak.
"""
MARKS = [  # query -> what is marked in Garden.md
    ('"big tree"', {"big tree"}),
    ("“big tree”", {"big tree"}),
    ('"BIG TREE" oak', {"big tree", "oak"}),
    ('"big tree" small', {"big tree", "small"}),
    ('"big tree" tree', {"big tree", "tree"}),
    ('"big tree" OR none', {"big tree"}),
    ('content:"big tree"', {"big tree"}),
    ('section:("big tree" small)', {"big tree", "small"}),
    ('line:("big tree")', {"big tree"}),
    ('("big tree" oak)', {"big tree", "oak"}),
    ('"ig tre"', {"ig tre"}),
    ('"tree"', {"tree"}),
    # In a sentence quotes do not restrict the results, so the words count by themselves.
    ('we saw how a "big tree" grows behind it on some day of that long year', {"big tree", "big", "tree", "grows"}),
]


@pytest.mark.parametrize(("text", "marks"), MARKS)
def test_the_words_of_a_phrase_are_marked_only_as_a_phrase(tmp_path, text, marks):
    result = search(Engine(write(tmp_path, VAULT)), text, mode=Mode.KEYWORD)
    assert {mark.lower() for mark in highlighted(result, "Garden.md")} - {"behind"} == marks


def test_a_phrase_in_the_title_marks_nothing_in_the_text(tmp_path):
    assert highlighted(search(Engine(write(tmp_path, VAULT)), '"big tree"'), "Big tree.md") == []
