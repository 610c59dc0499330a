"""docs/query-language.md against the search: every example finds what the page says."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.query import Mode
from vaults import ask, codes, notes_of, search, write

PAGE = (Path(__file__).parents[2] / "docs/query-language.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ")[0].removeprefix("| ") for line in PAGE.split("\n") if line.startswith("| `")]
EXAMPLES = [example for row in ROWS for example in re.findall(r"`(.+?)`", row)]
NOW = datetime(2024, 1, 18, 12, tzinfo=UTC).timestamp()
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC).timestamp()

VAULT = """
--- Dome motor.md
The motor turns the dome.

It stops in ice.
--- Projects/Dark/Winter.md
Frost on the motor, and ice.
--- Projects/Switch.md
A limit switch ends the run. The limit of the switch is low.
--- Loose.md
The switch has a limit.
--- Safety/Lightning.md
Pull the plug.
--- Meetings/Committee.md
We met.
--- People/Nia.md
---
role: treasurer
due: 2024-01-20
---
Nia keeps the moth trap.
--- Instruments/Moth.md
---
aperture_mm: 200
role: camera
---
The Moth camera. #stars
--- Instruments/Lens.md
---
aperture_mm: 100
due: 2024-03-01
---
A lens. #stars/variable
--- Tasks.md
- [ ] grease the motor
- [x] paint the roof
--- Board.canvas
{"nodes": [{"type": "text", "text": "Shelving"}]}
--- Parts.csv
shelving,2
--- Done.md
- [x] motor greased
--- Sections.md
## Care
The motor is warm.

No ice here.
## Rest
Nothing.
--- Wren.md
The wren flew away. We close.
--- Daily/2024-01-05.md
Rain.
--- Daily/2024-01-11.md
Snow.
--- Daily/2024-01-17.md
Sun.
--- Daily/2023-12-31.md
Fog.
--- Daily/2024-05-01.md
Wind.
--- People/Jiří Dvořák.md
Lives in a Straße, and owns two mirrors.
--- Collimation.md
Set `max_slew_rate` and `shutterTimeout`.
--- Glass.md
The mirror in the attic.
--- 望远镜.md
朝南停放。
"""

# What each example finds: all notes in any order, or, as a list, the first notes in their order.
FINDS: dict[str, set[str] | list[str]] = {
    "dome motor": ["Dome motor"],
    '"limit switch"': {"Switch"},
    "-frost": {Path(path).name.removesuffix(".md") for path in notes_of(VAULT)} - {"Winter"},
    "ice OR frost": {"Dome motor", "Winter", "Sections"},
    "tag:#stars OR frost": {"Winter", "Moth", "Lens"},
    "motor (ice OR frost)": {"Dome motor", "Winter", "Sections"},
    "/wren.{1,20}close/": {"Wren"},
    "file:committee": {"Committee"},
    "path:Safety": {"Lightning"},
    "content:motor": {"Dome motor", "Winter", "Tasks", "Done", "Sections"},
    "folder:Projects": {"Winter", "Switch"},
    "tag:#stars/variable": {"Lens"},
    "line:(motor ice)": {"Winter"},
    "block:(motor ice)": {"Winter"},
    "section:(motor ice)": {"Winter", "Dome motor", "Sections"},
    "task:motor": {"Tasks", "Done"},
    "task-todo:motor": {"Tasks"},
    "task-done:motor": {"Done"},
    "[aperture_mm]": {"Moth", "Lens"},
    "[role:treasurer]": {"Nia"},
    "[role OR job:treasurer]": {"Nia"},
    "[aperture_mm:>150]": {"Moth"},
    "[due:<2024-02]": {"Nia"},
    "[due:>2023]": {"Nia", "Lens"},
    "match-case:Moth": {"Moth"},
    "[[Dome motor]]": ["Dome motor"],
    "#stars": ["Moth", "Lens"],
    "yesterday": {"2024-01-17"},
    "last week": {"2024-01-11"},
    "type:canvas": ["Board.canvas"],
    "January 5th": ["2024-01-05"],
    "2024-01": ["2024-01-17", "2024-01-11", "2024-01-05"],
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    root = write(tmp_path_factory.mktemp("vault"), VAULT)
    for path in root.rglob("*.*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    engine = Engine(root, understand=Understanding(lexicon(), zone=UTC), now=lambda: NOW)
    yield engine
    engine.close()


def names(engine, query):
    """The names of the notes that a query finds by words, in their order."""
    notes = ask(engine, query, mode=Mode.KEYWORD, limit=50)
    return [note.rpartition("/")[2].removesuffix(".md") for note in notes]


@pytest.mark.parametrize("example", FINDS)
def test_an_example_finds_what_the_page_says(example, vault):
    found = names(vault, example)
    expected = FINDS[example]
    assert set(found) == expected if isinstance(expected, set) else found[: len(expected)] == expected


def test_every_example_of_the_table_is_tried():
    assert {*EXAMPLES} == {*FINDS, "-#stars", "-[[Dome motor]]", "-type:csv", "type:md"}


@pytest.mark.parametrize(
    ("query", "left_out", "kept"),
    [
        ("motor -[[Dome motor]]", {"Dome motor"}, {"Winter", "Sections"}),
        ("shelving -type:csv", {"Parts.csv"}, {"Board.canvas"}),
        ("(shelving OR moth) type:md", {"Parts.csv", "Board.canvas"}, {"Moth"}),
        ("camera moth lens -#stars", {"Moth", "Lens"}, {"Nia"}),
    ],
)
def test_an_exclusion_leaves_out_the_note_or_the_notes_with_the_tag(query, left_out, kept, vault):
    found = {*names(vault, query)}
    assert kept <= found
    assert not left_out & found


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("jiri dvorak", "Jiří Dvořák"),
        ("strasse", "Jiří Dvořák"),
        ("collim", "Collimation"),
        ("mirrors", "Glass"),
        ("colimation", "Collimation"),
        ("max_slew_rate", "Collimation"),
        ("shutterTimeout", "Collimation"),
        ("slew", "Collimation"),
        ("timeout", "Collimation"),
        ("镜", "望远镜"),
        ("远镜", "望远镜"),
    ],
)
def test_words_match_as_the_page_says(query, note, vault):
    assert f"`{query}`" in PAGE or query in {"slew", "timeout", "镜", "远镜"}
    assert note in names(vault, query)


def test_a_form_of_a_word_counts_less_than_the_word(vault):
    assert names(vault, "mirrors")[:2] == ["Jiří Dvořák", "Glass"]


def test_stop_words_find_notes_only_without_other_words(vault):
    assert names(vault, "how the lens") == ["Lens"]
    assert "Loose" in names(vault, "the")


def test_a_slashed_date_means_both_readings(vault):
    assert {"2024-01-05", "2024-05-01"} <= {*names(vault, "05/01/2024")}


def test_a_date_next_to_words_removes_no_note(vault):
    assert {*names(vault, "motor")} <= {*names(vault, "motor January 5th")}


def test_a_month_that_is_a_word_is_a_word(vault):
    assert names(vault, "may") == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("heading:dome", "query-syntax"),
        ("tag:#nothing", "unknown-tag"),
        ("folder:Nowhere", "unknown-folder"),
        ("[nothing]", "unknown-property"),
        ('one two three four five six seven eight nine ten eleven twelve thirteen "limit switch"', "query-prose"),
        ("motor (", "query-syntax"),
        ("colimation", "did-you-mean"),
    ],
)
def test_a_query_gets_the_notice_that_the_page_describes(query, code, vault):
    assert code in codes(search(vault, query, mode=Mode.KEYWORD))
