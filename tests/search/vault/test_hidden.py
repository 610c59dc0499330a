"""What no reader of a note sees: tags, comments and addresses, but not code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.vault.hidden import hidden_ranges, without_hidden


def hidden(text):
    return [text[start:end] for start, end in hidden_ranges(text)]


CASES = {
    "": [],
    "plain words, 2 < 3 > 1 and a [bracket]": [],
    '<a aria-hidden="true" class="x" xlink:href="#y">link</a>': [
        '<a aria-hidden="true" class="x" xlink:href="#y">',
        "</a>",
    ],
    'an <img\n src="oak.png"\n/> here<br>': ['<img\n src="oak.png"\n/>', "<br>"],
    '[shown](https://oak.org/a(b)c "a title") and ![alt](<my oak.png>)': [
        'https://oak.org/a(b)c "a title"',
        "<my oak.png>",
    ],
    "[![alt](oak.png)](https://oak.org)": ["oak.png", "https://oak.org"],
    "[a][b]\n\n[b]: https://oak.org 'title'\nmore": [" https://oak.org 'title'\n"],
    "[^1]: a footnote is seen": [],
    "[Note]: remember to buy bread": [],
    "an <https://oak.org> and https://elm.org": [],
    "[[oak|elm]] and [[oak#ash]]": [],
    "a <!-- b\n\nc --> d %% e\nf %% g": ["<!-- b\n\nc -->", "%% e\nf %%"],
    "a <!-- b": [],
    "sure 100%% of it": [],
    "`<b>` and ``[a](b) ` <i>`` but <u>": ["<u>"],
    "```html\n<b> [a](b) %% c %%\n```\n<i>": ["<i>"],
    "> ~~~~\n> <b>\n> ~~~\n> <u>\n> ~~~~\n<i>": ["<i>"],
    "- ```\n  <b>\n  ```\n  <i>": ["<i>"],
    "```\n<b>": [],
    "an open ` tick <b>": ["<b>"],
    "an open ` tick\n\nand ` another <b>": ["<b>"],
    r"\<b> and \[a](b) and \`<i>": ["b", "<i>"],
    "](a) <": ["a"],
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_what_a_reader_does_not_see_is_found(text, expected):
    assert hidden(text) == expected


SIGNS = st.text(alphabet=st.sampled_from("ab `~<>!-/%[]():\\\n\"'=^"), max_size=60)


@given(SIGNS)
def test_ranges_are_in_order_and_inside_the_text(text):
    at = 0
    for start, end in hidden_ranges(text):
        assert at <= start <= end <= len(text)
        at = end


@given(SIGNS)
def test_every_letter_is_either_seen_or_hidden(text):
    seen, unseen = without_hidden(text)
    assert sorted((seen + unseen).replace(" ", "")) == sorted(text.replace(" ", ""))


UNFINISHED = """
<!-- |<a b='|<a b="|<a |](|](a|]( |](a "|](a '|](a (|]:|[a]: |[a|%%|`|`a ``|> |- |\\|[a](b|<a b=c |[a]: (|](<a|](\\
"""


@pytest.mark.slow
@pytest.mark.parametrize("piece", [*UNFINISHED.strip("\n").split("|"), "\n```", "\n~~~\n", "[" * 9 + "]:"])
def test_signs_without_their_ends_take_time_in_proportion_to_the_text(piece):
    """A quadratic pattern would take minutes."""
    assert sum(end - start for start, end in hidden_ranges(piece * (400_000 // len(piece)))) >= 0
