"""Words close together, in the query's order: how much a note gains, in every script."""

import numpy as np
import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.engine import Engine
from search.matching.nearness import QueryWord
from search.query import Mode, Query
from search.ranking.word_order import reward_nearness
from vaults import ids, write


def words(text):
    return [QueryWord(word, np.array([ord(word[0])], np.uint32), 1.0) for word in text.split()]


@pytest.mark.parametrize(
    ("query", "gained"),
    [
        ("ash", 0.0),
        ("ash birch", 0.1),
        ("ash birch cedar", 0.1),
        ("ash birch cedar dogwood", 0.1 * (3 / 4) ** 2),
        ("ash birch cedar dogwood elder fir", 0.1 / 4),
        ("to be", 3.0),
        ("to be or not to be", 3.0),
    ],
)
def test_a_note_with_all_words_in_a_row_gains_less_for_a_longer_query(query, gained):
    sequence = np.array([ord(word[0]) for word in query.split()], np.uint16)
    found = Ranking.of([Hit.found("a", Found("lexical", 2.0))])
    (hit,) = reward_nearness(found, words(query), {"a": sequence}, strength=0.1)
    assert hit.score == pytest.approx(2.0 * (1 + gained))
    assert replay(hit.trail) == hit.score


SENTENCES = {
    "limit switch ice": "bag",
    "größe datei ändern": "über",
    "l'été dernier à Genève": "vélo",
    "первый снег зимой": "окно",
    "πρώτο χιόνι χειμώνα": "δέντρο",
    "الثلج الأول شتاء": "نافذة",
    "पहली बर्फ सर्दी": "खिड़की",
    "知识图谱 结冰 处理方法": "窗户",
    "검색엔진 첫눈 겨울": "창문",
    "đường sắt Việt": "cửa sổ",
    "to be or not to be": "house",
    "sein oder nicht sein": "haus",
    "être ou ne pas être": "maison",
    "быть или не быть": "дом",
}


@pytest.mark.parametrize(("query", "other"), SENTENCES.items())
def test_words_in_a_row_come_before_the_same_words_scattered(tmp_path, query, other):
    """The notes have the same words equally often, in lines of both ASCII and other letters."""
    gap = f" {other} x y z {other} x y z {other} "
    vault = (
        f"--- a.md\n{gap.join(query.split())} ok {gap}\n"
        f"--- b.md\n{gap} ok {query} {gap * (len(query.split()) - 1)}\n--- c.md\n{other}\n"
    )
    found = ids(Engine(write(tmp_path, vault)).search(Query(text=query, mode=Mode.KEYWORD)))
    assert found.index("b.md") < found.index("a.md")
