"""Finds the front matter of a note and reads it as text values.

The trick: a few patterns read the forms that most notes use (`key: word`, `key: [a, b]`, lists of dashes) in
microseconds. The first line that they do not match hands the whole text to PyYAML, which is imported only then. Only
PyYAML's events are used, so no objects are built: aliases that multiply and deep nesting cost nothing, and no YAML tag
can create an object. Values stay as typed ("3.10", "12:30"), because people search for what they see.

Never raises. Invalid YAML is read as `front_repair` mends it. Otherwise it gives None, and the front matter is then
searched as text.
"""

import re
from collections.abc import Iterator, Sequence
from sys import intern
from typing import TYPE_CHECKING

from attrs import frozen

from search.vault.front_repair import repaired
from search.vault.inline import clean_tag, wiki_link
from search.vault.note import Link, LinkKind

if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

Values = tuple[str, ...]
MAX_CHARS = 64 * 1024  # longer front matter is a mistake or an attack; it is searched as text
_MAX_VALUES = 10_000  # of one note; YAML aliases could multiply them without a limit
_OPEN = re.compile(r"---[ \t]*$")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*$")


@frozen
class Property:
    """A key of the front matter with its values. `line` counts from 0 in the file; null and nested values are ()."""

    name: str
    values: Values
    line: int
    is_list: bool = False


def body_start(lines: Sequence[str]) -> int:
    """The first line after the front matter; 0 if there is none, or if it has no closing line."""
    if not lines or not _OPEN.match(lines[0].removeprefix("\ufeff")):
        return 0
    for at in range(1, len(lines)):
        if lines[at][:3] in {"---", "..."} and _CLOSE.match(lines[at]):
            return at + 1
    return 0


def read_properties(lines: Sequence[str]) -> tuple[Property, ...] | None:
    """The properties in the lines between the two marks (`lines[0]` is line 1 of the file); None for invalid YAML.

    If a key occurs twice, the last value counts, at the position of the first. `key: [[x]]` without quotes is a link:
    in YAML it would be a list in a list, but people write it for links.
    """
    lines = with_quoted_links(lines)
    found = _read_simple(lines)
    if found is None:
        found = _read_yaml("\n".join(lines) + "\n")
    if found is None and (mended := readable(lines)) is not None:
        found = _read_yaml("\n".join(mended) + "\n")
    return None if found is None else tuple({prop.name: prop for prop in found}.values())


def readable(lines: Sequence[str]) -> list[str] | None:
    """Invalid front matter with quotes where it can only be meant as text; None if that makes it no valid YAML."""
    return repaired(lines, is_valid=lambda text: _read_yaml(text) is not None)


def with_quoted_links(lines: Sequence[str]) -> list[str]:
    """The lines with each bare value `[[x]]` put in quotes, as YAML requires."""
    return [_with_quoted_links(line) if "[[" in line else line for line in lines]


def _with_quoted_links(line: str) -> str:
    """The line with quotes around the links `[[x]], [[y]]` at its end.

    They are read from the end: a regular expression would begin at each link and come to the same end each time.
    """
    begin = end = at = len(line.rstrip())
    while line.endswith("]]", 0, at):
        inside = line.rfind("[", 0, at - 2) + 1
        if not _LINK_NAME.fullmatch(line, inside, at - 2) or not line.endswith("[[", 0, inside):
            break
        begin = at = inside - 2
        while at and line[at - 1].isspace():
            at -= 1
        if not line.endswith("]],", 0, at):
            break
        at -= 1
    return line if begin == end else f'{line[:begin]}"{line[begin:end]}"'


_LINK_NAME = re.compile(r"[^\[\]\"\\]+")

# ---- the common forms. A plain value begins with a letter, so it has no YAML sign.
_KEY = re.compile(r"([^\W\d_][\w.-]*(?: [\w.-]+)*):(?:[ ]+|$)")
# A value that begins with a digit is text if it has a letter that occurs in neither numbers nor dates.
_PLAIN = r"(?:[^\W\d_]|(?!0[xb])[0-9](?=.*?[^\W\d_eEtTzZ]))(?:[^\s:#]|:(?=[^\s])|(?<=\S)\#| (?=[^\s#]))*+"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,4}/[0-9]{1,2}/[0-9]{1,4}"
_QUOTED = r"\"[^\"\\]*+\"|'[^']*+'"
_OTHER = rf"{_DATE}|{_NUMBER}|(?P<quoted>{_QUOTED})"
_VALUE = re.compile(rf"(?:(?P<plain>{_PLAIN})|{_OTHER})[ ]*$")
_FLOW_PLAIN = r"(?:[^\W\d_]|(?!0[xb])[0-9](?=[^,\[\]]*?[^\W\d_eEtTzZ,\[\]]))(?:[^\s:#,\[\]{}]| (?=[^\s#,\[\]{}]))*+"
_FLOW_VALUE = re.compile(rf"[ ]*(?:(?P<plain>{_FLOW_PLAIN})|{_OTHER})[ ]*(?:,|$)")
_LONGEST_KEY = 200
_DASH = re.compile(r"[ ]*-[ ]+(?=\S)")
_BOOLEANS = {"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false"}
_NULLS = frozenset({"null", "Null", "NULL"})
_YAML_WORDS = frozenset(  # keys that YAML 1.1 does not read as text
    word for base in ("yes", "no", "on", "off", "true", "false", "null") for word in (base, base.title(), base.upper())
)


