"""Limits, scopes and salient terms of a query."""

import pytest
from kit.engines import engine_of, many

from search.query import Query
from vaults import ask, ids


@pytest.mark.parametrize("limit", [1, 2, 29, 99, 100])
def test_a_short_list_is_the_beginning_of_a_long_one(tmp_path, limit):
    vault = "".join(
        f"--- f{n % 5}/n{n}.md\n{'oak ' * (n % 7 + 1)}{'elm ' * (n % 11)} [[n{n + 1}]]\n" for n in range(150)
    )
    engine = engine_of(tmp_path, vault)
    whole = engine.search(Query(text="oak", limit=100))
    result = engine.search(Query(text="oak", limit=limit))
    assert result.total == whole.total == 150
    assert ids(result)[:30] == ids(whole)[: min(limit, 30)]
    assert len(result.hits) == limit


@pytest.mark.parametrize("limit", [0, 101, 10**9, -1, "3", 2.5])
def test_a_limit_outside_its_range_is_refused(limit):
    with pytest.raises((ValueError, TypeError)):
        Query(text="oak", limit=limit)


def test_salient_terms_are_searched_too_and_do_not_filter(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak\n--- b.md\nelm\n--- c.md\nash\n--- d.md\noak elm")
    assert ask(engine, "oak", salient_terms=("elm",)) == ["d.md", "a.md", "b.md"]
    assert ask(engine, "", salient_terms=("elm",)) == ["b.md", "d.md"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"folder": "rare"}, ["rare/z.md"]),
        ({"folder": "/rare/"}, ["rare/z.md"]),
        ({"tags": ("wanted",)}, ["rare/z.md"]),
        ({"tags": ("#Wanted",)}, ["rare/z.md"]),
        ({"limit_to": ("rare/z.md",)}, ["rare/z.md"]),
        ({"limit_to": ("rare/z.md", "gone.md")}, ["rare/z.md"]),
        ({"folder": "rare", "tags": ("wanted",), "limit_to": ("rare/z.md",)}, ["rare/z.md"]),
        ({"folder": "nowhere"}, []),
        ({"tags": ("unknown",)}, []),
    ],
)
def test_scopes_act_before_any_cut(tmp_path, options, found):
    """The only note in scope has the lowest score of sixty."""
    engine = engine_of(tmp_path, f"{many(60, 'oak oak oak')}--- rare/z.md\n{'filler ' * 100} oak #wanted/deep")
    result = engine.search(Query(text="oak", candidate_limit=10, limit=1, **options))
    assert (ids(result), result.total) == (found, len(found))


def test_the_candidate_limit_bounds_ranked_notes_and_not_the_count(tmp_path):
    result = engine_of(tmp_path, many(60)).search(Query(text="oak", candidate_limit=10))
    assert (len(result.hits), result.total) == (10, 60)
