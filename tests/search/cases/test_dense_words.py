"""A word of a script without spaces: notes with its characters in a row come before notes that only have its parts."""

import pytest

from search.engine import Engine
from search.index import corpus as corpus_module
from search.query import Mode, Query
from search.ranking import whole_words
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ids, write

WORDS = {
    "知识图谱": ("今天天气很好，我们去公园散步。", "知识 图谱 识图"),
    "構造化知識": ("今日は雨だった。", "知識 構造 化知 造化"),
    "かいぎろく": ("きょうはさむい。", "ろく かい ぎろ いぎ"),
    "검색엔진": ("오늘 날씨가 좋다.", "검색 엔진 색엔"),
    "ระบบค้นหา": ("วันนี้อากาศดีมาก", "ระบบ ค้นหา บค้"),
    "ການຊອກ": ("ມື້ນີ້ຝົນຕົກ", "ການ ຊອກ ນຊ"),
    "ស្វែងរក": ("ថ្ងៃនេះ", "ស្វែង រក ងរ"),
}
PLACES = {
    "last line": "{filler}\n今{word}です",
    "heading": "{filler}\n## {word}\n{filler}",
    "title": "---\ntitle: 我的{word}笔记\n---\n{filler}",
    "alias": "---\naliases: [我的{word}笔记]\n---\n{filler}",
    "tag": "---\ntags: [{word}]\n---\n{filler}",
    "property": "---\ntopic: 我的{word}笔记\n---\n{filler}",
    "mixed line": "{filler}\nthe word （{word}） with a few English words",
}


def engine_of(folder, word, text):
    filler, parts = WORDS[word]
    notes = {"long.md": text.format(word=word, filler="\n".join([filler] * 300))}
    notes |= {f"parts{number}.md": f"{parts}\n" * (number + 1) for number in range(3)}
    vault = "".join(f"--- {path}\n{text}\n" for path, text in notes.items())
    settings = Settings(indexing=Indexing(folder=str(folder / "cache"), in_background=False))
    return Engine(write(folder / "vault", vault), settings)


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", WORDS)
def test_a_long_note_with_the_word_comes_before_short_ones_with_its_parts(tmp_path, word, place, mode):
    engine = engine_of(tmp_path, word, PLACES[place])
    assert ids(engine.search(Query(text=word, mode=mode)))[0] == "long.md"
    engine.close()


def test_what_is_not_kept_of_a_very_long_text_may_have_the_word(tmp_path, monkeypatch):
    for module in (corpus_module, whole_words):
        monkeypatch.setattr(module, "MAX_SEQUENCE", 20)
    engine = engine_of(tmp_path, "知识图谱", PLACES["last line"])
    assert ids(engine.search(Query(text="知识图谱", mode=Mode.KEYWORD)))[0] == "long.md"
    engine.close()


def test_two_characters_are_a_word_wherever_they_are(tmp_path):
    engine = engine_of(tmp_path, "知识图谱", PLACES["last line"])
    assert set(ids(engine.search(Query(text="识图", mode=Mode.KEYWORD)))) == {
        "long.md",
        "parts0.md",
        "parts1.md",
        "parts2.md",
    }
    engine.close()
