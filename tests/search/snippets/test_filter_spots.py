"""Excerpts show where a filter holds, and highlight its words there and nowhere else."""

import pytest

from search.engine import Engine
from search.filters.regexes import Regexes
from search.query import Query
from search.snippets.filter_spots import filter_spots, has_places, terms_shown_anywhere
from search.syntax.parser import parse
from search.vault.markdown import parse_note
from tests.vaults import write

NOTE = """---
kind: moth
---
# Moth camera

The moth camera, a Moth of old. It costs 450 pounds.
Moth and flame.

## Work

- [ ] clean the moth trap, then ice
- [x] feed the ice moth
- [ ] oil
ice
"""


def spots(query, text=NOTE, regexes=None):
    """The places of the filter of `query` in a note."""
    node = parse(query).filter
    note = parse_note("n.md", text, modified=0.0, size_bytes=len(text)).note
    return (
        filter_spots(node, note, text.split("\n"), weight=1.0, regexes=regexes or Regexes(lambda: 0.0)) if node else []
    )


def places(query):
    """The same as 'line:text' in the order of the note."""
    lines = NOTE.split("\n")
    return [
        f"{spot.line}:{lines[spot.line][spot.start : spot.end]}"
        for spot in sorted(spots(query), key=lambda spot: (spot.line, spot.start))
        if spot.start < spot.end
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (r"/\d+ pounds/", ["5:450 pounds"]),
        ("/m.th c/", ["3:Moth c", "5:moth c"]),
        ("match-case:/M.th/", ["3:Moth", "5:Moth", "6:Moth"]),
        ("/old.*/", ["5:old. It costs 450 pounds."]),
        (r"/pounds\.\nMoth/", ["5:pounds.", "6:Moth"]),  # a match over two lines
        ("/^ice$/", ["13:ice"]),
        ("/absent/", []),
        ("/x*/", []),  # empty matches show nothing
        ("match-case:Moth", ["3:Moth", "5:Moth", "6:Moth"]),
        ('match-case:"Moth and"', ["6:Moth and"]),
        ("match-case:(Moth flame)", ["3:Moth", "5:Moth", "6:Moth", "6:flame"]),
        ("match-case:line:(Moth ignore-case:FLAME)", ["6:Moth", "6:flame"]),
        ("task:moth", ["10:moth", "11:moth"]),
        ("task-todo:moth", ["10:moth"]),
        ("task-done:moth", ["11:moth"]),
        ("task:(moth OR oil)", ["10:moth", "11:moth", "12:oil"]),
        ("task-todo:/t\\w+p/", ["10:trap"]),
        ("task:-moth", []),
        ("line:(moth camera)", ["3:Moth", "3:camera", "5:moth", "5:camera", "5:Moth"]),
        ("line:(moth -camera)", ["1:moth", "6:Moth", "10:moth", "11:moth"]),
        ("section:(moth oil)", ["10:moth", "11:moth", "12:oil"]),
        ("section:task:ice", ["10:ice", "11:ice"]),
        ("section:(line:(ice moth) oil)", ["10:moth", "10:ice", "11:ice", "11:moth", "12:oil"]),
        ("block:(moth flame)", ["5:moth", "5:Moth", "6:Moth", "6:flame"]),
        ("content:/fl.me/", ["6:flame"]),
        ("-match-case:Moth", []),
        ("-/moth/ camera", []),
        ("moth", []),
        ('"moth trap"', []),  # phrases are highlighted without this
        ("tag:/x/", []),
        ("file:moth", []),
        ("[kind:moth]", []),
        ("/flame/ OR /oil/", ["6:flame", "12:oil"]),
    ],
)
def test_the_places_of_a_filter_are_where_it_holds(query, expected):
    assert places(query) == expected


def test_a_condition_without_words_selects_its_line():
    found = spots('task-todo:""')
    assert [(spot.line, spot.start, spot.end) for spot in found] == [(10, 6, 6), (12, 6, 6)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("moth match-case:Moth", ["moth"]),
        ("moth task:moth", ["moth"]),
        ("line:(motor ice)", []),
        ('task:"red oak" "red oak"', ["red oak"]),
        ("file:moth ice", ["moth", "ice"]),
        ("moth ice", ["moth", "ice"]),
        ("-line:moth ice", ["ice"]),
    ],
)
def test_words_required_at_a_place_are_not_highlighted_elsewhere(query, expected):
    parsed = parse(query)
    assert [term.text for term in terms_shown_anywhere(parsed.terms, parsed.filter)] == expected


@pytest.mark.parametrize("query", ["-/x/", "tag:a", "[a:b]", '"a b"', "a OR b", "a", "-line:x", "file:/x/"])
def test_most_filters_have_no_places(query):
    assert not has_places(parse(query).filter)


def test_a_pattern_that_times_out_shows_nothing():
    ticks = iter(range(1000))
    regexes = Regexes(lambda: float(next(ticks)))
    assert spots("/(x+x+)+y/", "x" * 5000, regexes) == []
    assert spots("/(x+x+)+y/", "x", regexes) == []


VAULT = """
--- camera.md
# Camera

A moth, of which there are many.
My Moth costs 450 pounds.
- [ ] clean the moth trap
- [x] feed the moth
"""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("match-case:Moth", ["3:My [Moth] costs 450 pounds."]),
        ("moth match-case:Moth", ["3:My [Moth] costs 450 pounds.", "2:A [moth], of which there are many."]),
        ("task-done:moth", ["5:feed the [moth]"]),
        (r"/\d+/", ["3:My Moth costs [450] pounds."]),
        (r"moth /\d+/", ["3:My [Moth] costs [450] pounds.", "2:A [moth], of which there are many."]),
        ("line:(moth many)", ["2:A [moth], of which there are [many]."]),
        ('task-todo:""', ["4:clean the moth trap"]),
        ("file:camera", ["0:[Camera]"]),
        ("match-case:Camera", ["0:[Camera]"]),
        ("[absent] OR file:camera", ["0:[Camera]"]),
        ("-absent", ["2:A moth, of which there are many."]),
    ],
)
def test_an_answer_shows_where_its_filter_holds(tmp_path, query, expected):
    (found,) = Engine(write(tmp_path, VAULT)).search(Query(text=query)).hits
    assert [_marked(snippet) for snippet in found.snippets][: len(expected)] == expected


def _marked(snippet):
    text, highlights = snippet.shown
    for start, end in reversed(highlights):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return f"{snippet.line}:{text}"


def test_a_heading_named_as_in_a_link_is_a_place_unless_it_is_beyond_the_lines():
    text = "# Moth\n## TCP/IP\nwires"
    node = parse('section:"tcp ip"').filter
    note = parse_note("n.md", text, modified=0.0, size_bytes=len(text)).note
    for n_lines, expected in ((3, [(1, 0, 9)]), (1, [])):
        lines = text.split("\n")[:n_lines]
        found = filter_spots(node, note, lines, weight=1.0, regexes=Regexes(lambda: 0.0))
        assert [(spot.line, spot.start, spot.end) for spot in found] == expected
