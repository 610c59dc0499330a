"""Obsidian's bases: the names of the views as headings, filters and formulas as text; nothing is evaluated."""

import re

from search.vault.kinds.reading import Reading
from search.vault.lines import split_lines
from search.vault.note import Heading

_VIEW = re.compile(r"""[ \t]*(?:-[ \t]+)?name:[ \t]*(?:"([^"]*)"|'([^']*)'|([^#"'\s][^#]*))""")


def read_base(text: str) -> Reading:
    """The views of a base. Its YAML is not parsed: every line of it is text, also where it is not valid."""
    headings: list[Heading] = []
    is_in_views = False
    for number, line in enumerate(split_lines(text)):
        if line[:1] not in {"", " ", "\t", "-", "#"}:
            is_in_views = line.rstrip() == "views:"
        elif is_in_views and (view := _VIEW.match(line)) and (name := next(filter(None, view.groups()), "").strip()):
            headings.append(Heading(2, name, number))
    return Reading(text=text, headings=tuple(headings))
