"""Where a note has the words of a question: in a name, in a heading, or scattered over a long page."""

import pytest

from search.answer.trail import Found, replay
from search.engine import Engine
from search.query import Mode
from vaults import ask, ids, search, write

LONG = "Some lines about chairs, tables, lamps and the cat of the house. " * 40


def note(path, text):
    return f"--- {path}\n{text}\n"


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        (
            "how do i get help",
            note("right.md", f"# Support and help\nWrite to the desk. {LONG}"),
            note("wrong.md", f"# Getting started\nHow do I get what I want to get? With help of a friend. {LONG}"),
        ),
        (
            "difference between oak and elm",
            note("right.md", f"# Oak or elm\n{LONG}"),
            note("wrong.md", f"# Difference between day and night\nThe oak and the elm are dark. {LONG}"),
        ),
        (
            "printer not working",
            note("right.md", f"# Printer\nTurn it off and on. {LONG}"),
            note("wrong.md", f"# Working hours\nNot today: working on the printer, not working. {LONG}"),
        ),
    ],
)
def test_the_page_that_is_called_so_comes_first(tmp_path, query, right, wrong):
    engine = Engine(write(tmp_path, right + wrong + note("other.md", LONG)))
    assert ask(engine, query)[0] == "right.md"


def test_a_heading_that_is_the_question_lifts_a_long_page(tmp_path):
    right = note("right.md", f"# Frequent questions\n{LONG}\n## Can I move to another city?\nYes.\n{LONG}{LONG}")
    wrong = note("wrong.md", f"# Log\nWe had to move. A city is another thing. {LONG}")
    engine = Engine(write(tmp_path, right + wrong))
    assert ask(engine, "can I move to another city") == ["right.md", "wrong.md"]


@pytest.mark.parametrize("query", ["install plugin", "plugin", "to be or not to be", "install the plugin now"])
def test_the_trail_states_what_a_note_gained(tmp_path, query):
    text = "# Install the plugin\nIt is to be or not to be.\n## Plugin\nInstall it now."
    engine = Engine(write(tmp_path, note("a.md", text) + note("b.md", LONG)))
    (hit,) = (found.hit for found in search(engine, query).hits if found.hit.id == "a.md")
    step = next(step for step in hit.trail if isinstance(step, Found))
    assert eval(step.arithmetic.formula, {}, dict(step.arithmetic.numbers)) == pytest.approx(step.raw)  # noqa: S307
    assert replay(hit.trail) == hit.score


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
def test_a_note_with_all_words_in_a_row_gains_less_for_a_longer_query(tmp_path, query, gained):
    (found,) = search(Engine(write(tmp_path, f"--- x.md\n{query}\n--- y.md\nzzz\n")), query, mode=Mode.KEYWORD).hits
    (step,) = (step for step in found.hit.trail if isinstance(step, Found))
    numbers = step.arithmetic.numbers if step.arithmetic else {"order": 0.0, "nearness": 0.0}
    assert numbers["order"] * numbers["nearness"] == pytest.approx(gained)


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
    found = ids(search(Engine(write(tmp_path, vault)), query, mode=Mode.KEYWORD))
    assert found.index("b.md") < found.index("a.md")
