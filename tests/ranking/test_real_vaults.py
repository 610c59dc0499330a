"""Real vaults and collections with tens of thousands of notes: every note is read or reported as skipped."""

import pytest
from judged import JUDGED, UNJUDGED, VAULTS, notes_of

from search.engine import Engine
from search.query import Query

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("collection", [*JUDGED, *VAULTS, *UNJUDGED])
def test_every_note_is_read_or_reported_as_skipped(shared_dir, collection):
    root = notes_of(shared_dir, collection)
    engine = Engine(root)
    assert engine.search(Query(text="a note about search")).is_complete
    files = {
        file.relative_to(root).as_posix() for file in root.rglob("*") if file.suffix.lower() in {".md", ".markdown"}
    }
    assert files
    known = set(engine.indexer.corpus.notes) | set(engine.status().skipped)
    unnamed = {file for file in files if not any(part in known for part in _with_parents(file))}
    assert not unnamed
    engine.close()


def _with_parents(file):
    """The file and the folders above it; a skipped folder is reported once for all its notes."""
    parts = file.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]
