"""The text of a hover: safe to display, short, and complete."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.features.hover_card import (
    MAX_CHARS,
    MAX_EXCERPT,
    Card,
    CardLink,
    as_markdown,
    as_plain_text,
    escaped,
    excerpt,
)

HOSTILE = {
    "an image over two lines": "![a\nb](http://evil.example/x.png)",
    "an image in a link": "[![a](http://evil.example/x.png)](http://evil.example)",
    "a reference": "![a][b]\n\n[b]: http://evil.example/x.png",
    "HTML": "<img src=http://evil.example/x.png>",
    "a command": "[run](command:evil)",
    "a comment": "%%\n<img src=x>\n%% <!-- <b> -->",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_an_excerpt_cannot_make_a_client_load_or_run_anything(text):
    shown = excerpt(text.split("\n"))
    assert "<" not in shown
    assert "![" not in shown
    assert not re.search(r"(?<!\\)\]\(", shown)
    assert "command:" not in shown


def test_code_gets_new_fences_and_is_otherwise_unchanged():
    assert excerpt(["~~~~ py", "a < b ```", "~~~~", "<x>"]) == "````py\na < b ```\n````\n&lt;x>"


INLINE = [
    ("see `[[a|b]]` and [[a|b]]", "see `[[a|b]]` and b"),
    ("`[x](y)` ``a ` <b>`` [x](y)", "`[x](y)` ``a ` <b>`` x"),
    ("`![[i.png]]` `a & b` a & b", "`![[i.png]]` `a & b` a &amp; b"),
    ("`open <b>", "\\`open &lt;b>"),
    ("[[#General]] [[Oak#Bark#Color]] [[Oak#^b1]]", "General Oak › Bark › Color Oak"),
]


@pytest.mark.parametrize(("line", "shown"), INLINE)
def test_inline_code_stays_as_it_is_and_a_link_shows_what_it_names(line, shown):
    assert excerpt([line]) == shown


def test_plain_text_has_no_escapes_and_code_with_entities_stays():
    assert excerpt(["a < b ![", "`&lt;`"], write=str) == "a < b ![\n`&lt;`"


def test_a_long_code_block_is_cut_between_lines_and_closed():
    shown = excerpt(["```py", *(f"line_{n} = {n}" for n in range(200)), "```", "after"])
    assert shown.startswith("```py\nline_0 = 0\n")
    assert shown.endswith("\nline_11 = 11\n…\n```\nafter")
    assert excerpt(["```", "x" * 5000, "```"]) == "```\n…\n```"


@given(st.lists(st.text(alphabet="a` <&[]()!#|~\n", max_size=600), max_size=30))
def test_an_excerpt_is_never_longer_than_its_limit_and_leaves_no_html_outside_of_code(lines):
    shown = excerpt("\n".join(lines).split("\n"))
    assert len(shown) <= MAX_EXCERPT
    if "`" not in "".join(lines) and "~" not in "".join(lines):
        assert "<" not in shown


def test_a_line_is_cut_before_code_that_does_not_fit():
    """Cut inside code, the rest would be raw HTML."""
    shown = excerpt(["word " * 70 + "`" + "<img src=x>" * 20 + "`"])
    assert "<" not in shown


def test_a_malformed_fence_is_replaced_by_a_valid_one():
    assert excerpt(["``` `x", "<img src=x>"]) == "```\n<img src=x>\n```"


def test_an_excerpt_ends_between_lines():
    shown = excerpt(f"line {n} " + "x" * 60 for n in range(50))
    assert shown.endswith("x\n…")
    assert len(shown) <= MAX_EXCERPT
    assert excerpt(["y" * 5000]).endswith("…")
    assert excerpt([]) == ""


@pytest.mark.parametrize("write", [as_markdown, as_plain_text])
def test_a_hover_is_never_too_long(write):
    links = [CardLink("label " * 50, "file:///x" * 20, "note", "reason " * 30) for _ in range(50)]
    card = Card(head="head " * 500, lines=["text"] * 1000, caption="Related:", links=links)
    assert len(write(card)) <= MAX_CHARS
    assert "label" in write(card)


def test_a_title_is_escaped():
    assert escaped("[a](b) *c* `d` <e>\nf") == r"\[a\](b) \*c\* \`d\` &lt;e> f"


@pytest.mark.parametrize("write", [as_markdown, as_plain_text])
def test_a_hover_has_no_control_characters(write):
    evil = "a\x1b[31m\x07\x9b\u202eb"
    link = CardLink(evil, "file:///v/a.md", evil, evil)
    card = Card(head=link, hint=evil, lines=[evil, "", "```", evil, "```"], caption=evil, links=[link])
    shown = write(card)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert "\n" in shown
    assert "[31m" in shown
