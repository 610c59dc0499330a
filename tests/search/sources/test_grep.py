"""Candidates: what is found, and what is kept when there are too many."""

import numpy as np
import pytest

from search.index.postings import FIELDS, Postings
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, weigh
from search.matching.terms import post, query_terms
from search.query import RankedTerm
from search.sources.grep import Grep, scan

DEFAULTS = Grep()


def candidates(query, notes, *, limit=500, allowed=None, always=None, settings=DEFAULTS):
    """Names of the candidates, best first, and how many were found; notes are name -> (title, body)."""
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes(
        [
            (name, [vocabulary.encode(title), *[empty] * (len(FIELDS) - 2), vocabulary.encode(body)])
            for name, (title, body) in notes.items()
        ]
    )
    posted = post(query_terms([RankedTerm(query)]), vocabulary, postings)
    weighed = tuple(weigh(term, postings, Bm25f()) for term in posted)

    def mask(names):
        return None if names is None else np.array([name in names for name in postings.notes])

    found = scan(weighed, postings, limit=limit, k1=1.2, settings=settings, allowed=mask(allowed), always=mask(always))
    return [postings.notes[slot] for slot in found.slots], found.n_found


def test_common_words_do_not_fill_the_cap_before_rare_ones():
    notes = {f"common{number}": ("", "oak oak") for number in range(50)} | {"rare": ("", "oak elm")}
    kept, n_found = candidates("oak elm", notes, limit=10)
    assert kept[0] == "rare"
    assert (len(kept), n_found) == (10, 51)


def test_a_word_in_the_title_covers_more_than_one_in_the_text():
    notes = {f"text{number}": ("", "oak") for number in range(20)} | {"title": ("oak", "")}
    assert candidates("oak", notes, limit=1) == (["title"], 21)


def test_a_word_in_a_name_may_be_set_to_cover_no_more_than_one_in_the_text():
    notes = {"title": ("oak", ""), "both": ("", "oak elm")}
    assert candidates("oak elm", notes, settings=Grep(name_bonus=0.0))[0] == ["both", "title"]
    assert candidates("oak elm", notes, settings=Grep(name_bonus=10.0))[0] == ["title", "both"]


def test_equal_coverage_is_told_apart_by_relevance_not_by_order():
    notes = {f"once{number}": ("", "oak " + "elm " * 20) for number in range(20)} | {"often": ("", "oak oak oak")}
    assert candidates("oak", notes, limit=1)[0] == ["often"]


def test_a_word_covers_more_than_a_part_of_a_word():
    assert candidates("oak", {"inner": ("", "soaked"), "word": ("", "oak")})[0] == ["word", "inner"]


@pytest.mark.parametrize(("inner_coverage", "first"), [(0.0, "part"), (1.0, "inner")])
def test_how_much_a_part_of_a_word_covers_is_a_setting(inner_coverage, first):
    notes = {"part": ("", "elm"), "inner": ("", "soaked elms")}
    settings = Grep(inner_coverage=inner_coverage)
    assert candidates("oak elm", notes, settings=settings)[0][0] == first


def test_glue_words_recall_nothing():
    assert candidates("the oak", {"glue": ("", "the the"), "subject": ("", "oak")}) == (["subject"], 1)


def test_filters_act_before_the_cut():
    notes = {f"oak{number:02}": ("oak", "oak oak") for number in range(30)} | {"wanted": ("", "soaked")}
    assert candidates("oak", notes, limit=10, allowed={"wanted"}) == (["wanted"], 1)


def test_what_must_not_be_cut_is_kept():
    notes = {f"oak{number:02}": ("oak", "oak oak") for number in range(30)} | {"named": ("", "elm")}
    assert candidates("oak", notes, limit=10, always={"named"})[0][0] == "named"
    assert candidates("oak", notes, limit=10, always={"named"}, allowed={"oak01"})[0] == ["oak01"]


def test_without_terms_every_admitted_note_is_found():
    assert candidates("", {"a": ("", "x"), "b": ("", "y")}, allowed={"b"}) == (["b"], 1)
