"""The English model makes no answer worse: neither in another language, nor in English next to another language."""

import shutil
from collections import defaultdict

import pytest
from hybrid import Hybrid
from judged import as_words, load, notes_of, query_sets
from snapshot import unpack

from search.cache.folder import path_in_cache
from search.engine import open_engine
from search.semantic.settings import AutoIndex, Indexing
from search.settings import MODELS, Settings

pytestmark = [pytest.mark.shared, pytest.mark.timeout(600)]

_LOSS = 0.003  # of nDCG@10
_LANGUAGES = ("de", "es", "tr")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Opens a vault with the vectors of a snapshot, and embeds what else is to be embedded."""
    engines = []

    def make(root, collection=""):
        cache = tmp_path_factory.mktemp("vectors")
        if collection:
            unpack(collection, path_in_cache(cache, root))
        indexing = Indexing(folder=str(cache), auto_index=AutoIndex.NEVER, in_background=False)
        hybrid = Hybrid(open_engine(root, Settings(embedding_model=MODELS[1], indexing=indexing)))
        engines.append(hybrid.engine)
        return hybrid, hybrid.engine.maintenance().update()

    yield make
    for engine in engines:
        engine.close()


def measure(hybrid, queries, scorer, prefix=""):
    """nDCG@10 by words and by both."""
    runs = defaultdict(dict)
    for query in (id_ for id_ in queries.qrels if id_.startswith(prefix)):
        found = hybrid.look_up(queries.texts[query], as_words)
        for name, lookup in (("words", found.by_words), ("hybrid", found)):
            runs[name][query] = [scorer.name(note) for note in hybrid.ranked(lookup)]
    right = {query: queries.qrels[query] for query in runs["words"]}
    return [scorer.evaluate(runs[name], right, queries.sources)[1].mean(axis=0)[0] for name in ("words", "hybrid")]


def test_no_language_is_worse_than_by_words_and_next_to_nothing_is_embedded(shared_dir, opened):
    hybrid, n_embedded = opened(notes_of(shared_dir, "xquad-latin"))
    assert n_embedded <= 7  # lists of names, of 720 notes
    scorer, (queries,) = load(shared_dir, "score"), query_sets(shared_dir, "xquad-latin")
    for language in _LANGUAGES:
        by_words, by_both = measure(hybrid, queries, scorer, f"{language}-")
        assert by_both >= by_words - _LOSS


def test_both_halves_of_a_mixed_vault_are_as_good_as_alone(shared_dir, opened, tmp_path):
    scorer = load(shared_dir, "score")
    (english,), (other,) = query_sets(shared_dir, "cranfield"), query_sets(shared_dir, "xquad-latin")
    alone, _ = opened(notes_of(shared_dir, "cranfield"), "cranfield")
    _, by_both_alone = measure(alone, english, scorer)
    shutil.copytree(notes_of(shared_dir, "cranfield"), tmp_path / "mixed")
    for note in notes_of(shared_dir, "xquad-latin").glob("de-*.md"):
        shutil.copy(note, tmp_path / "mixed")
    mixed, n_embedded = opened(tmp_path / "mixed", "cranfield")
    assert n_embedded <= 3  # of 240 notes
    by_words, by_both = measure(mixed, english, scorer)
    assert by_both >= by_both_alone - 0.005
    assert by_both >= by_words + 0.04
    by_words, by_both = measure(mixed, other, scorer, "de-")
    assert by_both >= by_words - _LOSS
