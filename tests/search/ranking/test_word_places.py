"""Where a note has the words of a question: in a name, in a heading, or scattered over a long page."""

import pytest

from search.answer.trail import Found, replay
from search.engine import Engine
from vaults import ask, search, write

LONG = "Some lines about chairs, tables, lamps and the cat of the house. " * 40


def note(path, text):
    return f"--- {path}\n{text}\n"


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        (
            "how to install the plugin",
            note("right.md", f"# Installation of the plugin\nInstall it as one file. {LONG}"),
            note("wrong.md", f"# How do I test a build of the plugin\nHow to do it: install the plugin. {LONG}"),
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
