"""Spread over links: scores worked out by hand, and properties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.evidence import LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled, replay
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.stages import Context
from search.stages.spread import Spread, spread_over_links
from search.vault.markdown import parse_note

NAMES = "abcdefgh"


def index_of(**texts: str) -> LinkIndex:
    index = LinkIndex()
    for name in NAMES:
        index.update(parse_note(NoteId(f"{name}.md"), texts.get(name, "")).note)
    return index


def ranking_of(**scores: float) -> Ranking[NoteId]:
    return Ranking.of(Hit.found(NoteId(f"{name}.md"), Found("lexical", score)) for name, score in scores.items())


def spread(links, found, **changes):
    spread_to = spread_over_links(ranking_of(**found), Spread(**changes), Context(links=links, limit=5))
    return {hit.id[0]: round(hit.score, 6) for hit in spread_to}


# a -> b -> c, d -> a, and e without links
CHAIN = index_of(a="[[b]]", b="up:: [[c]]", d="![[a]]")

CASES = [
    ("links are followed forwards and backwards", {"a": 1.0}, {}, {"a": 1.0, "b": 0.8, "d": 0.8}),
    ("two links", {"a": 1.0}, {"depth": 2}, {"a": 1.0, "b": 0.8, "d": 0.8, "c": 0.64}),
    ("no link at depth 0", {"a": 1.0}, {"depth": 0}, {"a": 1.0}),
    ("pruned below the minimum score", {"a": 1.0}, {"depth": 2, "min_score": 0.7}, {"a": 1.0, "b": 0.8, "d": 0.8}),
    ("a weak hit is no seed", {"a": 0.4}, {}, {"a": 0.4}),
    ("another decay", {"a": 1.0}, {"decay": 0.5}, {"a": 1.0, "b": 0.5, "d": 0.5}),
    (
        "a decay by type",
        {"a": 1.0},
        {"depth": 2, "decays": {"embed": 0.95, "up": 0.85}},
        {"a": 1.0, "d": 0.95, "b": 0.8, "c": 0.68},
    ),
    (
        "types ignore case",
        {"a": 1.0},
        {"decays": {"Embed": 0.95, "UP": 0.85}},
        {"a": 1.0, "d": 0.95, "b": 0.8},
    ),
    ("not backwards, ignoring case", {"a": 1.0}, {"outgoing_only": ("EMBED",)}, {"a": 1.0, "b": 0.8}),
    (
        "one decay for all takes precedence over those by type",
        {"a": 1.0},
        {"decay": 0.6, "decays": {"embed": 0.95}},
        {"a": 1.0, "b": 0.6, "d": 0.6},
    ),
    ("only some types", {"a": 1.0}, {"link_types": ("embed",)}, {"a": 1.0, "d": 0.8}),
    ("not backwards", {"a": 1.0}, {"outgoing_only": ("embed",)}, {"a": 1.0, "b": 0.8}),
    ("the best of two paths counts", {"a": 0.9, "c": 1.0}, {}, {"c": 1.0, "a": 0.9, "b": 0.8, "d": 0.72}),
    (
        "a hit with a higher score of its own keeps it",
        {"a": 1.0, "b": 0.9},
        {},
        {"a": 1.0, "b": 0.9, "d": 0.8, "c": 0.72},
    ),
    ("a weak hit is raised", {"a": 1.0, "b": 0.2}, {}, {"a": 1.0, "b": 0.8, "d": 0.8}),
    ("hits that are no seeds are kept", {"a": 1.0, "e": 0.9}, {"seeds": 1}, {"a": 1.0, "e": 0.9, "b": 0.8, "d": 0.8}),
    (
        "hits that are neither seeds nor reached are dropped on request",
        {"a": 1.0, "e": 0.9},
        {"seeds": 1, "drops_unreached": True},
        {"a": 1.0, "b": 0.8, "d": 0.8},
    ),
]


@pytest.mark.parametrize(("claim", "found", "changes", "expected"), CASES, ids=[case[0] for case in CASES])
def test_scores_spread(claim, found, changes, expected):
    assert spread(CHAIN, found, **changes) == expected


def test_the_trail_shows_the_path():
    found = spread_over_links(ranking_of(a=1.0), Spread(depth=2), Context(links=CHAIN, limit=5))
    (far,) = [hit for hit in found if hit.id == "c.md"]
    assert far.trail == (
        Found("spread", 1.0),
        Scaled("spread", 0.8, "one link from a.md"),
        Scaled("spread", 0.8, "one link from b.md"),
    )
    assert far.evidence.link == LinkEvidence("a.md", 2, ())


def test_an_empty_ranking_stays_empty():
    assert spread(CHAIN, {}) == {}


def test_notes_that_the_filter_excludes_are_not_added():
    allowed = frozenset({NoteId("a.md"), NoteId("d.md")})
    found = spread_over_links(ranking_of(a=1.0), Spread(), Context(links=CHAIN, limit=5, allowed=allowed))
    assert [hit.id for hit in found] == ["a.md", "d.md"]


@pytest.mark.parametrize(
    "bad", [{"decay": 1.1}, {"depth": 99}, {"seeds": 0}, {"decays": {"up": 2.0}}, {"min_score": -1}]
)
def test_settings_outside_their_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        Spread(**bad)


vaults = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4), max_size=8)
founds = st.dictionaries(st.sampled_from(NAMES), st.floats(0.0, 1.0), max_size=8)


@settings(max_examples=60, deadline=None)
@given(vaults, founds, st.integers(0, 5), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_no_note_outranks_its_seed(vault, found, depth, decay, least):
    links = index_of(**{name: " ".join(f"[[{to}]]" for to in targets) for name, targets in vault.items()})
    before = ranking_of(**found)
    after = spread_over_links(before, Spread(depth=depth, decay=decay, min_score=least), Context(links=links, limit=5))
    score_of = {hit.id: hit.score for hit in before}
    for hit in after:
        assert replay(hit.trail) == hit.score
        assert hit.score >= score_of.get(hit.id, 0.0)
        if hit.evidence.link is not None:
            assert hit.score <= score_of[NoteId(hit.evidence.link.origin)] * (1 + 1e-12)
            assert 1 <= hit.evidence.link.hops <= depth
