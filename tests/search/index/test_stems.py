"""Language detection, and other forms of a word by stemming."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from search.answer.evidence import MatchKind
from search.index.languages import COMMON_WORDS, languages_of
from search.index.postings import FIELDS, Postings
from search.index.stems import Stems, StemTable
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, saturate, weigh_forms
from search.matching.terms import post, query_terms
from search.query import RankedTerm

ENGLISH = "this is the text of a note and it was written by you"


def vault(*bodies):
    vocabulary = Vocabulary()
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    notes = [(f"{number}.md", [*empty, vocabulary.encode(body)]) for number, body in enumerate(bodies)]
    return vocabulary, Postings().with_notes(notes)


def forms(word, *bodies):
    vocabulary, postings = vault(*bodies)
    return {vocabulary.token(number) for number in StemTable(vocabulary).forms(word, postings)}


@pytest.mark.parametrize("language", COMMON_WORDS)
def test_a_note_with_the_common_words_of_a_language_is_in_that_language(language):
    assert languages_of(*vault(" ".join(COMMON_WORDS[language]))) == (language,)


@pytest.mark.parametrize(
    "bodies", [(), ("",), ("router reset ten seconds",), ("今日は構造化知識を学ぶ", "a in router")]
)
def test_notes_without_common_words_have_no_language(bodies):
    assert languages_of(*vault(*bodies)) == ()


def test_a_vault_has_each_language_that_a_share_of_its_notes_is_in():
    german = "das ist nicht der Text von einem Buch und wir sind auch hier"
    assert languages_of(*vault(*[ENGLISH] * 5, german)) == ("english", "german")
    assert languages_of(*vault(*[ENGLISH] * 40, german)) == ("english",)


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("query", f"{ENGLISH} queries querying quarry", {"queries", "querying"}),
        ("dogs", f"{ENGLISH} dog dogma", {"dog"}),
        ("häuser".replace("ä", "a"), "das ist nicht der und auch Haus Häuser Hausa", {"haus"}),
        ("книги", "это не так и все они в книга книге книжный", {"книга", "книге"}),
        ("новыи", "это не так и все они в новый новая новое", {"новая", "новое"}),
        ("chansons", "les une des pour dans avec est chanson", {"chanson"}),
        ("dogs", "dog dogs", set()),  # no language was detected
        ("3d", f"{ENGLISH} 3ds", set()),
        ("be", f"{ENGLISH} being", set()),
    ],
)
def test_forms_of_a_word_are_the_other_words_of_its_stem(word, text, expected):
    assert forms(word, text) == expected


def test_forms_include_words_added_to_the_vocabulary_later():
    vocabulary, postings = vault(ENGLISH)
    table = StemTable(vocabulary)
    assert not len(table.forms("oak", postings))
    vocabulary.encode("oaks")
    assert [vocabulary.token(number) for number in table.forms("oak", postings)] == ["oaks"]


def test_languages_are_detected_again_when_the_vault_has_grown():
    vocabulary, postings = vault("oak oaks")
    table = StemTable(vocabulary)
    assert table.languages(postings) == ()
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    grown = postings.with_notes([("new.md", [*empty, vocabulary.encode(ENGLISH)])])
    assert table.languages(grown) == ("english",)


def scores(query, *bodies, weight=1.0):
    """The notes' BM25F for the query's words and their forms."""
    vocabulary, postings = vault(*bodies)
    terms = query_terms([RankedTerm(query)])
    total = 0
    for posted in post(terms, vocabulary, postings, stems=StemTable(vocabulary)):
        for item in weigh_forms(
            posted, postings, Bm25f(), stems=Stems(weight=weight), n_words=len(terms), near_weight=1.0
        ):
            total = total + item.idf * saturate(item.frequencies, 1.2)
    return total


@given(st.integers(1, 9), st.integers(0, 5), st.floats(0.05, 1.0))
def test_the_word_itself_outranks_another_form(n_times, n_others, weight):
    """However often it occurs, and whether or not the vault has other notes."""
    others = [f"{ENGLISH} elm"] * n_others
    itself, form, *_ = scores("dog", *(f"{ENGLISH} {(word + ' ') * n_times}" for word in ("dog", "dogs")), *others)
    assert itself > form > 0


def test_the_score_blends_the_score_of_the_word_with_that_of_all_its_forms_as_one_term(monkeypatch):
    bodies = (f"{ENGLISH} dog elm", f"{ENGLISH} dogs elm", f"{ENGLISH} elm oak")
    found = {}
    for share in (0.0, 0.7, 1.0):
        monkeypatch.setattr(Stems, "share", lambda *_, share=share: share)
        found[share] = scores("dog", *bodies)
    assert found[0.7] == pytest.approx(0.3 * found[0.0] + 0.7 * found[1.0])


@pytest.mark.parametrize(("query", "share"), [("dog", 1 / 2), ("dog elm", 2 / 3), ("dog elm oak ash", 4 / 5)])
def test_forms_count_more_in_longer_queries(query, share):
    """A sentence describes what is wanted, while one or two words are often a quote."""
    assert Stems().share(len(query.split()), 1.0) == pytest.approx(share)


def test_forms_of_a_common_word_count_less_than_those_of_a_rare_one():
    shares = [Stems().share(9, rarity) for rarity in (0.0, 0.1, 0.5, 1.0)]
    assert shares == sorted(set(shares))
    assert 0 < shares[0] < shares[-1] < 1
    assert Stems(weight=0.5).share(9, 0.1) == pytest.approx(shares[1] / 2)


def test_a_form_scores_like_the_word_itself_if_no_note_contains_the_word():
    assert scores("dogs", f"{ENGLISH} dog", ENGLISH)[0] == pytest.approx(scores("dog", f"{ENGLISH} dog", ENGLISH)[0])


def kinds(terms, *bodies):
    vocabulary, postings = vault(*bodies)
    return [[kind for kind, _ in item.found] for item in post(terms, vocabulary, postings, stems=StemTable(vocabulary))]


def test_a_form_does_not_also_match_as_a_prefix():
    terms = query_terms([RankedTerm("dog", is_prefix=True)])
    assert kinds(terms, f"{ENGLISH} dog dogs") == [[MatchKind.WORD, MatchKind.STEM]]
    assert kinds(terms, f"{ENGLISH} dog dogs dogma") == [[MatchKind.WORD, MatchKind.STEM, MatchKind.PREFIX]]


@pytest.mark.parametrize("term", [RankedTerm("dogs", is_phrase=True), RankedTerm("dogs", is_literal=True)])
def test_phrases_and_literal_terms_have_no_forms(term):
    assert kinds(query_terms([term]), f"{ENGLISH} dog") == [[]]


def test_stop_words_have_no_forms():
    terms = query_terms([RankedTerm("being"), RankedTerm("oak")])
    assert kinds([evolve(terms[0], is_recalling=False)], f"{ENGLISH} beings") == [[]]


def test_forms_are_listed_in_order_of_frequency():
    vocabulary, postings = vault(f"{ENGLISH} dogs", f"{ENGLISH} dogs dogged", ENGLISH)
    (posted,) = post(query_terms([RankedTerm("dog")]), vocabulary, postings, stems=StemTable(vocabulary))
    assert [(form.kind, form.word) for form in posted.forms] == [(MatchKind.STEM, "dogs"), (MatchKind.STEM, "dogged")]
