"""Data as they come with the program and as a file of one's own extends them."""

from pathlib import Path

import pytest

from expansion.intent import detect_intent
from expansion.lexicon import lexicon
from expansion.tables import MAX_BYTES, Table, extended, packaged, read_file
from search.errors import ConfigError

OWN = """
[acronyms]
RRF = ["road race finals"]
ABC = ["a big cat"]

[kinds.recipe]
tags = ["food"]

[kinds.decision]
folders = ["beschlüsse"]

[intents.fix_bug]
primary = ["zap"]
secondary = ["gizmo"]

[dates.la]
offsets = { heri = -1 }
"""


def file_with(folder, text):
    path = folder / "understanding.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_adds_to_what_there_is(tmp_path):
    own = read_file(file_with(tmp_path, OWN))
    assert own is not None
    found = lexicon([own])
    assert found.acronyms["rrf"] == ("reciprocal rank fusion", "road race finals")
    assert found.acronyms["abc"] == ("a big cat",)
    assert found.kinds.of_tag["food"] == {"recipe"}
    assert found.kinds.of_folder["beschlusse"] == {"decision"}
    assert found.kinds.of_folder["adr"] == {"decision"}
    assert detect_intent("zap the gizmo", found.intents).intent.name == "fix_bug"
    assert ("heri",) in found.dates[-1].offsets
    assert "rrf" in lexicon().acronyms
    assert "abc" not in lexicon().acronyms, "the packaged data are not changed"


def test_two_files_are_taken_in_their_order():
    files = [Table("user", {"acronyms": {"AB": ["one"]}}), Table("vault", {"acronyms": {"AB": ["two", "one"]}})]
    assert lexicon(files).acronyms["ab"] == ("one", "two")


MISSPELT = [
    ("[intents.fix_bug]\nprimry = ['x']", "intents.fix_bug.primry", "one of the names primary, secondary"),
    ("[intents.fix_bug.weights]\nlexcial = 2", "intents.fix_bug.weights.lexcial", "lexical, semantic, activation"),
    ("[kinds.recipe]\ntag = ['food']", "kinds.recipe.tag", "one of the names values, tags, folders"),
    ("[dates.la]\nofsets = { heri = -1 }", "dates.la.ofsets", "one of the names months"),
    ("[dates.la.units]\nweak = ['hebdomas']", "dates.la.units.weak", "day, week, month, year"),
    ("[acronyms]\nDOB = 5", "acronyms.DOB", "a list of"),
]


@pytest.mark.parametrize(("text", "path", "allowed"), MISSPELT)
def test_a_key_that_there_is_not_is_named_with_those_that_there_are(tmp_path, text, path, allowed):
    own = read_file(file_with(tmp_path, text))
    assert own is not None
    with pytest.raises(ConfigError) as caught:
        lexicon([own])
    assert caught.value.path == path
    assert allowed in caught.value.allowed


def test_where_there_is_no_file_there_is_no_table(tmp_path):
    assert read_file(tmp_path / "none.toml") is None


@pytest.mark.parametrize(
    "text", ["[", "x = ", "\ud800".encode("utf-8", "surrogatepass"), "a" * (MAX_BYTES + 1), "[" * 9000]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        read_file(path)
    assert caught.value.path == str(path)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ConfigError):
        read_file(tmp_path)


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"acronym": {}}, "own: acronym"),
        ({"acronyms": 3}, "own.acronyms"),
        ({"kinds": {"x": []}}, "kinds.x"),
        ({"dates": {"xx": {"ago": 1}}}, "dates.xx.ago"),
    ],
)
def test_what_does_not_fit_is_named(values, path):
    with pytest.raises(ConfigError) as caught:
        lexicon([Table("own", values)])
    assert caught.value.path == path


def test_values_that_are_neither_tables_nor_lists_are_replaced():
    merged = extended(
        Table("x", {"a": 1, "b": [1], "c": {"d": 2}}), Table("y", {"a": 2, "b": [1, 3], "c": {"e": 3}, "f": 4})
    )
    assert merged.values == {"a": 2, "b": [1, 3], "c": {"d": 2, "e": 3}, "f": 4}


def test_the_packaged_tables_are_all_there():
    folder = Path(__file__).parents[2] / "expansion" / "data"
    for name in ("acronyms", "kinds", "intents", "dates"):
        assert packaged(name).values
        assert (folder / f"{name}.toml").is_file()
