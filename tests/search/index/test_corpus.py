"""Answers of a corpus from postings alone agree with the texts of the notes."""

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
def test_the_notes_that_contain_a_word_are_found_from_postings(word, anywhere, whole):
    """A folder's name does not count: oak/c.md is found because its text has "oaken", and oak/e.md is not found."""
    texts = {
        "a.md": "an oak 構造化知識",
        "b.md": "soaked getUserById",
        "oak/c.md": "oaken",
        "oak d.md": "",
        "oak/e.md": "",
    }
    corpus = corpus_of(texts)
    assert corpus.notes_containing(word, is_whole=False) == anywhere
    assert corpus.notes_containing(word, is_whole=True) == whole


@pytest.mark.parametrize("word", ["pre-edit", "a b", "", "getuserbyid2", "x" * 100, "知識化"])
def test_a_word_of_several_tokens_cannot_be_answered_from_postings(word):
    assert corpus_of({"a.md": "oak"}).notes_containing(word, is_whole=False) is None


@settings(max_examples=150)
@given(
    st.dictionaries(
        st.sampled_from(["a.md", "oak/b.md", "user/oak c.md", "知識.md"]), st.lists(st.sampled_from(WORDS), max_size=4)
    ),
    st.sampled_from(["oak", "user", "知", "知識", "c++", "strasse", "retry", "edit", "zz"]),
    st.booleans(),
)
def test_a_filter_allows_the_same_notes_by_postings_as_by_texts(notes, word, is_negated):
    texts = {NoteId(name): " ".join(words) for name, words in notes.items()}
    corpus = corpus_of(texts)
    node = Not(Word(word)) if is_negated else And((Word(word),))
    by_postings = evaluate_filter(
        node,
        corpus.notes,
        text_of=texts.__getitem__,
        notes_with_word=lambda text, is_whole: corpus.notes_containing(text, is_whole=is_whole),
    )
    assert by_postings.ids == evaluate_filter(node, corpus.notes, text_of=texts.__getitem__).ids


def test_the_notes_with_a_token_are_listed_only_up_to_a_limit():
    corpus = Corpus()
    texts = {"a.md": "RRF oak", "b.md": "oaken", "c.md": "oak"}
    corpus.update(parse_note(NoteId(path), text) for path, text in texts.items())
    assert corpus.notes_with_token("oak", at_most=2) == {"a.md", "c.md"}
    assert corpus.notes_with_token("oak", at_most=1) is None
    assert corpus.notes_with_token("elm", at_most=1) == frozenset()
