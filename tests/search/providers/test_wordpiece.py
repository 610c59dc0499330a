"""Word pieces: a small vocabulary, and the real one against Hugging Face's tokenizers if they are installed."""

import unicodedata
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.providers.minilm import WEIGHTS
from search.providers.wordpiece import UNKNOWN, WordPiece

VOCABULARY = [*(f"[unused{n}]" for n in range(101)), "tea", "pot", "##pot", "##s", "#", "中", "s", "é", "σας", "-", "$"]
SMALL = WordPiece(VOCABULARY)


@lru_cache
def read_vocabulary():
    with np.load(WEIGHTS) as arrays:
        return arrays["vocab"].tobytes().decode().split("\n")


@pytest.fixture(scope="module")
def real():
    return WordPiece(read_vocabulary())


@pytest.mark.parametrize(
    ("run", "pieces"),
    [
        ("teapots", ["tea", "##pot", "##s"]),
        ("POT", ["pot"]),
        ("Te\u0301a", ["tea"]),
        ("téa", ["tea"]),
        ("tea-pot", ["tea", "-", "pot"]),
        ("$tea#", ["$", "tea", "#"]),
        ("tea中pot", ["tea", "中", "pot"]),
        ("tea\u3000pot", ["tea", "pot"]),
        ("te\0a\ufffd\u200b\ue000\ud800", ["tea"]),
        ("", []),
        ("\0\ud800\u0301", []),
    ],
)
def test_run_is_cut_into_the_longest_pieces_from_the_left(run, pieces):
    assert [VOCABULARY[number] for number in SMALL.cut(run)] == pieces


@pytest.mark.parametrize(
    "run",
    ["coffee", "teapotx", "😀", "\U0001fae8", "tea" * 34, "x" * 5000, "σασ"],
    ids=["strange", "strange end", "emoji", "emoji of Unicode 15", "102 letters", "5,000 letters", "final sigma"],
)
def test_word_that_the_pieces_do_not_cover_is_one_unknown(run):
    assert list(SMALL.cut(run)) == [UNKNOWN]


def test_text_cannot_contain_special_tokens(real):
    assert not {101, 102} & set(real.cut("[CLS][SEP]"))


@given(st.text(st.characters() | st.characters(categories=["Cs", "Cc", "Mn"]), max_size=60))
def test_cutting_never_raises_and_ids_are_in_the_vocabulary(real, text):
    assert all(0 <= number < len(read_vocabulary()) for number in real.cut(text))


@pytest.mark.slow
def test_every_letter_is_cut_as_by_hugging_face(real):
    """Except blanks, which no run contains, and characters whose category has changed between Unicode versions."""
    old = unicodedata.ucd_3_2_0.category
    known = [char for char in map(chr, range(33, 0x3000)) if "Cn" != old(char) == unicodedata.category(char)]
    differing = [char for char in known if list(real.cut(f"ab{char}cd")) != oracle().encode(f"ab{char}cd").ids]
    assert differing == []


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["Tea", "naïve", "C++", "R&D", "[[link]]", "#tag/sub", "x²", "中文", "ﬁne", "don't", "—"]))
)
def test_runs_of_notes_are_cut_as_by_hugging_face(real, words):
    run = "".join(words)
    assert list(real.cut(run)) == oracle().encode(run).ids


@lru_cache
def oracle():
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = read_vocabulary()
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token=vocabulary[UNKNOWN]))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made
