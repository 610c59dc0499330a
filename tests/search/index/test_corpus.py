"""What a corpus can tell without any text agrees with what the texts say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.filters.evaluate import evaluate_filter
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import And, Not, Word
from search.vault.markdown import parse_note

WORDS = [
    "oak",
    "soaked",
    "oaken",
    "getUserById",
    "user",
    "retry_count",
    "知識",
    "構造化知識",
    "C++",
    "pre-edit",
    "Straße",
]


def corpus_of(texts):
    corpus = Corpus()
    corpus.update([parse_note(NoteId(name), text) for name, text in texts.items()])
    return corpus


@pytest.mark.parametrize(
    ("word", "anywhere", "whole"),
    [
        ("oak", {"a.md", "b.md", "oak/c.md", "oak d.md"}, {"a.md", "oak d.md"}),
        ("user", {"b.md"}, {"b.md"}),
        ("知", {"a.md"}, {"a.md"}),
        ("absent", set(), set()),
    ],
)
def test_a_word_is_told_from_postings(word, anywhere, whole):
    """The folder `oak` is no place where a word is looked for; c's own text has it inside a longer word."""
    texts = {
        "a.md": "an oak 構造化知識",
        "b.md": "soaked getUserById",
        "oak/c.md": "oaken",
        "oak d.md": "",
        "oak/e.md": "",
    }
    corpus = corpus_of(texts)
    assert corpus.holding(word, is_whole=False) == anywhere
    assert corpus.holding(word, is_whole=True) == whole


@pytest.mark.parametrize("word", ["pre-edit", "a b", "", "getuserbyid2", "x" * 100, "知識化"])
def test_what_is_several_tokens_is_left_to_the_texts(word):
    assert corpus_of({"a.md": "oak"}).holding(word, is_whole=False) is None


@settings(max_examples=150)
@given(
    st.dictionaries(
        st.sampled_from(["a.md", "oak/b.md", "user/oak c.md", "知識.md"]), st.lists(st.sampled_from(WORDS), max_size=4)
    ),
    st.sampled_from(["oak", "user", "知", "知識", "c++", "strasse", "retry", "edit", "zz"]),
    st.booleans(),
)
def test_postings_and_texts_admit_the_same_notes(notes, word, is_negated):
    texts = {NoteId(name): " ".join(words) for name, words in notes.items()}
    corpus = corpus_of(texts)
    node = Not(Word(word)) if is_negated else And((Word(word),))
    told = evaluate_filter(
        node,
        corpus.notes,
        text_of=texts.__getitem__,
        notes_with_word=lambda asked, is_whole: corpus.holding(asked, is_whole=is_whole),
    )
    assert told.ids == evaluate_filter(node, corpus.notes, text_of=texts.__getitem__).ids


def test_the_notes_of_a_token_are_told_up_to_a_number():
    corpus = Corpus()
    texts = {"a.md": "RRF oak", "b.md": "oaken", "c.md": "oak"}
    corpus.update(parse_note(NoteId(path), text) for path, text in texts.items())
    assert corpus.with_token("oak", at_most=2) == {"a.md", "c.md"}
    assert corpus.with_token("oak", at_most=1) is None
    assert corpus.with_token("elm", at_most=1) == frozenset()
