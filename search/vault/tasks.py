"""The line ranges of a note's blocks, and its tasks, for the filters of a query."""

import re

from attrs import frozen

from search.vault.blocks import BlockKind, scan_blocks
from search.vault.frontmatter import body_start
from search.vault.lines import split_lines

_TASK = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+\[(.)\](?:[ \t]+(.*))?$")


@frozen
class Task:
    """A list item with a check box. Any sign in the box except a space counts as done, as in Obsidian."""

    line: int  # from 0 in the file
    is_done: bool
    text: str  # the text of its first line, without the box


def iter_blocks(text: str) -> tuple[tuple[int, int], ...]:
    """Each block's half-open range of lines, in order; front matter and blank lines are in no block."""
    lines = split_lines(text)
    return tuple((start, end) for _, start, end, _ in scan_blocks(lines, body_start(lines)))


def iter_tasks(text: str) -> tuple[Task, ...]:
    """The tasks in order, except those in code, comments and front matter."""
    lines = split_lines(text)
    return tuple(
        Task(start, match[1] != " ", match[2] or "")
        for kind, start, _, _ in scan_blocks(lines, body_start(lines))
        if kind is BlockKind.ITEM and (match := _TASK.match(lines[start]))
    )
