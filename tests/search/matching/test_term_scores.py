"""A note's BM25F score taken apart: the terms add up, and each number is the one that a person would count."""

from math import log

import pytest

from search.answer.evidence import Field, MatchKind
from search.answer.trail import Found
from search.engine import Engine
from search.query import Mode, Query
from vaults import write

VAULT = """
--- oak.md
# Oak
The oak and the oaks of the wood. An oakwood.
--- elm.md
# Elm
An elm in the oakwood.
--- ash.md
# Ash
The ash, and timber of the ash.
"""


@pytest.fixture(scope="module")
def terms(tmp_path_factory):
    """A function that gives a note's lexical step for a query."""
    engine = Engine(write(tmp_path_factory.mktemp("vault"), VAULT))

    def of(text, note, **options):
        query = Query(text=text, mode=Mode.KEYWORD, **{"include_terms": True, **options})
        hit = next(found.hit for found in engine.search(query).hits if found.hit.id == note)
        return next(step for step in hit.trail if isinstance(step, Found))

    return of


def places(term):
    return [
        (part.scale, part.is_saturated, [(field.kind, field.field, field.count) for field in part.fields])
        for part in term.parts
    ]


def test_a_whole_word_counts_in_each_of_its_fields(terms):
    (term,) = terms("elm", "elm.md").terms
    assert (term.term, term.times, term.df, term.n_notes, term.share, term.k1) == ("elm", 1, 1, 3, 1.0, 1.2)
    assert term.idf == pytest.approx(log(1 + (3 - 1 + 0.5) / (1 + 0.5)))
    word = MatchKind.WORD
    counted = [(word, Field.TITLE, 1), (word, Field.PATH, 1), (word, Field.HEADINGS, 1), (word, Field.BODY, 2)]
    assert places(term) == [(1.0, False, counted)]
    body = term.parts[0].fields[-1]
    assert (body.weight, body.b, body.length, body.mean_length) == (1.0, 0.75, 6.0, pytest.approx((11 + 6 + 8) / 3))


def test_a_word_counts_as_often_as_the_query_has_it(terms):
    (once,), (twice,) = terms("elm", "elm.md").terms, terms("elm elm", "elm.md").terms
    assert (twice.times, twice.score) == (2, pytest.approx(2 * once.score))


def test_a_word_inside_another_is_saturated_below_the_weakest_whole_word(terms):
    (whole, *_), (inner, *_) = terms("wood", "oak.md").terms, terms("wood", "elm.md").terms
    (part,) = inner.parts
    assert (part.is_saturated, part.scale) == (True, pytest.approx(0.5 * whole.frequency))
    assert [(field.kind, field.field) for field in part.fields] == [(MatchKind.INNER, Field.BODY)]


def test_a_stop_word_is_saturated_in_the_text(terms):
    (stop,) = [term for term in terms("the ash", "ash.md").terms if term.term == "the"]
    assert places(stop) == [(0.2, True, [(MatchKind.WORD, Field.BODY, 2)])]


def test_a_word_still_being_typed_counts_half(terms):
    (term,) = terms("el", "elm.md").terms
    assert {(scale, saturated) for scale, saturated, _ in places(term)} == {(0.5, False)}
    assert {kind for _, _, fields in places(term) for kind, *_ in fields} == {MatchKind.PREFIX}


def test_a_corrected_word_has_a_share(terms):
    (term,) = terms("timbre", "ash.md").terms
    assert 0 < term.share < 1
    assert places(term)[0][2] == [(MatchKind.NEAR, Field.BODY, 1)]


@pytest.mark.parametrize(("text", "note"), [("oak wood", "oak.md"), ("the oakwood of elm", "elm.md"), ("as", "ash.md")])
def test_the_terms_add_up_to_the_score(terms, text, note):
    found = terms(text, note)
    bm25 = found.arithmetic.numbers["bm25"] if found.arithmetic else found.raw
    assert sum(term.score for term in found.terms) == pytest.approx(bm25)
    for term in found.terms:
        frequency = 0.0
        for part in term.parts:
            s = sum(f.weight * f.count / (1 - f.b + f.b * f.length / f.mean_length) for f in part.fields)
            frequency += part.scale * (s / (s + 1) if part.is_saturated else s)
        assert term.frequency == pytest.approx(frequency)
        assert term.score == pytest.approx(term.times * term.idf * frequency * 2.2 / (frequency + 1.2))


def test_without_a_request_there_are_no_terms(terms):
    assert terms("elm", "elm.md", include_terms=False).terms == ()
