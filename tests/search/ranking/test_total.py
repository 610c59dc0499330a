"""The total of an answer does not depend on the number of results that is asked for."""

import pytest

from embedders import WordEmbedder
from search.engine import Engine
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import write

LIMITS = (1, 5, 10, 30, 100)
N_CHAINS = 60
# Chains of notes: the first two of a chain have the words of the query, often or seldom, and the last two only links.
VAULT = "".join(
    f"--- oak{n}.md\n{'oak ' * (1 + n % 7)} tree [[link{n}]]\n"
    f"--- link{n}.md\ntree and forest [[far{n}]] [[oak{(n + 1) % N_CHAINS}]]\n"
    f"--- far{n}.md\nup:: [[end{n}]] a river\n"
    f"--- end{n}.md\na mountain\n"
    for n in range(N_CHAINS)
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    root = tmp_path_factory.mktemp("total")
    settings = Settings(indexing=Indexing(folder=str(root / "cache"), in_background=False, patience_s=60.0))
    engine = Engine(write(root / "vault", VAULT), settings, embedder=WordEmbedder())
    engine.search(Query(text="oak", mode=Mode.HYBRID))
    engine.maintenance().update()
    yield engine
    engine.close()


@pytest.mark.parametrize("text", ["oak", "tree forest", "oak tree path:1", "oakk", "river", "link3"])
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("preset", PRESETS)
def test_total_does_not_depend_on_the_limit(engine, preset, mode, text):
    answers = [engine.search(Query(text=text, preset=preset, mode=mode, limit=limit)) for limit in LIMITS]
    assert len({answer.total for answer in answers}) == 1, [answer.total for answer in answers]
    assert all(len(answer.hits) <= answer.total for answer in answers)


def test_notes_that_only_links_lead_to_are_counted(engine):
    by_words = engine.search(Query(text="river", preset="balanced", mode=Mode.KEYWORD))
    by_links = engine.search(Query(text="river", preset="neighbour-recency", mode=Mode.KEYWORD))
    assert (by_words.total, by_links.total) == (N_CHAINS, 3 * N_CHAINS)  # both neighbours of each note
