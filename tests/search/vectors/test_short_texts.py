"""The texts that say what a note is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.vault.markdown import parse_note
from search.vectors.short_texts import MOST_CHARACTERS, short_texts


def texts(text, name="Oak.md"):
    return short_texts(parse_note(NoteId(name), text).note, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("Oak",)),
        ("Bark is thick.", ("Oak", "Oak. Bark is thick.")),
        ("# Quercus\n## Bark\n## Roots\ntext", ("Quercus. Bark. Roots", "Quercus. text")),
        ("---\naliases: [Quercus, oak]\n---\n## Bark", ("Oak. Quercus. Bark",)),
        ("## Bark\n## bark\n## BARK", ("Oak. Bark",)),
        ("Title\n=====\nfirst", ("Title", "Title. first")),
    ],
)
def test_name_and_opening(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("see [[Elm|the elm]] and [[Ash]]", "see the elm and Ash"),
        ('a [link](http://x.org/a_b "t") and [one][ref]', "a link and one"),
        ("**bold** `code` ~~gone~~ ==lit==", "bold code gone lit"),
        ("![a picture](pic.png) ![[pic.png]] text", "text"),
        ("<div align='center'>inside</div>", "inside"),
        ("%% hidden %% shown <!-- hidden --> too", "shown too"),
        ("- one\n- [ ] two\n1. three\n> four", "one two three four"),
        ("```\ncode\n```\n| a | b |\n|---|---|\n\nprose ^id", "prose"),
        ("at https://example.org/very/long?q=1 there", "at there"),
        ("data " + "QUJD" * 40 + " more", "data more"),
        ("noted[^1] here", "noted here"),
        ("---\ndescription: what it is\n---\nprose", "what it is prose"),
    ],
)
def test_the_opening_is_what_a_reader_sees_first(text, opening):
    assert texts(text)[1:] == (f"Oak. {opening}",)


def test_both_are_short_and_end_with_whole_parts():
    many = "".join(f"## Section {n}\n" + f"word{n} " * 30 + "\n" for n in range(60))
    name, opening = texts(many)
    assert MOST_CHARACTERS - 20 < len(name) <= MOST_CHARACTERS
    assert MOST_CHARACTERS - 20 < len(opening) <= MOST_CHARACTERS + 2
    assert name.split(". ")[-1] in {f"Section {n}" for n in range(60)}
    assert opening.split()[-1] in {f"word{n}" for n in range(60)}


def test_a_long_title_is_cut():
    (name,) = texts("# " + "very " * 200 + "long")
    assert len(name) == MOST_CHARACTERS


def test_a_note_of_ten_megabytes_is_read_only_at_its_beginning():
    assert texts("```\n" + "x" * 1_000_000 + "\n```\nfar away") == ("Oak",)


@given(st.text(alphabet="a b\n#-*[]()!<>%`|^=$:/.\"'&;\\", max_size=300) | st.text(max_size=100))
def test_any_text_gives_short_lines(text):
    found = texts(text)
    assert 1 <= len(found) <= 2
    for line in found:
        assert "\n" not in line
        assert len(line) <= MOST_CHARACTERS + len("Oak. ")
