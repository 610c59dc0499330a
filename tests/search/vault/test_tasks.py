"""The lines of blocks and tasks."""

import pytest

from search.vault.lines import split_lines
from search.vault.tasks import Task, iter_blocks, iter_tasks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("oak\r\nelm\rfir\n", ["oak", "elm", "fir", ""]),
        ("a\u2028b\x0cc\x85d\x0be", ["a\u2028b\x0cc\x85d\x0be"]),
    ],
)
def test_lines_end_only_at_cr_lf_lf_and_cr(text, lines):
    assert split_lines(text) == lines


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", ()),
        ("---\na: b\n---\none\ntwo\n\n# h\n- a\n  more\n- b", ((3, 5), (6, 7), (7, 9), (9, 10))),
        (
            "| a |\n| b |\ntext\n```\n\nx\n```\n\n    code\n\n    code\n\nend",
            ((0, 2), (2, 3), (3, 7), (8, 11), (12, 13)),
        ),
        ("> a\n> b\n>\n> c\nlazy", ((0, 2), (3, 4), (4, 5))),
        ("Set\n---\n***\n%%\na\n\nb\n%%\n$$\nx\n$$", ((0, 2), (2, 3), (3, 8), (8, 11))),
        ("1. a\n2. b\n10) c", ((0, 1), (1, 2), (2, 3))),
        ("- - a\n    - b\n\t- c\n-\n  d", ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))),
        ("> - a\n>   ```\n>   x\n> b", ((0, 1), (1, 3), (3, 4))),
        ("- # a\n- > b\n- ```\n  c\n  ```\n  d", ((0, 1), (1, 2), (2, 5), (5, 6))),
    ],
)
def test_blocks_are_line_ranges_without_blank_lines(text, blocks):
    assert iter_blocks(text) == blocks


def test_tasks_are_list_items_with_a_check_box_outside_code():
    text = "- [ ] a\n  - [x] b [[c]]\n1. [-] d\n> * [ ] q\n- [] no\n- [ ]no\n\n[ ] no\n```\n- [ ] no\n```\n- [ ]\n"
    assert iter_tasks(text) == (
        Task(0, is_done=False, text="a"),
        Task(1, is_done=True, text="b [[c]]"),
        Task(2, is_done=True, text="d"),
        Task(3, is_done=False, text="q"),
        Task(11, is_done=False, text=""),
    )
