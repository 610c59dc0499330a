"""The most likely cut of a word, compared with all cuts of short words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.providers.unigram import _STRETCH, Unigram

PIECES = ["<s>", "<unk>", "\u2581", "\u2581tea", "tea", "pot", "teapot", "s", "\u2581t", "e", "é", "中", "中文"]
SCORES = [0.0, 0.0, -4.0, -3.0, -5.0, -5.0, -9.0, -2.0, -8.0, -6.0, -7.0, -9.0, -5.0]
REPLACED = {0: "", ord("\u3000"): " ", ord("ﬁ"): "e"}
UNIGRAM = Unigram(PIECES, SCORES, REPLACED, unknown=1)


@pytest.mark.parametrize(
    ("run", "pieces"),
    [
        ("tea", ["\u2581tea"]),
        ("teapots", ["\u2581tea", "pot", "s"]),
        ("teateapot", ["\u2581tea", "teapot"]),
        ("tea\u3000tea", ["\u2581tea", "\u2581tea"]),
        ("tea\0s", ["\u2581tea", "s"]),
        ("teae\u0301", ["\u2581tea", "é"]),
        ("teaﬁ", ["\u2581tea", "e"]),
        ("中文", ["\u2581", "中文"]),
        ("tea😀😀😀s", ["\u2581tea", "<unk>", "s"]),
        ("<s>", ["\u2581", "<unk>", "s", "<unk>"]),
        ("\ud800", ["\u2581", "<unk>"]),
        ("\0", []),
        ("\u3000", []),
        ("", []),
    ],
)
def test_run_is_cut_into_its_most_likely_pieces(run, pieces):
    assert [PIECES[number] for number in UNIGRAM.cut(run)] == pieces


def test_beginning_of_an_endless_run_is_cut_by_itself():
    numbers = UNIGRAM.cut("中文" * 1_000_000)
    assert [PIECES[next(numbers)] for _ in range(3)] == ["\u2581", "中文", "中文"]


def test_only_the_first_stretch_of_a_run_begins_a_word():
    numbers = list(UNIGRAM.cut("tea" * _STRETCH))
    assert sum(PIECES[number].startswith("\u2581") for number in numbers) == 1


@given(st.text("teapos中文", min_size=1, max_size=8))
def test_no_other_cut_is_more_likely(word):
    numbers = list(UNIGRAM.cut(word))
    assert 1 in numbers or sum(SCORES[number] for number in numbers) == pytest.approx(best_of_all("\u2581" + word))


def best_of_all(word):
    if not word:
        return 0.0
    ends = [end for end in range(1, len(word) + 1) if word[:end] in PIECES]
    return max((SCORES[PIECES.index(word[:end])] + best_of_all(word[end:]) for end in ends), default=-float("inf"))


@given(st.text(st.characters() | st.characters(categories=["Cs", "Cc", "Mn"]), max_size=60))
def test_cutting_never_raises_and_ids_are_in_the_vocabulary(text):
    assert all(0 < number < len(PIECES) for number in UNIGRAM.cut(text))
