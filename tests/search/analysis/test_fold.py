"""Folding brings all spellings of a word to one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.fold import fold, fold_with_offsets, visible_end


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("Router", "router"),
        ("Café naïve", "cafe naive"),
        ("İstanbul", "istanbul"),
        ("Straße", "strasse"),
        ("ΕΛΛΆΔΑ", "ελλαδα"),
        ("ёлка", "елка"),
        ("Phe\u0301nome\u0300ne", "phenomene"),
        ("ﬁnal", "final"),
        ("ＡＢＣ１", "abc1"),
        ("がギ", "がギ"),  # voicing marks distinguish words
        ("ｶﾞ", "ガ"),
        ("हिन्दी", "हिन्दी"),  # vowel signs are letters
        ("مُحَمَّد", "محمد"),
        ("Øre ŁÓDŹ Đà Ísafjörður Ħal Ŧ DIŞ dış", "ore lodz da isafjordur hal t dis dis"),
        ("Œuvre æon Ǽ Þór ǿ", "oeuvre aeon ae thor o"),
        ("کتاب یک على مـــد", "كتاب يك علي مد"),
        ("\ud800x", "\ud800x"),
        ("’ ‘ ʼ ′ ' ` ´ ＇ ᾽", "' ' ' ' ' ' ' ' '"),
        ("“a” «b» „c‟ ″", '"a" "b" "c" "'),
        ("‐ ‑ ‒ – — ― − － ﹘", "- - - - - - - - -"),
        ("a…b ﬁ ﬂ Ａ１\u00a0\u2009|", "a...b fi fl a1  |"),
        ("Ab\u00adsatz\u200b \ufeffx\u2060y \u202eא\u202c ❤\ufe0f", "absatz xy א ❤"),
        ("e\u00ad\u0301", "e"),
    ],
)
def test_case_accents_and_letter_variants_fold_to_one_form(text, folded):
    assert fold(text) == folded


@given(st.text())
def test_folding_is_idempotent(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_offsets_are_ordered_indexes_into_the_original_text(text):
    folded, offsets = fold_with_offsets(text)
    assert len(offsets) == len(folded) + 1
    assert list(offsets) == sorted(offsets)
    assert offsets[len(folded)] == len(text)
    assert all(0 <= offset < len(text) for offset in list(offsets)[:-1])


@pytest.mark.parametrize(
    ("text", "needle", "original"),
    [
        ("die Straße dort", "strasse", "Straße"),
        ("un Phe\u0301nome\u0300ne rare", "phenomene", "Phe\u0301nome\u0300ne"),
        ("今日は構造化知識を学ぶ", "化知", "化知"),
        ("plain Text", "text", "Text"),
        ("das Ge\u00adsamt\u00adkonzept hier", "gesamtkonzept", "Ge\u00adsamt\u00adkonzept"),
        ("they don’t", "don't", "don’t"),
        ("a ﬁnal word", "final", "ﬁnal"),
    ],
)
def test_a_match_in_folded_text_maps_back_to_the_original_text(text, needle, original):
    folded, offsets = fold_with_offsets(text)
    at = folded.index(needle)
    assert text[offsets[at] : offsets[at + len(needle)]] == original


@given(st.text(alphabet=st.sampled_from("aé\u0301\u00ad\u200b’`—ﬁＡ.がか\u3099ё \n")))
def test_folding_with_offsets_gives_the_folded_text(text):
    assert fold_with_offsets(text)[0] == fold(text)


def test_a_match_does_not_end_with_invisible_characters():
    assert visible_end("oak\u200b\u00ad,", 0, 5) == 3
    assert visible_end("\u200b", 0, 1) == 0


@pytest.mark.parametrize(
    "text",
    ["é", "e\u0301\u0323", "Ça ", "हिन्दी", "한글", "\u1112\u1161\u11ab", "ｶﾞ", "がギ", "น้ำ", "مُحَمَّد", "Weiß\n"],
)
def test_long_text_folds_as_its_parts_do(text):
    assert fold(text * 2_000) == fold(text) * 2_000


def test_many_marks_stay_on_their_letter():
    assert fold("か" + "\u3099" * 2_000)[:1] == "が"
    assert fold("e" + "\u0301\u0323" * 2_000) == "e"
