"""Titles, aliases and headings are found by a few letters."""

import pytest

from search.navigation.symbols import SymbolKind, Symbols
from search.vault.markdown import parse_note
from vaults import notes_of

VAULT = """
--- plants/orchid.md
---
aliases: [Phalaenopsis]
---
# Orchid

## Watering

## Orchid
--- watering.md
# Watering

## Rain water
--- log 1.md
text
"""


def parsed(vault, **modified):
    """The notes of a vault; a keyword, the note's name without extension, sets when it changed."""
    return {
        name: parse_note(name, text, modified=modified.get(name.removesuffix(".md").replace("/", "_"), 0.0)).note
        for name, text in notes_of(vault).items()
    }


def rows(query, text=VAULT, **options):
    found = Symbols().find(parsed(text), query, **{"limit": 10, **options})
    return [(symbol.note, symbol.name, symbol.kind.value, symbol.line) for symbol in found]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("orchid", [("plants/orchid.md", "Orchid", "note", 3), ("plants/orchid.md", "Orchid", "heading", 7)]),
        ("phal", [("plants/orchid.md", "Phalaenopsis", "alias", 3)]),
        ("rain", [("watering.md", "Rain water", "heading", 2)]),
        ("watering", [("watering.md", "Watering", "note", 0), ("plants/orchid.md", "Watering", "heading", 5)]),
        ("log", [("log 1.md", "log 1", "note", 0)]),
        ("nothing", []),
    ],
)
def test_notes_aliases_and_headings_are_found(query, expected):
    assert sorted(rows(query)) == sorted(expected)


def test_headings_may_be_left_out():
    assert {kind for _, _, kind, _ in rows("water", with_headings=False)} == {"note"}


def test_an_empty_query_gives_the_most_recently_changed_notes():
    notes = parsed(VAULT, watering=30.0, **{"log 1": 20.0})
    found = Symbols().find(notes, " ", limit=2)
    assert [symbol.note for symbol in found] == ["watering.md", "log 1.md"]
    assert {symbol.kind for symbol in found} == {SymbolKind.NOTE}


def test_among_equal_names_the_newest_note_comes_first():
    notes = parsed("--- a/x.md\n--- b/x.md\n--- c/x.md\n", b_x=9.0, c_x=5.0)
    assert [symbol.note for symbol in Symbols().find(notes, "x", limit=2)] == ["b/x.md", "c/x.md"]


def test_a_note_found_by_title_and_file_name_comes_once():
    assert [name for _, name, _, _ in rows("orchid", "--- orchid list.md\n# Orchids\n")] == ["Orchids"]


def test_only_changed_notes_are_indexed_again():
    symbols, notes = Symbols(), parsed(VAULT)
    symbols.prepare(notes)
    before = symbols._names._pieces["watering.md"]
    changed = {**notes, **parsed("--- log 1.md\n# Fern\n")}
    assert [symbol.note for symbol in symbols.find(changed, "fern", limit=5)] == ["log 1.md"]
    assert symbols._names._pieces["watering.md"] is before
    without = {name: note for name, note in changed.items() if name != "log 1.md"}
    assert symbols.find(without, "fern", limit=5) == ()