def _read_simple(lines: Sequence[str]) -> list[Property] | None:
    """The properties, or None if any line has another form than the common ones."""
    found: list[Property] = []
    at, end = 0, len(lines)
    while at < end:
        line = lines[at]
        at += 1
        if not line or line[0] == "#":
            continue
        key = _KEY.match(line)
        # YAML allows neither unprintable characters nor keys of more than 1,024 characters.
        if not key or key[1] in _YAML_WORDS or key.end() > _LONGEST_KEY or not line.isprintable():
            return None
        rest = line[key.end() :]
        values: list[str] | None
        start, is_list = at, False
        if not rest:
            values, at = _dashes(lines, at)
            is_list = at > start
        elif rest[0] == "[":
            values, is_list = _flow(rest), True
        else:
            values = _value(_VALUE.match(rest))
        if values is None:
            return None
        found.append(Property(intern(key[1]), tuple(values), start, is_list))
    return found


def _dashes(lines: Sequence[str], at: int) -> tuple[list[str] | None, int]:
    """The items of the list of dashes that may begin at line `at`, and the line after it; None for another form."""
    values: list[str] = []
    indent = -1
    while at < len(lines) and (dash := _DASH.match(lines[at])):
        line = lines[at]
        column = line.index("-")
        value = _value(_VALUE.match(line, dash.end()))
        if value is None or not line.isprintable() or (indent >= 0 and column != indent):
            return None, at
        indent = column
        values += value
        at += 1
    return values, at


def _flow(rest: str) -> list[str] | None:
    """The items of `[a, b]`, or None for another form."""
    rest = rest.rstrip(" ")
    if rest[-1] != "]":
        return None
    inside = rest[1:-1].rstrip(" ")
    values: list[str] = []
    at = 0
    while at < len(inside):
        match = _FLOW_VALUE.match(inside, at)
        value = _value(match)
        if match is None or value is None:
            return None
        values += value
        at = match.end()
    return values


def _value(match: re.Match[str] | None) -> list[str] | None:
    """The value in a list, [] for null, or None for another form."""
    if match is None:
        return None
    if plain := match["plain"]:
        return [] if plain in _NULLS else [_BOOLEANS.get(plain, plain)]
    if quoted := match["quoted"]:
        return [quoted[1:-1].strip()]
    return [match.group().strip(" ,")]


# ---- all other forms, by PyYAML's events
_MAX_DEPTH = 64
_LOWERED = frozenset({"true", "false"})


def _read_yaml(text: str) -> list[Property] | None:
    if len(text) > MAX_CHARS:
        return None
    import yaml  # noqa: PLC0415 - 20 ms, and most vaults never need it

    try:
        return _Events(text, yaml).properties()
    except (yaml.YAMLError, ValueError):  # PyYAML lets some ValueErrors through
        return None


