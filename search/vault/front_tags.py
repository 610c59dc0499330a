"""Finds the positions of a note's tags in its front matter.

`frontmatter` reads values without positions, because most notes never need them. This module takes them from YAML's
marks, however the tags are written: `tags: [a, b]`, a list of dashes, one text of several tags, quoted or not. A tag
written with escapes has the position of its whole text. A tag from a YAML alias has the position of the anchor.

Never raises.
"""

from collections.abc import Iterator, Mapping, Sequence

import yaml

from search.vault.frontmatter import TAG_BREAK, TAG_KEYS, readable, with_quoted_links
from search.vault.inline import clean_tag
from search.vault.spans import Span

_NULL = "tag:yaml.org,2002:null"


def front_tags(lines: Sequence[str], body_line: int) -> tuple[Span, ...]:
    """The tags in the front matter, in order; `lines` are all lines of the note, and its text begins at `body_line`."""
    inside = with_quoted_links(lines[1 : max(1, body_line - 1)])
    found: dict[str, list[Span]] = {}
    top, columns = _node_of(inside), dict[int, int]()
    if top is None and (mended := readable(inside)) is not None:
        top = _node_of(mended)
        columns = {number: _value_column(line) for number, line in enumerate(inside) if line != mended[number]}
    for key, value in top.value if isinstance(top, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode) and key.value.lower() in TAG_KEYS:
            found[key.value] = [
                place for node, names in _named(value) for place in _places(inside, node, names, columns)
            ]
    return tuple(place for places in found.values() for place in places)


def _node_of(lines: Sequence[str]) -> yaml.Node | None:
    """The YAML in these lines; None if it is invalid."""
    try:
        node: yaml.Node | None = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(
            "\n".join(lines) + "\n"
        ).get_single_node()
    except (yaml.YAMLError, ValueError):  # PyYAML lets some ValueErrors through
        return None
    return node


def _named(value: yaml.Node) -> Iterator[tuple[yaml.ScalarNode, list[str]]]:
    """The YAML texts that contain tags, each with its tags: as in `interpret`, an item of a list is one tag."""
    is_list = isinstance(value, yaml.SequenceNode)
    for node in value.value if is_list else [value]:
        if isinstance(node, yaml.ScalarNode) and node.tag != _NULL:
            text = str(node.value).strip()
            yield node, [text] if is_list else TAG_BREAK.split(text)


def _value_column(line: str) -> int:
    """Where the value of an item or of a key may begin."""
    return 0 if line.lstrip().startswith("-") else line.find(":") + 1


def _places(
    lines: Sequence[str], node: yaml.ScalarNode, names: Sequence[str], columns: Mapping[int, int]
) -> Iterator[Span]:
    """The place of each of a node's `names`; `columns` says where a value begins on lines that were mended for YAML."""
    first, last = node.start_mark, node.end_mark
    line, at = first.line, columns.get(first.line, first.column)
    for name in filter(None, map(clean_tag, names)):
        for number in range(line, min(last.line, len(lines) - 1) + 1):
            start = lines[number].find(name, at if number == line else 0)
            if start >= 0:
                line, at = number, start + len(name)
                has_hash = lines[number][:start].endswith("#")
                yield Span(line + 1, start - has_hash, at, tag=name)
                break
        else:
            end = last.column if last.line == first.line else len(lines[first.line])
            yield Span(first.line + 1, first.column, end, tag=name)
