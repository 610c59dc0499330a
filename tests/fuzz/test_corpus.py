"""The corpus has every kind of input and each construct of its syntax, and a fuzzer begins with it."""

import json

import pytest

from lsp_server.handlers import HANDLERS
from search.ranking.presets import PRESETS
from tests.fuzz.all_targets import TARGETS
from tests.fuzz.target import CORPUS, corpus
from tests.fuzz.targets.kinds import TYPES
from tests.fuzz.targets.queries import OPERATORS

FOLDERS = sorted(path.name for path in CORPUS.iterdir())
BY_NAME = {target.name: target for target in TARGETS}


def test_each_kind_of_input_has_a_corpus_and_each_corpus_is_one_of_a_kind_of_input():
    """Snapshots and stores are made when they are needed, since only the code that wrote one reads it."""
    assert sorted({*FOLDERS, "snapshots", "stores"}) == sorted(BY_NAME)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_fuzzer_begins_with_the_committed_inputs(name):
    committed = [path.read_bytes() for path in (CORPUS / name).iterdir()]
    assert len(committed) >= 5
    assert set(committed) <= set(BY_NAME[name].corpus())


def test_the_corpus_has_every_message():
    known = set()
    for line in b"\n".join(corpus("messages")).splitlines():
        try:
            known.add(json.loads(line)["method"])
        except (ValueError, KeyError, TypeError):
            continue  # what is wrong belongs to the corpus too
    assert set(HANDLERS) - known == set()


def test_the_corpus_has_every_operator_preset_and_type_of_file():
    queries, options = b"\n".join(corpus("queries")).decode(), b"\n".join(corpus("options")).decode()
    assert [operator for operator in OPERATORS if operator not in queries] == []
    assert [preset for preset in PRESETS if f'"{preset}"' not in options] == []
    assert {data.partition(b"\n")[0].decode() for data in corpus("kinds")} == set(TYPES)


@pytest.mark.parametrize(
    "piece",
    [
        *("---\n", "[[", "![[", "[!", "```", "~~~", "$$", "%%", "<!--", "[^1]:", "- [ ]", "|--", "::", "#tree", "^b"),
        *("\r\n", "\ufeff", "\0", "知", "ب", "🎉", "\u202e", "compressed-json"),
    ],
)
def test_the_corpus_of_notes_has_each_construct(piece):
    assert any(piece.encode() in data for data in corpus("notes"))
