"""The vocabulary: numbered tokens, and the search for substrings in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.tokens import tokens
from search.index.vocabulary import Vocabulary

TEXT = "route router reroute routers Grouter 知識 構造化知識 retry_count"


def names(vocabulary, numbers):
    return {vocabulary.token(number) for number in numbers.tolist()}


def check(term, *, word=(), prefix=(), inner=()):
    vocabulary = Vocabulary()
    vocabulary.encode(TEXT)
    found = vocabulary.matching(term)
    assert (names(vocabulary, found.word), names(vocabulary, found.prefix), names(vocabulary, found.inner)) == (
        set(word),
        set(prefix),
        set(inner),
    )


def test_tokens_match_as_the_word_itself_as_a_prefix_or_inside():
    check("router", word=["router"], prefix=["routers"], inner=["grouter"])


def test_a_part_that_is_no_token_matches_inside_tokens():
    check("oute", inner=["route", "router", "reroute", "routers", "grouter"])


def test_a_character_of_a_dense_script_matches_the_bigrams_that_contain_it():
    check("知", prefix=["知識"], inner=["化知"])


@pytest.mark.parametrize("term", ["", "absent", "route\nrouter", "\n"])
def test_a_term_that_is_no_part_of_a_token_matches_nothing(term):
    check(term)


def test_tokens_added_later_match_too():
    vocabulary = Vocabulary()
    vocabulary.encode("one")
    assert len(vocabulary.matching("two").word) == 0
    vocabulary.encode("two twofold")
    assert names(vocabulary, vocabulary.matching("two").prefix) == {"twofold"}


def found_in(vocabulary, term):
    found = vocabulary.matching(term)
    return [vocabulary.token(number) for number in found.anywhere.tolist()]


def expected(texts, term):
    """All tokens of the texts that contain the term: itself, those that begin with it, the others."""
    known = list(dict.fromkeys(token for text in texts for token in tokens(text)))
    starting = [token for token in known if token.startswith(term)]
    return sorted(starting, key=lambda token: token != term) + [
        token for token in known if term in token and token not in starting
    ]


WORDS = st.text("aab", min_size=1, max_size=5)


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=3), st.lists(WORDS, max_size=8))
def test_earlier_look_ups_never_change_what_matches(texts, terms):
    vocabulary = Vocabulary()
    for n_read, text in enumerate(texts, start=1):
        vocabulary.encode(text)
        for term in (part for word in terms for part in (word[:1], word, word)):
            assert found_in(vocabulary, term) == expected(texts[:n_read], term)


def test_a_term_is_looked_up_among_the_tokens_with_a_shorter_one(monkeypatch):
    vocabulary = Vocabulary()
    vocabulary.encode(TEXT)
    vocabulary.matching("rout")
    monkeypatch.setattr(vocabulary, "_compare", None)
    assert found_in(vocabulary, "route") == ["route", "router", "routers", "reroute", "grouter"]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_terms_are_found_across_blocks(monkeypatch, size):
    monkeypatch.setattr("search.index.vocabulary._BLOCK", size)
    vocabulary = Vocabulary()
    vocabulary.encode(TEXT)
    for term in ("router", "r", "te", "outers", "知識", "count"):
        assert found_in(vocabulary, term) == expected([TEXT], term)


def test_numbers_of_tokens_include_those_of_later_texts():
    vocabulary = Vocabulary()
    vocabulary.encode("the route")
    wanted = frozenset({"the", "of", "to"})
    assert names(vocabulary, vocabulary.numbers_of(wanted)) == {"the"}
    vocabulary.encode("way of life")
    assert names(vocabulary, vocabulary.numbers_of(wanted)) == {"the", "of"}
    assert names(vocabulary, vocabulary.numbers_of(frozenset({"life"}))) == {"life"}


def test_emptying_the_caches_keeps_all_numbers():
    vocabulary = Vocabulary()
    before = vocabulary.encode(TEXT)
    vocabulary.forget_pieces()
    assert vocabulary.encode(TEXT).tolist() == before.tolist()


@given(
    st.lists(st.text(alphabet="abc知識_ ", max_size=12), max_size=8),
    st.text(alphabet="abc知識", min_size=1, max_size=3),
)
def test_matching_finds_exactly_the_tokens_that_contain_the_term(texts, term):
    vocabulary = Vocabulary()
    for text in texts:
        vocabulary.encode(text)
    known = {token for text in texts for token in tokens(text)}
    found = vocabulary.matching(term)
    assert names(vocabulary, found.word) == known & {term}
    assert names(vocabulary, found.prefix) == {token for token in known if token.startswith(term)} - {term}
    assert names(vocabulary, found.inner) == {token for token in known if term in token and not token.startswith(term)}


TEXTS = st.lists(
    st.text(
        alphabet=st.sampled_from("ab Z9_.-+#&@/;(\x00\x01\x02é中ひ한§’—\u00ad\u200b\n\t\r\x1c\x85\u2028😀"), max_size=60
    ),
    max_size=8,
)


@given(TEXTS)
def test_encoding_many_texts_at_once_gives_each_its_own_tokens_in_order(texts):
    vocabulary = Vocabulary()
    encoded = vocabulary.encode_all(texts)
    assert [tuple(map(vocabulary.token, numbers.tolist())) for numbers in encoded] == [tokens(text) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "tea " * 30_000,  # longer than one look-up
        "t" * 200_000,
        "tea/" * 30_000,  # without a space
        "茶 tea " * 20_000,
        "茶。" * 50_000 + " tea " + "茶" * 100_000,
        "Grüße\tan\x02alle\n" * 6_000,
        "getUserById " * 9_000,  # several tokens each
    ],
    ids=["spaces", "one piece", "no spaces", "mixed", "mixed words", "tabs", "compounds"],
)
def test_texts_of_any_length_are_encoded_in_full(text):
    vocabulary = Vocabulary()
    short, long, again = vocabulary.encode_all(["cup", text, "cup"])
    assert tuple(map(vocabulary.token, long.tolist())) == tokens(text)
    assert short.tolist() == again.tolist() == vocabulary.encode("cup").tolist()


def test_texts_longer_together_than_one_look_up_keep_their_order():
    vocabulary = Vocabulary()
    texts = [f"word{n} " * 900 for n in range(40)]
    assert [set(map(vocabulary.token, numbers.tolist())) for numbers in vocabulary.encode_all(texts)] == [
        set(tokens(text)) for text in texts
    ]


@given(st.text(max_size=80))
def test_encoding_gives_the_tokens_of_any_text_in_order(text):
    vocabulary = Vocabulary()
    assert tuple(map(vocabulary.token, vocabulary.encode(text).tolist())) == tokens(text)


def test_compounds_are_known_by_their_parts():
    vocabulary = Vocabulary()
    assert vocabulary.are_compounds_of(np.array([3], np.uint32), 0).tolist() == [False]
    vocabulary.encode("foxTrot fox snow-fox foxlike city—fox 東京")
    numbers = {text: int(vocabulary.matching(text, is_exact=True).word[0]) for text in ("fox", "trot", "foxlike")}
    tokens_ = ("foxtrot", "fox", "snow-fox", "foxlike", "city-fox", "trot")
    ids = np.concatenate([vocabulary.matching(text, is_exact=True).word for text in tokens_])
    assert vocabulary.are_compounds_of(ids, numbers["fox"]).tolist() == [True, False, True, False, True, False]
    assert vocabulary.are_compounds_of(ids, numbers["trot"]).tolist() == [True, False, False, False, False, False]
    vocabulary.encode("trotFoxlike")
    assert vocabulary.are_compounds_of(
        vocabulary.matching("trotfoxlike", is_exact=True).word, numbers["foxlike"]
    ).tolist() == [True]
