"""The token hash table gives pieces the same numbers as a dictionary of strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.index import token_hashes as module
from search.index.token_hashes import LIMIT, TokenHashTable

SEPARATORS = " \n,;"


def table():
    numbers = {}

    def number(piece):
        assert piece not in numbers or len(piece) > module._LONGEST, "a piece was not found again"
        return numbers.setdefault(piece, len(numbers))

    return TokenHashTable(number, separators=SEPARATORS), numbers


def as_strings(text, numbers):
    for separator in SEPARATORS:
        text = text.replace(separator, " ")
    pieces = [piece for piece in text.split(" ") if piece]
    return [numbers[trimmed(piece)] for piece in pieces]


def trimmed(piece):
    piece = piece[:-1] or piece if piece[-1] == "." else piece
    piece = piece[1:] or piece if piece[0] in "`#" else piece
    return piece[:-1] or piece if piece[-1] == "`" else piece


@given(st.lists(st.text(alphabet="ab\0~,;.`# \n", max_size=40), max_size=6))
def test_pieces_get_the_numbers_of_their_strings_in_order(texts):
    pieces, numbers = table()
    for text in texts:
        assert pieces.numbers(text).tolist() == as_strings(text, numbers)


def test_every_piece_keeps_its_number_while_the_table_grows():
    pieces, numbers = table()
    words = [f"w{n * n}" for n in range(40_000)]
    for first in range(0, len(words), 4_000):
        pieces.numbers(" ".join(words[first : first + 4_000]))
    assert len(pieces) == len(words)
    for first in range(0, len(words), 4_000):
        text = " ".join(words[first : first + 4_000])
        assert pieces.numbers(text).tolist() == as_strings(text, numbers)


@pytest.mark.slow
def test_colliding_positions_are_resolved(monkeypatch):
    mixed = module._mixed
    monkeypatch.setattr(
        module, "_mixed", lambda sums: mixed(sums) >> np.uint64(40)
    )  # all collide in the first positions
    pieces, numbers = table()
    text = " ".join(f"x{n}" for n in range(900))
    assert pieces.numbers(text).tolist() == as_strings(text, numbers) == list(range(900))


def test_a_full_stop_at_the_end_is_not_part_of_a_piece():
    pieces, numbers = table()
    assert pieces.numbers("end. end a.b a.b. . .. ...").tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert list(numbers) == ["end", "a.b", ".", ".."]


def test_marks_of_code_and_anchors_are_not_part_of_a_piece():
    pieces, numbers = table()
    assert pieces.numbers("`end` end `end`. #end ` `` # c# 'end'").tolist() == [0, 0, 0, 0, 1, 1, 2, 3, 4]
    assert list(numbers) == ["end", "`", "#", "c#", "'end'"]


def test_pieces_with_other_letters_or_another_order_get_other_numbers():
    pieces, _ = table()
    words = ["ab", "ba", "aab", "aba", "baa", "a", "aa", "aaa", "A", "B"]
    assert pieces.numbers(" ".join(words)).tolist() == list(range(len(words)))


def thue_morse(n_bits):
    return "".join("ab"[n.bit_count() % 2] for n in range(1 << n_bits))


def test_long_patterns_with_equal_polynomial_hashes_get_different_numbers():
    """A polynomial hash modulo 2**64 is the same for a Thue-Morse word and its complement, from 1,024 letters on."""
    pieces, _ = table()
    word = thue_morse(11)
    assert pieces.numbers(f"{word} {word.translate(str.maketrans('ab', 'ba'))} {word}").tolist() == [0, 1, 0]


@pytest.mark.parametrize("text", ["", " ", ",\n;", "a" * LIMIT, ("a" * 20 + " ") * (LIMIT // 21)])
def test_extreme_texts_are_looked_up_in_full(text):
    pieces, numbers = table()
    assert pieces.numbers(text).tolist() == as_strings(text, numbers)


def test_a_cleared_table_numbers_pieces_again():
    pieces, numbers = table()
    pieces.numbers("one two")
    pieces.clear()
    numbers.clear()
    assert (len(pieces), pieces.numbers("two").tolist()) == (0, [0])
