"""Files next to the notes do not change which notes are found first."""

import shutil
import tomllib

import attachments
import pytest
from judged import NOTES_ONLY

from search.engine import Engine
from search.settings import Settings
from tests.e2e.conftest import ROOT

FIXTURES = ROOT / "vault_fixtures"
N_FIRST = 10


@pytest.mark.slow
def test_the_notes_of_an_answer_are_the_same_with_more_files_than_notes(tmp_path):
    """By words, over the vault of the fixtures; `attachments.py` measures judged collections."""
    root = tmp_path / "vault"
    shutil.copytree(FIXTURES / "handbook", root)
    queries = [query["ask"] for query in tomllib.loads((FIXTURES / "handbook.judgments.toml").read_text())["query"]]
    notes = attachments.settled(Engine(root, settings=Settings(vault=NOTES_ONLY)))
    n_files = attachments.add_files(root)
    both = attachments.settled(Engine(root))
    assert n_files > len(notes.indexer.corpus.notes)
    assert both.indexer.corpus.postings.n_weighing == len(notes.indexer.corpus.notes)
    differing = []
    for query in queries:
        alone, all_files = (attachments.ranked_by_words(engine, query) for engine in (notes, both))
        if attachments.notes_in(all_files)[:N_FIRST] != alone[:N_FIRST]:
            differing.append(query)
    assert len(differing) <= len(queries) // 20, differing  # what counts as a compound depends on all words
    notes.close()
    both.close()


def test_no_figure_of_the_table_falls_for_the_notes_among_all_files():
    rows = [line.split(" | ") for line in attachments.TABLE.read_text(encoding="utf-8").split("\n") if " 0." in line]
    assert rows
    for label, *_, alone, among, _, moved in rows:
        figures, figures_among = ([float(figure) for figure in cell.split()] for cell in (alone, among))
        assert figures_among == pytest.approx(figures, abs=0.001), label
        assert moved.startswith("0 of "), label
