"""What a misspelt word was meant to be."""

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


def vault(*bodies):
    vocabulary = Vocabulary()
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    notes = [(f"{number}.md", [*empty, vocabulary.encode(body)]) for number, body in enumerate(bodies)]
    return vocabulary, Postings().with_notes(notes)


def meant(word, *bodies, **options):
    vocabulary, postings = vault(*bodies)
    found = Spelling(vocabulary).correct(word, postings, **{"is_open": False, **options})
    return found and found.word


@pytest.mark.parametrize(
    ("typed", "text", "expected"),
    [
        ("serach", "search", "search"),  # neighbours exchanged
        ("serch", "search", "search"),  # a letter missing
        ("searrch", "search", "search"),  # one too many
        ("seatch", "search", "search"),  # another one
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
        ("whcih", "which", None),  # to a glue word: grammar finds nothing
        ("search", "elm", None),
    ],
)
def test_one_edit_from_four_letters_and_two_from_eight(typed, text, expected):
    assert meant(typed, text) == expected


def test_the_nearest_word_is_meant_and_of_equally_near_ones_the_most_frequent():
    assert meant("grahps", "graphs", *["grapes"] * 5) == "graphs"
    assert meant("gaph", "gasp gap", *["graph"] * 3) == "graph"


def test_words_of_notes_that_are_gone_are_not_meant():
    vocabulary, postings = vault("search", "elm")
    left = postings.without(["0.md"])
    (posted,) = correct(
        post(query_terms([RankedTerm("serach")]), vocabulary, left), vocabulary, left, Spelling(vocabulary)
    )
    assert not posted.found


def test_a_word_that_is_still_typed_may_be_the_beginning_of_a_longer_one():
    assert meant("serac", *["searching"] * 10, is_open=True) == "searching"
    assert meant("serac", *["searching"] * 9, is_open=True) is None
    assert meant("serac", *["searching"] * 10, is_open=False) is None
    assert meant("xqzvb", "searching", is_open=True) is None


def test_a_spelling_follows_its_vocabulary():
    vocabulary, postings = vault("elm")
    spelling = Spelling(vocabulary)
    assert spelling.correct("serach", postings, is_open=False) is None
    empty = [vocabulary.encode("")] * (len(FIELDS) - 1)
    grown = postings.with_notes([("new.md", [*empty, vocabulary.encode("search")])])
    found = spelling.correct("serach", grown, is_open=False)
    assert found is not None
    assert found.word == "search"


_WORDS = st.text("abcde", min_size=4, max_size=10)


@settings(max_examples=60)
@given(st.lists(_WORDS, min_size=1, max_size=20), _WORDS)
def test_no_signature_hides_a_word_that_measuring_all_would_find(words, typed):
    assume(typed not in words)
    n_edits = 1 if len(typed) < 8 else 2
    least = min(OSA.distance(typed, word) for word in words)
    found = meant(typed, " ".join(words))
    assert (found is not None) == (least <= n_edits)
    assert found is None or OSA.distance(typed, found) == least


def corrected(query, *bodies):
    """Each term with its kinds of match, and the notices."""
    vocabulary, postings = vault(*bodies)
    posted = post(query_terms(parse(query).terms), vocabulary, postings)
    posted = correct(posted, vocabulary, postings, Spelling(vocabulary))
    told = [(item.term.text, [kind.value for kind, _ in item.found]) for item in posted]
    first = {item.term.text for item in posted} | {form.word for item in posted for form in item.forms}
    notices = correction_notices(posted, query, first=first, texts=lambda: bodies)
    return told, [(notice.message, notice.subject) for notice in notices]


def test_a_corrected_word_is_marked_and_told():
    told, notices = corrected("the Serach engine", "search engine", "engine")
    assert told == [("the", []), ("serach", ["near"]), ("engine", ["word"])]
    assert notices == [('Did you mean "search"? Hardly any note contains "serach".', "4:10")]


@pytest.mark.parametrize(
    "query",
    ['"serach"', "/serach/", "-serach oak", "file:serach", "path:serach", "tag:serach", "[k:serach]"],
)
def test_nothing_is_corrected_in_quotes_patterns_filters_exclusions_and_names(query):
    told, notices = corrected(query, "search oak", "oak")
    assert not any("near" in kinds for _, kinds in told)
    assert not notices


def test_a_beginning_of_a_word_is_no_typo():
    assert corrected("grap xx", "graph grape grab", "oak") == ([("grap", ["prefix"]), ("xx", [])], [])


def test_a_part_of_a_compound_is_corrected_and_the_whole_is_not():
    told, _ = corrected("max_conut x", "max_count", "oak")
    assert told[0] == ("max_conut", [])
    assert told[2] == ("conut", ["near"])


def test_a_word_of_one_note_may_be_a_far_more_frequent_one():
    told, notices = corrected("serach", "serach", *["search"] * 10)
    assert told == [("serach", ["word", "near"])]
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
def test_two_words_may_be_one_and_one_two(query, text, expected):
    told, notices = corrected(query, text, "ash")
    assert [(word, kinds) for word, kinds in told] == expected
    assert bool(notices) == (len(expected) > 1)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("a storm, then thunder", False),
        ("thunder: storm", True),
        ("Thunder\n[[storm]]", True),
        ("thunder and storm", False),
        ("thunder stormy storm", False),
    ],
)
def test_a_word_is_told_to_be_two_only_where_the_two_stand_beside_each_other(text, is_told):
    """Who writes "thunderstorm" has not mistyped it; notes with both words are found all the same."""
    told, notices = corrected("thunderstorm", text)
    assert [word for word, _ in told] == ["thunderstorm", "thunder", "storm"]
    assert bool(notices) == is_told


def test_a_correction_is_told_only_where_the_first_note_stands_there_by_it():
    """Where another word of the query, or its meaning, finds a better note, the word may well have been right."""
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
def test_the_exact_word_outranks_the_near_one_however_often_that_stands_there(n_times, n_notes):
    found = scores("serach", "serach " + "oak " * 50, *["search " * n_times] * n_notes)
    assert found[0] > found[1:].max() > 0


def test_a_corrected_word_counts_less_than_one_that_was_typed_right():
    bodies = ("search", "elm", "oak")
    assert scores("serach", *bodies)[0] == pytest.approx(0.8 * scores("search", *bodies)[0])


def test_terms_of_a_query_keep_their_order_and_text():
    assert [word for word, _ in corrected("oak serach elm", "search oak elm")[0]] == list(tokens("oak serach elm"))
