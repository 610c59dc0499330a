"""Which letters an English and a multilingual model can read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.providers.scripts import LATIN, XLM_ROBERTA, foreign_share

TEXTS = [
    ("", 0, 0),
    ("How to brew tea?", 0, 0),
    ("1,000 — 20 % 😀 ✓", 0, 0),
    ("Café naïve Straße İstanbul Đặng ſ", 0, 0),
    ("tea 茶", 0.25, 0),
    ("東京都の人口", 1, 0),
    ("ひらがなカタカナ", 1, 0),
    ("한국어", 1, 0),
    ("Привет", 1, 0),
    ("Ελλάδα", 1, 0),
    ("שלום مرحبا", 1, 0),
    ("ไทย हिन्दी தமிழ் ქართული", 1, 0),
    ("\U00010330\U00010331", 1, 1),
    ("\ud800\0", 0, 0),
    ("🔭 ☀\ufe0f", 1, 0),
    ("🔭 5", 0, 0),
    ("🔭 a", 0, 0),
]


@pytest.mark.parametrize(("text", "latin", "many"), TEXTS)
def test_foreign_share_counts_only_letters(text, latin, many):
    assert foreign_share(text, LATIN) == latin
    assert foreign_share(text, XLM_ROBERTA) == many


@pytest.mark.parametrize("script", [LATIN, XLM_ROBERTA])
def test_ranges_ascend_and_do_not_touch(script):
    """The binary search needs this."""
    borders = [border for pair in script for border in pair]
    assert borders == sorted(borders)
    assert len(set(borders)) == len(borders)


@given(st.text())
def test_foreign_share_is_0_to_1_and_more_scripts_never_raise_it(text):
    assert 0 <= foreign_share(text, XLM_ROBERTA) <= foreign_share(text, LATIN) <= 1
