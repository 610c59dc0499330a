"""Files next to the notes do not change which notes are found first."""

import shutil
import tomllib

import attachments
import pytest
from judged import NOTES_ONLY, as_words, found_by

from search.engine import Engine
from search.settings import Settings
from tests.e2e.conftest import ROOT

FIXTURES = ROOT / "vault_fixtures"
N_FIRST = 5


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
        alone, all_files = (found_by(engine, query, as_words) for engine in (notes, both))
        among = [note for note in all_files if attachments.FOLDER not in note]
        if alone[:N_FIRST] != among[:N_FIRST]:
            differing.append(query)
    assert len(differing) <= len(queries) // 20, differing  # a boost may look at the best hit, whatever file it is
    notes.close()
    both.close()


def test_no_figure_of_the_table_falls_for_the_notes_among_all_files():
    rows = [line.split(" | ") for line in attachments.TABLE.read_text(encoding="utf-8").split("\n") if " 0." in line]
    assert rows
    for label, _, _, _, alone, among, *_ in rows:
        (ndcg, mrr, _), (ndcg_among, mrr_among, _) = (map(float, cell.split()) for cell in (alone, among))
        assert ndcg_among >= ndcg - 0.005, label
        assert mrr_among >= mrr - 0.005, label
