"""Corrections of misspelled words."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from search.analysis.tokens import tokens
from search.index.postings import FIELDS, Postings
from search.index.spelling import Spelling
from search.index.stems import Stems
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, saturate, weigh_forms
from search.matching.corrections import correct, correction_notices
from search.matching.terms import post, query_terms
from search.query import RankedTerm
from search.syntax import parse

_WORDS = st.text("abcde", min_size=4, max_size=10)


def vault(*bodies):
    vocabulary = Vocabulary()
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    notes = [(f"{number}.md", [*empty, vocabulary.encode(body)]) for number, body in enumerate(bodies)]
    return vocabulary, Postings().with_notes(notes)


def correction(word, *bodies, **options):
    vocabulary, postings = vault(*bodies)
    found = Spelling(vocabulary).correct(word, postings, **{"is_prefix": False, **options})
    return found and found.word


@pytest.mark.parametrize(
    ("typed", "text", "expected"),
    [
        ("serach", "search", "search"),  # neighbours swapped
        ("serch", "search", "search"),  # a letter missing
        ("searrch", "search", "search"),  # one added
        ("seatch", "search", "search"),  # one replaced
        ("kubernets", "kubernetes", "kubernetes"),
        ("kubrenets", "kubernetes", "kubernetes"),  # two edits from eight letters
        ("saecrh", "search", None),  # two in six letters
        ("teh", "the oak then", None),  # too short
        ("oack", "oak", "oak"),
        ("привте", "привет", "привет"),
        ("cafes", "Café", "cafe"),
        ("premeire", "première", "premiere"),
        ("知識構造", "知識構成", None),
        ("utf16", "utf32", None),
        ("2026", "2025", None),
        ("whcih", "which", None),  # to a stop word, which finds no note by itself
        ("search", "elm", None),
    ],
)
def test_words_are_corrected_by_one_edit_from_four_letters_and_two_from_eight(typed, text, expected):
    assert correction(typed, text) == expected


def test_the_nearest_word_wins_and_of_equally_near_ones_the_most_frequent():
    assert correction("grahps", "graphs", *["grapes"] * 5) == "graphs"
    assert correction("gaph", "gasp gap", *["graph"] * 3) == "graph"


def test_words_of_removed_notes_are_not_corrections():
    vocabulary, postings = vault("search", "elm")
    left = postings.without(["0.md"])
    (posted,) = correct(
        post(query_terms([RankedTerm("serach")]), vocabulary, left), vocabulary, left, Spelling(vocabulary)
    )
    assert not posted.found


def test_a_word_still_being_typed_is_corrected_to_the_beginning_of_a_frequent_word():
    assert correction("serac", *["searching"] * 10, is_prefix=True) == "searching"
    assert correction("serac", *["searching"] * 9, is_prefix=True) is None
    assert correction("serac", *["searching"] * 10, is_prefix=False) is None
    assert correction("xqzvb", "searching", is_prefix=True) is None


def test_a_word_of_four_letters_is_corrected_by_one_edit_and_never_completed_too():
    assert correction("dome", *["doesn"] * 20, is_prefix=True) is None
    assert correction("dome", *["domxed"] * 20, is_prefix=True) is None
    assert correction("dome", *["dune"] * 20, is_prefix=True) is None
    assert correction("dome", *["done"] * 20, is_prefix=True) == "done"


def test_the_beginning_of_a_longer_word_is_at_least_as_long_as_what_was_typed():
    assert correction("domws", *["domestic"] * 20, is_prefix=True) == "domestic"
    assert correction("domea", *["domxstic"] * 20, is_prefix=True) is None


@settings(max_examples=60)
@given(st.lists(_WORDS, min_size=1, max_size=8), st.text("abcde", min_size=4, max_size=4))
def test_no_word_of_four_letters_is_ever_corrected_by_two_edits(words, typed):
    found = correction(typed, *[" ".join(words)] * 20, is_prefix=True)
    assert found is None or OSA.distance(typed, found) <= 1


def test_corrections_include_words_added_to_the_vocabulary_later():
    vocabulary, postings = vault("elm")
    spelling = Spelling(vocabulary)
    assert spelling.correct("serach", postings, is_prefix=False) is None
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    grown = postings.with_notes([("new.md", [*empty, vocabulary.encode("search")])])
    found = spelling.correct("serach", grown, is_prefix=False)
    assert found is not None
    assert found.word == "search"


@settings(max_examples=60)
@given(st.lists(_WORDS, min_size=1, max_size=20), _WORDS)
def test_signatures_never_hide_a_word_that_comparing_all_would_find(words, typed):
    assume(typed not in words)
    n_edits = 1 if len(typed) < 8 else 2
    least = min(OSA.distance(typed, word) for word in words)
    found = correction(typed, " ".join(words))
    assert (found is not None) == (least <= n_edits)
    assert found is None or OSA.distance(typed, found) == least


def corrected(query, *bodies):
    """Each term with its kinds of match, and the notices."""
    vocabulary, postings = vault(*bodies)
    posted = post(query_terms(parse(query).terms), vocabulary, postings)
    posted = correct(posted, vocabulary, postings, Spelling(vocabulary))
    matches = [(item.term.text, [kind.value for kind, _ in item.found]) for item in posted]
    first = {item.term.text for item in posted} | {form.word for item in posted for form in item.forms}
    notices = correction_notices(posted, query, first=first, texts=lambda: bodies)
    return matches, [(notice.message, notice.subject) for notice in notices]


def test_a_correction_is_marked_as_near_and_has_a_notice():
    matches, notices = corrected("the Serach engine", "search engine", "engine")
    assert matches == [("the", []), ("serach", ["near"]), ("engine", ["word"])]
    assert notices == [('Did you mean "search"? Hardly any note contains "serach".', "4:10")]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("xserach serach", "8:14"),
        ("serachx, serach", "9:15"),
        ("-serach serach", "8:14"),
        ('"serach" serach', "9:15"),
        ("file:serach serach", "12:18"),
        ("(serach)", "1:7"),
        ("xserach my_serach", "11:17"),
        ("maxSerach x", "3:9"),
        ("ｓｅｒａｃｈ x", "0:6"),
        ("Straße serach", "7:13"),
    ],
)
def test_the_place_of_a_correction_is_that_of_the_corrected_word(query, place):
    _, notices = corrected(query, "search oak", "oak")
    assert [subject for message, subject in notices if '"serach"' in message] == [place]


def test_the_place_of_a_joined_pair_is_that_of_both_words():
    _, notices = corrected("xwor wor  kflow", "workflow", "ash")
    assert [subject for _, subject in notices] == ["5:15"]


@pytest.mark.parametrize(
    "query",
    ['"serach"', "/serach/", "-serach oak", "file:serach", "path:serach", "tag:serach", "[k:serach]"],
)
def test_nothing_is_corrected_in_quotes_patterns_filters_exclusions_and_names(query):
    matches, notices = corrected(query, "search oak", "oak")
    assert not any("near" in kinds for _, kinds in matches)
    assert not notices


def test_the_beginning_of_a_word_is_not_a_misspelling():
    assert corrected("grap xx", "graph grape grab", "oak") == ([("grap", ["prefix"]), ("xx", [])], [])


def test_a_part_of_a_compound_is_corrected_and_the_whole_is_not():
    matches, _ = corrected("max_conut x", "max_count", "oak")
    assert matches[0] == ("max_conut", [])
    assert matches[2] == ("conut", ["near"])


def test_a_word_of_one_note_is_corrected_to_one_ten_times_as_frequent():
    matches, notices = corrected("serach", "serach", *["search"] * 10)
    assert matches == [("serach", ["word", "near"])]
    assert notices
    assert corrected("serach", "serach", *["search"] * 9) == ([("serach", ["word"])], [])
    assert corrected("serach", "serach", "serach", *["search"] * 90) == ([("serach", ["word"])], [])


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        (
            "workflow chart",
            "work flow chart",
            [("workflow", []), ("work", ["word"]), ("flow", ["word"]), ("chart", ["word"])],
        ),
        ("wor kflow", "workflow", [("wor", ["inner"]), ("kflow", ["inner"]), ("workflow", ["word"])]),
        ("oakelm", "oak", [("oakelm", [])]),
    ],
)
def test_words_are_joined_and_split_as_the_vault_writes_them(query, text, expected):
    matches, notices = corrected(query, text, "ash")
    assert [(word, kinds) for word, kinds in matches] == expected
    assert bool(notices) == (len(expected) > 1)


@pytest.mark.parametrize(
    ("text", "has_notice"),
    [
        ("a storm, then thunder", False),
        ("thunder: storm", True),
        ("Thunder\n[[storm]]", True),
        ("thunder and storm", False),
        ("thunder stormy storm", False),
    ],
)
def test_splitting_a_word_has_a_notice_only_if_the_parts_are_next_to_each_other(text, has_notice):
    """The word thunderstorm is not misspelled, so a notice would be wrong; the parts match in any case."""
    matches, notices = corrected("thunderstorm", text)
    assert [word for word, _ in matches] == ["thunderstorm", "thunder", "storm"]
    assert bool(notices) == has_notice


def test_a_correction_has_a_notice_only_if_the_first_note_was_found_by_it():
    """If another word of the query, or its meaning, finds a better note, the word may have been right."""
    vocabulary, postings = vault("search", "engine")
    posted = correct(
        post(query_terms(parse("serach engine").terms), vocabulary, postings),
        vocabulary,
        postings,
        Spelling(vocabulary),
    )
    assert correction_notices(posted, "serach engine", first={"engine"}, texts=tuple) == ()
    assert len(correction_notices(posted, "serach engine", first={"search"}, texts=tuple)) == 1


def scores(query, *bodies):
    vocabulary, postings = vault(*bodies)
    posted = correct(
        post(query_terms(parse(query).terms), vocabulary, postings), vocabulary, postings, Spelling(vocabulary)
    )
    total = 0
    for item in posted:
        for weighed in weigh_forms(item, postings, Bm25f(), stems=Stems(), n_words=1, near_weight=0.8):
            total = total + weighed.idf * saturate(weighed.frequencies, 1.2)
    return total


@given(st.integers(1, 30), st.integers(10, 20))
def test_the_exact_word_outranks_its_correction_however_often_that_occurs(n_times, n_notes):
    found = scores("serach", "serach " + "oak " * 50, *["search " * n_times] * n_notes)
    assert found[0] > found[1:].max() > 0


def test_a_corrected_word_scores_less_than_the_same_word_typed_correctly():
    bodies = ("search", "elm", "oak")
    assert scores("serach", *bodies)[0] == pytest.approx(0.8 * scores("search", *bodies)[0])


def test_terms_of_a_query_keep_their_order_and_text():
    assert [word for word, _ in corrected("oak serach elm", "search oak elm")[0]] == list(tokens("oak serach elm"))
