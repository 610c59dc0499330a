"""Tables (CSV): the header and the rows as they are written, since a row is read best in its own line."""

from search.vault.kinds.reading import Reading
from search.vault.limits import left_out
from search.vault.lines import split_lines

MAX_ROWS = 100_000


def read_table(text: str) -> Reading:
    """The first rows of a table, a row a line; a row with line breaks in its cells has several."""
    if text.count("\n") < MAX_ROWS:
        return Reading(text=text)
    lines = split_lines(text)
    return Reading(text="\n".join(lines[:MAX_ROWS]), lost=tuple(left_out(len(lines), MAX_ROWS, "rows")))
