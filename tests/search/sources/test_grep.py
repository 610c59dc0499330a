"""Candidates: which notes are found, and which are kept if there are too many."""

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
            (
                name if "." in name else f"{name}.md",
                [vocabulary.encode(title), *[empty] * (len(FIELDS) - 2), vocabulary.encode(body)],
            )
            for name, (title, body) in notes.items()
        ]
    )
    posted = post(query_terms([RankedTerm(query)]), vocabulary, postings)
    weighed = tuple(weigh(term, postings, Bm25f()) for term in posted)

    def mask(names):
        return None if names is None else np.array([name.removesuffix(".md") in names for name in postings.notes])

    found = scan(weighed, postings, limit=limit, k1=1.2, settings=settings, allowed=mask(allowed), always=mask(always))
    return [postings.notes[slot].removesuffix(".md") for slot in found.slots], found.n_found


def test_notes_with_rare_words_are_kept_before_notes_with_common_words_only():
    notes = {f"common{number}": ("", "oak oak") for number in range(50)} | {"rare": ("", "oak elm")}
    kept, n_found = candidates("oak elm", notes, limit=10)
    assert kept[0] == "rare"
    assert (len(kept), n_found) == (10, 51)


def test_a_word_in_the_title_covers_more_than_one_in_the_text():
    notes = {f"text{number}": ("", "oak") for number in range(20)} | {"title": ("oak", "")}
    assert candidates("oak", notes, limit=1) == (["title"], 21)


def test_the_bonus_for_words_in_names_is_a_setting():
    notes = {"title": ("oak", ""), "both": ("", "oak elm")}
    assert candidates("oak elm", notes, settings=Grep(name_bonus=0.0))[0] == ["both", "title"]
    assert candidates("oak elm", notes, settings=Grep(name_bonus=10.0))[0] == ["title", "both"]


def test_notes_of_equal_coverage_are_ordered_by_bm25f():
    notes = {f"once{number}": ("", "oak " + "elm " * 20) for number in range(20)} | {"often": ("", "oak oak oak")}
    assert candidates("oak", notes, limit=1)[0] == ["often"]


def test_a_word_covers_more_than_a_part_of_a_word():
    assert candidates("oak", {"inner": ("", "soaked"), "word": ("", "oak")})[0] == ["word", "inner"]


@pytest.mark.parametrize(("inner_coverage", "first"), [(0.0, "part"), (1.0, "inner")])
def test_the_coverage_of_a_match_inside_a_word_is_a_setting(inner_coverage, first):
    notes = {"part": ("", "elm"), "inner": ("", "soaked elms")}
    settings = Grep(inner_coverage=inner_coverage)
    assert candidates("oak elm", notes, settings=settings)[0][0] == first


def test_stop_words_find_nothing():
    assert candidates("the oak", {"stop": ("", "the the"), "subject": ("", "oak")}) == (["subject"], 1)


def test_filters_act_before_the_cut():
    notes = {f"oak{number:02}": ("oak", "oak oak") for number in range(30)} | {"wanted": ("", "soaked")}
    assert candidates("oak", notes, limit=10, allowed={"wanted"}) == (["wanted"], 1)


def test_notes_that_must_not_be_cut_are_kept():
    notes = {f"oak{number:02}": ("oak", "oak oak") for number in range(30)} | {"named": ("", "elm")}
    assert candidates("oak", notes, limit=10, always={"named"})[0][0] == "named"
    assert candidates("oak", notes, limit=10, always={"named"}, allowed={"oak01"})[0] == ["oak01"]


def test_without_terms_every_allowed_note_is_found():
    assert candidates("", {"a": ("", "x"), "b": ("", "y")}, allowed={"b"}) == (["b"], 1)


def test_notes_documents_and_files_found_by_name_are_each_cut_by_themselves():
    often = {f"{number}.pdf": ("", "oak " * 9) for number in range(9)} | {
        f"{number}.png": ("oak", "") for number in range(9)
    }
    kept, n_found = candidates("oak", often | {f"note{number}": ("", "oak") for number in range(9)}, limit=2)
    assert sorted(name.rpartition(".")[2] for name in kept) == ["note0", "note1", "pdf", "png", "png"]
    assert n_found == 27


def test_documents_take_the_places_that_notes_leave():
    files = {f"{number}.pdf": ("", "oak") for number in range(9)} | {"note": ("", "oak")}
    kept, _ = candidates("oak", files, limit=5)
    assert sorted(name.rpartition(".")[2] for name in kept) == ["note", "pdf", "pdf", "pdf", "pdf"]
