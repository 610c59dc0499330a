"""Notes that the best hits activate by links."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.evidence import LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.sources.activation import Activation, search_activation
from search.vault.markdown import parse_note


def index_of(**texts: str) -> LinkIndex:
    index = LinkIndex()
    for name, text in texts.items():
        index.update(parse_note(NoteId(f"{name}.md"), text).note)
    return index


def ranked(source: str, *names: str) -> Ranking[NoteId]:
    return Ranking.of(Hit.found(NoteId(f"{name}.md"), Found(source, 99.0 - at)) for at, name in enumerate(names))


LINKS = index_of(oak="[[elm]] [[ash]]", elm="[[ash]]", ash="", fir="up:: [[oak]]", yew="")


def scores(found) -> dict[str, float]:
    return {hit.id.removesuffix(".md"): round(hit.score, 6) for hit in found}


def test_a_seed_keeps_its_score_and_passes_half_of_it_on_divided_among_its_neighbours():
    found = search_activation([ranked("lexical", "oak", "elm", "yew")], settings=Activation(), links=LINKS, n=9)
    assert scores(found) == {
        "oak": round(1 + 0.5 * (1 / 2) / 2, 6),  # its own, and from elm, which has two ties
        "elm": round(1 / 2 + 0.5 * 1 / 3, 6),  # its own, and from oak, which has three
        "ash": round(0.5 * 1 / 3 + 0.5 * (1 / 2) / 2, 6),  # from both
        "fir": round(0.5 * 1 / 3, 6),
        "yew": round(1 / 3, 6),  # its own: a hit without links loses nothing
    }
    links = {hit.id: hit.evidence.link for hit in found}
    assert links["ash.md"] == LinkEvidence("oak.md", 1, ())
    assert links["yew.md"] is None


def test_a_note_linked_with_two_hits_outranks_one_linked_with_one():
    found = search_activation([ranked("lexical", "oak", "elm")], settings=Activation(), links=LINKS, n=9)
    assert found.ranks["ash.md"] < found.ranks["fir.md"]


def test_the_best_rank_of_all_sources_counts_and_only_the_best_hits_spread():
    both = [ranked("lexical", "yew", "oak"), ranked("semantic", "oak")]
    found = search_activation(both, settings=Activation(n_seeds=1), links=LINKS, n=9)
    assert scores(found) == {"oak": 1.0, "yew": 1.0, "ash": 0.166667, "elm": 0.166667, "fir": 0.166667}


def test_only_links_of_the_given_types_count():
    by_type = search_activation([ranked("lexical", "oak")], settings=Activation(link_types=("Up",)), links=LINKS, n=9)
    assert scores(by_type) == {"oak": 1.0, "fir": 0.5}


@pytest.mark.parametrize("found", [[], [Ranking()], [ranked("lexical", "yew")]])
def test_without_hits_or_links_the_ranking_is_empty(found):
    assert search_activation(found, settings=Activation(), links=LINKS, n=9) == Ranking()


def test_with_a_decay_of_zero_only_the_seeds_are_ranked():
    found = search_activation([ranked("lexical", "oak")], settings=Activation(decay=0.0), links=LINKS, n=9)
    assert scores(found) == {"oak": 1.0}


NAMES = ["n0", "n1", "n2", "n3", "n4", "n5"]
LINKED = st.lists(st.sampled_from(NAMES)).map(lambda to: " ".join(f"[[{name}]]" for name in to))
VAULTS = st.fixed_dictionaries(dict.fromkeys(NAMES, LINKED))


@given(VAULTS, st.permutations(NAMES), st.permutations(NAMES), st.floats(0, 1), st.integers(1, 6))
def test_the_order_of_sources_does_not_matter_and_the_total_score_is_bounded(vault, one, other, decay, n):
    links = index_of(**vault)
    settings = Activation(decay=decay)
    first = search_activation([ranked("a", *one), ranked("b", *other)], settings=settings, links=links, n=n)
    assert search_activation([ranked("b", *other), ranked("a", *one)], settings=settings, links=links, n=n) == first
    assert len(first) <= n
    total = sum(1 / (1 + min(one.index(name), other.index(name))) for name in NAMES)
    whole = search_activation([ranked("a", *one), ranked("b", *other)], settings=settings, links=links, n=99)
    assert sum(hit.score for hit in whole) <= (1 + decay) * total + 1e-9
    assert all(hit.score == replay(hit.trail) > 0 for hit in whole)


def test_equal_sums_of_different_parts_are_ordered_by_id():
    """Both are 7/6, but added one by one the parts of b make 1.1666666666666665."""
    links = index_of(a="[[c]]", b="[[c]]", c="[[b]]")
    found = search_activation([ranked("lexical", "b", "c", "a")], settings=Activation(), links=links, n=9)
    assert scores(found) == {"b": round(7 / 6, 6), "c": round(7 / 6, 6), "a": round(5 / 12, 6)}
    assert found.ranks["b.md"] < found.ranks["c.md"]


@given(VAULTS, st.permutations(NAMES))
def test_the_order_is_that_of_exact_sums_then_of_ids(vault, order):
    links = index_of(**vault)
    seeds = {NoteId(f"{name}.md"): Fraction(1, rank) for rank, name in enumerate(order, start=1)}
    exact = dict(seeds)
    for seed, worth in seeds.items():
        near = [*links.outlinks(seed), *links.backlinks(seed)]
        for other in near:
            exact[other] += worth / (2 * len(near))
    found = search_activation([ranked("a", *order)], settings=Activation(), links=links, n=99)
    expected = sorted(exact, key=lambda note: (-exact[note], note)) if any(map(links.outlinks, seeds)) else []
    assert [hit.id for hit in found] == expected


@pytest.mark.parametrize("options", [{"decay": 1.1}, {"n_seeds": 0}, {"weight": -1}, {"n_seeds": 101}])
def test_settings_are_bounded(options):
    with pytest.raises(ValueError, match="must be"):
        Activation(**options)