class _Events:
    """Reads the properties of a top-level mapping from the events of a YAML text."""

    def __init__(self, text: str, yaml: "ModuleType") -> None:
        self._yaml = yaml
        self._loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self._anchors: dict[str, tuple[list[str], bool]] = {}
        self._n_values = 0

    def properties(self) -> list[Property]:
        """The properties in order.

        Raises:
            yaml.YAMLError: the text is not valid YAML, or not a mapping.
        """
        yaml, found = self._yaml, []
        top = self._next()
        while isinstance(top, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            top = self._next()
        if isinstance(top, yaml.MappingStartEvent):
            while not isinstance(key := self._next(), yaml.MappingEndEvent):
                names, _ = self._node(key)
                values, is_list = self._node(self._next())
                if isinstance(key, yaml.ScalarEvent) and names and names != ["<<"]:
                    found.append(Property(intern(names[0]), tuple(values), key.start_mark.line + 1, is_list))
        elif not isinstance(top, yaml.StreamEndEvent) and self._node(top) != ([], False):
            raise yaml.YAMLError("not a mapping")
        while self._loader.check_event():  # the rest must be valid too
            self._next()
        return found

    def _next(self) -> "Any":  # noqa: ANN401 - PyYAML's events share no typed base
        return self._loader.get_event()

    def _node(self, event: "Any", *, is_item: bool = False) -> tuple[list[str], bool]:  # noqa: ANN401 - as `_next`
        """The values of the node that `event` begins ([] for null and nested nodes), and whether it is a list.

        If the node is an item of a list (`is_item`), everything but a text counts as a nested list without values.
        """
        yaml = self._yaml
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise yaml.YAMLError("unknown alias")
            values, is_list = self._anchors[event.anchor]
            self._n_values += len(values)
            return ([], is_list) if self._n_values > _MAX_VALUES else (values, is_list)
        values, is_list = [], is_item or isinstance(event, yaml.SequenceStartEvent)
        if isinstance(event, yaml.ScalarEvent):
            values, is_list = self._scalar(event), False
        elif is_item or not is_list:
            self._skip()
        else:
            while not isinstance(item := self._next(), yaml.SequenceEndEvent):
                inner, is_nested = self._node(item, is_item=True)
                values += [] if is_nested else inner
        if event.anchor:
            self._anchors[event.anchor] = values, is_list
        return values, is_list

    def _skip(self) -> None:
        """Skip the rest of the collection whose start event was just read."""
        yaml, depth = self._yaml, 1
        while depth:
            event = self._next()
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MAX_DEPTH:
                raise yaml.YAMLError("nested too deeply")
            if getattr(event, "anchor", None) and not isinstance(event, yaml.AliasEvent):
                self._anchors[event.anchor] = [], True

    def _scalar(self, event: "Any") -> list[str]:  # noqa: ANN401 - an event of PyYAML
        self._n_values += 1
        kind = event.tag or self._loader.resolve(self._yaml.ScalarNode, event.value, event.implicit)
        if kind == "tag:yaml.org,2002:null" or self._n_values > _MAX_VALUES:
            return []
        lowered = event.value.lower()
        return [lowered if kind == "tag:yaml.org,2002:bool" and lowered in _LOWERED else event.value.strip()]


# ---- the meaning of the values
PROPERTY_LINK = re.compile(r"(!?)\[\[([^\[\]\n]++)\]\]")
TAG_KEYS = frozenset({"tags", "tag"})
_ALIAS_KEYS = frozenset({"aliases", "alias"})
_NAMED_KEYS = TAG_KEYS | _ALIAS_KEYS
TAG_BREAK = re.compile(r"[,\s]+")


@frozen
class FrontMatter:
    """The front matter of a note. `properties` includes the title, the aliases and the tags only if they are empty."""

    title: str = ""
    aliases: Values = ()
    tags: Values = ()
    properties: tuple[tuple[str, Values], ...] = ()
    links: tuple[Link, ...] = ()


def interpret(found: Sequence[Property]) -> FrontMatter:
    """The title, aliases, tags, links and other properties of a note.

    A text value is split into tags at commas and spaces, and into aliases at commas; an item of a list is not split.
    Keys are case-insensitive. A title that is a list is a property like any other.
    """
    title = ""
    aliases: list[str] = []
    tags: list[str] = []
    properties: list[tuple[str, Values]] = []
    links: list[Link] = []
    for prop in found:
        key, values = prop.name.lower(), prop.values
        if key in _NAMED_KEYS and not any(values):
            properties.append((prop.name, ()))
        elif key in TAG_KEYS:
            tags += values if prop.is_list else [part for value in values for part in TAG_BREAK.split(value)]
        elif key in _ALIAS_KEYS:
            aliases += values if prop.is_list else [part for value in values for part in value.split(",")]
        elif key == "title" and values and values[0] and not prop.is_list:
            title = values[0]
        else:
            properties.append((prop.name, values))
            for value in values:
                if "[[" in value:
                    links += _links(value, prop)
    names = dict.fromkeys(name.strip() for name in aliases)
    names.pop("", None)
    return FrontMatter(title, tuple(names), tuple(filter(None, map(clean_tag, tags))), tuple(properties), tuple(links))


def _links(value: str, prop: Property) -> Iterator[Link]:
    for match in PROPERTY_LINK.finditer(value):
        if link := wiki_link(match[2], prop.line, LinkKind.PROPERTY, name=prop.name):
            yield link
