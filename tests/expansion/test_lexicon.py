"""The packaged word data, and files that extend it."""

from pathlib import Path

import pytest

from expansion.intent import detect_intent
from expansion.lexicon import lexicon
from expansion.tables import MAX_BYTES, TomlTable, extended, packaged, read_file
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


def test_file_adds_to_the_packaged_data(tmp_path):
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
    assert "abc" not in lexicon().acronyms, "the packaged data must not change"


def test_files_are_merged_in_their_order():
    files = [TomlTable("user", {"acronyms": {"AB": ["one"]}}), TomlTable("vault", {"acronyms": {"AB": ["two", "one"]}})]
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
def test_error_for_an_unknown_key_lists_the_known_ones(tmp_path, text, path, allowed):
    own = read_file(file_with(tmp_path, text))
    assert own is not None
    with pytest.raises(ConfigError) as caught:
        lexicon([own])
    assert caught.value.path == path
    assert allowed in caught.value.allowed


def test_missing_file_gives_no_table(tmp_path):
    assert read_file(tmp_path / "none.toml") is None


@pytest.mark.parametrize(
    "text", ["[", "x = ", "\ud800".encode("utf-8", "surrogatepass"), "a" * (MAX_BYTES + 1), "[" * 9000]
)
def test_error_names_the_file_that_cannot_be_read(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        read_file(path)
    assert caught.value.path == str(path)


def test_folder_in_place_of_a_file_is_an_error(tmp_path):
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
def test_error_names_the_path_of_the_bad_value(values, path):
    with pytest.raises(ConfigError) as caught:
        lexicon([TomlTable("own", values)])
    assert caught.value.path == path


def test_values_other_than_tables_and_lists_are_replaced():
    merged = extended(
        TomlTable("x", {"a": 1, "b": [1], "c": {"d": 2}}), TomlTable("y", {"a": 2, "b": [1, 3], "c": {"e": 3}, "f": 4})
    )
    assert merged.values == {"a": 2, "b": [1, 3], "c": {"d": 2, "e": 3}, "f": 4}


def test_all_packaged_tables_exist():
    folder = Path(__file__).parents[2] / "expansion" / "data"
    for name in ("acronyms", "kinds", "intents", "dates"):
        assert packaged(name).values
        assert (folder / f"{name}.toml").is_file()
