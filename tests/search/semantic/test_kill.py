"""If indexing is killed, the notes that were reported as done are kept, and none of them is embedded again."""

import subprocess
import sys
from pathlib import Path

import pytest

from embedders import WordEmbedder
from search.engine import Engine
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import write

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
INDEX = """
import sys
from pathlib import Path
from embedders import WordEmbedder
from search.engine import Engine
from search.semantic.settings import Indexing
from search.settings import Settings

engine = Engine(Path(sys.argv[1]), Settings(indexing=Indexing(folder=sys.argv[2])), embedder=WordEmbedder())
maintenance = engine.maintenance()
for note in maintenance.vectors.unchecked():
    maintenance.note_embedder.embed(note)
    print(note, flush=True)
"""


@pytest.mark.parametrize("n_read", [1, 7, 23])
def test_no_acknowledged_note_is_lost_if_indexing_is_killed(tmp_path, n_read):
    vault = write(tmp_path / "vault", "\n".join(f"--- {n:02d}.md\nword{n} of many" for n in range(60)))
    process = subprocess.Popen(
        [sys.executable, "-c", INDEX, vault, tmp_path / "cache"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
    )
    with process:
        acknowledged = {process.stdout.readline().strip() for _ in range(n_read)}
        process.kill()
    embedder = WordEmbedder()
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(vault, settings, embedder=embedder)
    engine.maintenance().update()
    again = {text.split()[0].removeprefix("word") for text in embedder.passages if text.startswith("word")}
    assert acknowledged
    assert not again & {str(int(note.removesuffix(".md"))) for note in acknowledged}
    assert len(again) < 60
    engine.close()
