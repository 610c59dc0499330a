"""A hover holds no live target but those of its own links, whatever the note contains: shown by rendering it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.features.hover_card import MAX_CHARS, Card, CardLink, as_markdown, as_plain_text, excerpt
from tests.kit.rendered import targets

OWN = "file:///vault/own.md"

PIECES = (
    *("[s]", "[s]: command:evil", "[s]:\n", "[s\n]: ", "command:evil", "[", "]", "(", ")", "](command:evil)", "!["),
    *("](", "][", "]:", "][s]", "![s]", "<command:evil>", "<https://evil.example>", "<", ">", "<a href='x'>", "<img>"),
    *("https://evil.example/x", "HTTP://evil", "www.evil.example", "evil@evil.example", "://", "&lt;", "&#91;", "&"),
    *("`", "``", "```\n", "~~~\n", "\\", "\\`", "\\[", "|", "| a | b |\n|-|-|\n| ", "\n", "\n\n", " ", "    ", "\t"),
    *("- ", "> ", "> > ", "1. ", "# ", "---\n", "===\n", "%%", "<!--", "-->", "*", "_", "**", "a", "x ", "$", ":", "s"),
    *("[[n]]", "[[n|s]]", "[s](x)", "![[n]]", "![s](x)", "[^1]", "[^1]: x", "<script>", "</script>", "<div>", "&lt"),
)


def card_with(text):
    own = CardLink("own", OWN, "own.md")
    return Card(head=own, lines=text.split("\n"), caption="Related:", links=[own])


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_nothing_of_a_note_is_live_in_a_hover(text):
    assert set(targets(as_markdown(card_with(text)))) <= {OWN}


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_nothing_of_a_title_or_a_hint_is_live_in_a_hover(text):
    hostile = CardLink(text, OWN, "own.md", text)
    markdown = as_markdown(Card(head=text, hint=text, caption=text, links=[hostile]))
    assert set(targets(markdown)) <= {OWN}


@pytest.mark.parametrize(
    "text",
    [
        "[s]:command:evil\n\n[s]",
        "> [b]: command:x\n\n[b]",
        "- [l]: https://evil.example\n\n[l]",
        "[t]:\n  command:evil\n\n[t]",
        "| a | b |\n|-|-|\n| `x | [evil](command:x)` |",
        "`[a](command:x)\n`",
        "see https://evil.example and www.evil.example",
        "```\n```` [a](command:x)\n```\n[b](command:x)",
        "`" + "x" * 790 + "[a](command:x)`",
        "<a href='command:x'>x</a>\n<!-- x --> [a](<command:x>)",
        "\\\\[a](command:x) \\![a](command:x)",
    ],
)
def test_links_that_previews_once_let_through_are_dead(text):
    assert set(targets(as_markdown(card_with(text)))) <= {OWN}


def test_a_long_head_never_leaves_code_cut_open():
    head = CardLink("own", OWN + "/x" * 600, "own.md")
    card = Card(head=head, lines=["`[a](command:x) " + "y" * 700 + "`"], links=[head])
    assert set(targets(as_markdown(card))) <= {head.uri}
    assert len(as_markdown(card)) <= MAX_CHARS


def test_harmless_text_stays_as_it_is():
    text = "- [ ] a task, see `a[0] & b` and `<b>`\n\n*stressed* [x] (y) 5 < 6 & a note: b"
    assert excerpt(text.split("\n")) == text.replace("5 < 6 &", "5 &lt; 6 &amp;")
    assert as_plain_text(card_with("5 < 6, https://a.example, a@b.example, x](y) `a")) == (
        "own\n\n5 < 6, https://a.example, a@b.example, x](y) `a\n\nRelated:\n\n- own (own.md)"
    )


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x9b", "\0", "\x07", "\u202e", "\u2066", "\ud800"])
@pytest.mark.parametrize("code", ["{}", "`{}`", "```\n{}\n```"])
def test_no_control_character_and_no_reversed_text_reaches_an_editor(sign, code):
    for text in (as_markdown(card_with(code.format(sign))), as_plain_text(card_with(code.format(sign)))):
        assert sign not in text
        assert all(char.isprintable() or char == "\n" for char in text)
