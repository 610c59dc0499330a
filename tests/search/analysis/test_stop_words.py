"""Stop words depend on the language of the vault and of the query; the wording of a question is a stop word too."""

import pytest

from search.analysis.stop_words import framing, stop_words_of
from search.engine import Engine
from search.matching.terms import query_terms
from search.query import RankedTerm
from vaults import ask, search, write

ENGLISH = "".join(
    f"--- log{n}.md\nThis is the log of the day, and it was not as good as that of the day before.\n" for n in range(4)
)


def content(text, languages=("english",)):
    terms = query_terms([RankedTerm(text)], stop_words_of(languages, text.lower().split()))
    return [term.text for term in terms if term.is_recalling]


@pytest.mark.parametrize(
    ("query", "languages", "expected"),
    [
        ("mit license", ["english"], ["mit", "license"]),
        ("mit license", ["english", "german"], ["license"]),
        ("die casting", ["english"], ["die", "casting"]),
        ("wie war die ernte", ["english"], ["ernte"]),
        ("how do i want the war", ["english"], ["war"]),
        ("the router", ["finnish"], ["router"]),
        ("was ist der router", [], ["router"]),
        ("to be or not to be", ["english"], ["to", "be", "or", "not"]),
    ],
)
def test_a_word_is_a_stop_word_in_its_own_language(query, languages, expected):
    assert content(query, languages) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("export not working", ["export"]),
        ("the export does not work", ["export"]),
        ("export won't work over http", ["export", "over", "http"][::2]),
        ("difference between oak and elm", ["oak", "elm"]),
        ("oak vs elm", ["oak", "elm"]),
        ("how to prune an oak", ["prune", "oak"]),
        ("working hours", ["working", "hours"]),
        ("not working", ["working", "not"][::-1]),
        ("der Drucker funktioniert nicht", ["drucker"]),
    ],
)
def test_the_wording_around_a_subject_finds_nothing(query, expected):
    assert content(query, ("english", "german")) == expected


def test_a_frame_counts_only_where_its_words_stand_together():
    assert framing(["difference", "of", "the", "gap", "between"]) == frozenset()
    assert framing(["difference", "between"]) == {"difference", "between"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("can I use AND in a query", ["and", "query"]),
        ("US holidays", ["us", "holidays"]),
        ("GET request", ["get", "request"]),
        ("CAN I USE AND IN A QUERY", ["query"]),
        ("tea AND milk", ["tea", "milk"]),
        ("what does OR do", ["or"]),
        ("why is THIS broken", ["broken"]),
    ],
)
def test_a_short_stop_word_in_capitals_is_meant_as_a_word(query, expected):
    assert content(query) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("won't start", "It won’t start."),
        ("don't panic", "so don't panic"),
        ("what's new", "see what's new"),
        ("l'eau froide", "boire de l’eau froide"),
    ],
)
def test_a_contraction_is_one_word(tmp_path, query, text):
    """Its pieces find nothing: "t", "won", "don" and "what"."""
    engine = Engine(write(tmp_path, f"--- right.md\n{text}\n--- wrong.md\nThe t won a don; what s l?\n"))
    assert ask(engine, query) == ["right.md"]


def test_stop_words_match_no_folder(tmp_path):
    vault = f"{ENGLISH}--- Getting Started/Tags.md\nColours of the tags.\n--- Help.md\nWrite to the help desk.\n"
    engine = Engine(write(tmp_path, vault))
    result = search(engine, "how do I get help")
    assert [found.hit.id for found in result.hits] == ["Help.md"]


def test_a_query_of_stop_words_finds_what_says_them(tmp_path):
    engine = Engine(write(tmp_path, f"{ENGLISH}--- What is new.md\nNothing yet.\n"))
    assert ask(engine, "what is")[0] == "What is new.md"
