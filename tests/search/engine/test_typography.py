"""Words are found however they are typeset, and the whole word is highlighted as it stands in the note."""

from pathlib import Path

import pytest

from search.engine import Engine
from search.query import Mode
from vaults import highlighted, ids, search, write

CASES = [  # text of the note, query, what is highlighted
    ("das Ge\u00adsamt\u00adkon\u00adzept steht", "gesamtkonzept", ["Ge\u00adsamt\u00adkon\u00adzept"]),
    ("das Gesamtkonzept steht", "Ge\u00adsamt\u00adkonzept", ["Gesamtkonzept"]),
    ("open \u200bwater\u200bmark\u200b, then", "watermark", ["water\u200bmark"]),
    ("the pen\u200dguin sleeps", "penguin", ["pen\u200dguin"]),
    ("die Auf\u200clage", "auflage", ["Auf\u200clage"]),
    ("a book\u2060shelf", "bookshelf", ["book\u2060shelf"]),
    ("a \ufeffbook\ufeffmark", "bookmark", ["book\ufeffmark"]),
    ("a \u202ddoor\u202c\u200ebell\u200f rings", "doorbell", ["door\u202c\u200ebell"]),
    ("a k\ufe0eettle", "kettle", ["k\ufe0eettle"]),
    ("I ❤\ufe0f it", "❤", ["❤"]),
    ("I ❤ it", "❤\ufe0f", ["❤"]),
    ("the code of 😀 rain\u00adbow", "rainbow", ["rain\u00adbow"]),
    ("مرا می\u200cخواهم گفت", "میخواهم", ["می\u200cخواهم"]),
    ("They don’t know", '"don\'t know"', ["don’t know"]),
    ("They don't know", '"don’t know"', ["don't know"]),
    ("They don`t know", '"don´t know"', ["don`t know"]),
    ("They donʼt know", "“don‘t know”", ["donʼt know"]),
    ("They don′t know", "don't", ["don′t"]),
    ("now you’re home", "you're", ["you’re"]),
    ("now you're home", "you’re home", ["home"]),
    ("l’atelier d’Anna", "l'atelier", ["l’atelier"]),
    ("шість, п’ять", "пʼять", ["п’ять"]),
    ("a Bose–Einstein gas", "bose-einstein", ["Bose–Einstein"]),
    ("a Bose-Einstein gas", "Bose—Einstein", ["Bose-Einstein"]),
    ("a Bose‑Einstein gas", '"bose‐einstein gas"', ["Bose‑Einstein gas"]),
    ("x−y", "x-y", ["x−y"]),
    ("the city—asleep", "city", ["city"]),
    ("a ﬁne ﬂoor", "fine floor", ["ﬁne", "ﬂoor"]),
    ("a fine floor", "ﬁne", ["fine"]),
    ("das Œuvre hier", "oeuvre", ["Œuvre"]),
    ("oeuvre here", "œuvre", ["oeuvre"]),
    ("on Ærø today", "aero", ["Ærø"]),
    ("w Łodzi i Wałbrzychu", "lodzi walbrzychu", ["Łodzi", "Wałbrzychu"]),
    ("یک کتاب خوب", "كتاب", ["کتاب"]),
    ("ｗｉｄｅ　ｗｏｒｄｓ", '"wide words"', ["ｗｉｄｅ　ｗｏｒｄｓ"]),
    ("ten\u00a0km, 5\u2009kg", '"5 kg"', ["5\u2009kg"]),
    ("and so on…", '"so on..."', ["so on…"]),
    ("she said «good night»", '"good night"', ["good night"]),
    ("he said “good night” to me", '"said \\"good night\\" to"', ["said “good night” to"]),
    ("we flew to the U.S.A.; then", "usa", ["U.S.A"]),
    ("we flew to the USA then", "U.S.A.", ["USA"]),
    ("her Ph.D. thesis", "phd", ["Ph.D"]),
    ("her PhD thesis", "ph.d.", ["PhD"]),
    ("some, e.g. oaks", "eg", ["e.g"]),
    ("the oak, i.e. Quercus", '"i.e. quercus"', ["i.e. Quercus"]),
    ("А.С. Грибоедов", "ас", ["А.С"]),
    ("born on J.R.R.Tolkien day", "jrr", ["J.R.R"]),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("text", "query", "expected"), CASES)
def test_the_whole_word_is_found_and_highlighted(tmp_path: Path, text, query, expected, mode):
    engine = Engine(write(tmp_path, f"--- note.md\n{text}\n--- other.md\nnothing here\n"))
    result = search(engine, query, mode=mode)
    assert ids(result)[:1] == ["note.md"]
    assert highlighted(result, "note.md") == expected


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(
    ("whole", "other", "query"),
    [
        ("the U.S.A. once", "the USA once", "U.S.A."),
        ("a Ph.D. once", "a PhD once", "ph.d."),
        ("snow‑fox once", "snow fox once", "snow-fox"),
    ],
)
def test_the_form_of_the_query_comes_first(tmp_path: Path, whole, other, query, mode):
    engine = Engine(write(tmp_path, f"--- a.md\n{other}\n--- b.md\n{whole}\n--- c.md\nnothing\n"))
    assert ids(search(engine, query, mode=mode))[:2] == ["b.md", "a.md"]
