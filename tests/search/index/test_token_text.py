"""Tokens in one text: each has its number, whatever was added before and after."""

from hypothesis import given
from hypothesis import strategies as st

from search.index.token_text import TokenText, blocks

TOKENS = st.lists(st.text("ab知é\ud800😀-", min_size=1, max_size=6), unique=True, max_size=60)


@given(TOKENS, st.integers(0, 60), st.integers(0, 60))
def test_tokens_are_found_by_their_numbers_and_numbers_by_their_tokens(tokens, first, second):
    text = TokenText()
    for part in (tokens[:first], tokens[first:second], tokens[max(first, second) :]):
        text.extend(part)
    assert text.tokens(0, len(text)) == tokens
    assert [text.token(at) for at in range(len(text))] == tokens
    assert [text.number_of(token) for token in tokens] == list(range(len(tokens)))
    assert all(text.number_of(token + "x") is None for token in ["", *tokens])
    assert TokenText(text.text).tokens(0, len(text)) == tokens


def test_more_tokens_than_a_block_are_all_found():
    tokens = [f"t{at}" for at in range(20_000)]
    text = TokenText()
    text.extend(tokens[:15_000])
    text.extend(tokens[15_000:])
    assert [text.number_of(token) for token in tokens] == list(range(20_000))
    assert text.tokens(14_998, 15_002) == tokens[14_998:15_002]
    assert [number for begin, end in blocks(5, 20_000) for number in range(begin, end)] == list(range(5, 20_000))


def test_a_part_is_found_within_its_token_only():
    text = TokenText()
    text.extend(["snow", "fox"])
    assert (text.find(0, b"now"), text.find(0, b"snow"), text.find(0, b"fox")) == (1, 0, -1)
