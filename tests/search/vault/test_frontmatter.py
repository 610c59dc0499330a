"""Front matter in the forms that people write, compared with PyYAML."""

import datetime as dt
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from search.vault.front_repair import MAX_LINES
from search.vault.frontmatter import (
    _read_simple,
    _read_yaml,
    body_start,
    interpret,
    read_properties,
    with_quoted_links,
)
from search.vault.lines import split_lines
from search.vault.note import Link, LinkKind


def values(text: str) -> dict[str, tuple[str, ...]] | None:
    found = read_properties(text.split("\n"))
    return None if found is None else {prop.name: prop.values for prop in found}


SHAPES = {
    "author: John Doe": {"author": ("John Doe",)},
    "priority: 1\nprice: 3.10\nbig: 1_000\nhex: 0x1F": {
        "priority": ("1",),
        "price": ("3.10",),
        "big": ("1_000",),
        "hex": ("0x1F",),
    },
    "a: true\nb: False\nc: yes\nd: 'true'": {"a": ("true",), "b": ("false",), "c": ("yes",), "d": ("true",)},
    "date: 2024-01-05\nat: 2024-01-05T10:00:00\ntime: 12:30": {
        "date": ("2024-01-05",),
        "at": ("2024-01-05T10:00:00",),
        "time": ("12:30",),
    },
    "a:\nb: null\nc: ~\nd: {x: 1}\ne:\n  f: 1": {"a": (), "b": (), "c": (), "d": (), "e": ()},
    "list: [a, 1, true, 2024-01-05, 'q, r', \"s\"]": {"list": ("a", "1", "true", "2024-01-05", "q, r", "s")},
    "list:\n- a\n- 7L1o\n- 'b: c'\nnext: x": {"list": ("a", "7L1o", "b: c"), "next": ("x",)},
    "list:\n  - a\n  - [b, c]\n  - {d: e}\n  - null\n  - f": {"list": ("a", "f")},
    "list: [a, [b], {c: d}, e, ]": {"list": ("a", "e")},
    "list: []\nempty: ''": {"list": (), "empty": ("",)},
    "text: |\n  one\n  two\nfold: >-\n  a\n  b": {"text": ("one\ntwo",), "fold": ("a b",)},
    "# comment\na: b # comment\n\nc: d": {"a": ("b",), "c": ("d",)},
    "a: 1\nb: 2\na: 3": {"a": ("3",), "b": ("2",)},
    "a: &x [p, q]\nb: *x\nc: &y r\nd: [*y, *x, s]\n<<: {e: f}": {
        "a": ("p", "q"),
        "b": ("p", "q"),
        "c": ("r",),
        "d": ("r", "s"),
    },
    "a: [&x p, &l [q], {r: &n [s]}]\nb: [*x, *l, *n, t]\nc: *l": {"a": ("p",), "b": ("p", "t"), "c": ()},
    "up: [[x]]\n? [k]\n: v\n1: one": {"up": ("[[x]]",), "1": ("one",)},
    "created: {{date}}": {"created": ()},
    "a: !!python/object:os.system x\nb: !tag y": {"a": ("x",), "b": ("y",)},
    "key with space: a  \nüber: ä\n日本: 語": {"key with space": ("a",), "über": ("ä",), "日本": ("語",)},
    "": {},
    "~": {},
    "tags: [a": None,
    "just text": None,
    "- a\n- b": None,
    "a:\tb\n\tc: d": None,
    "a: *nowhere": None,
    "a: \x01": None,
    "a: 'open": None,
}


MENDED = {  # no valid YAML, but it can only be meant in one way
    "title: A: B": {"title": ("A: B",)},
    "title: a: b: c\ntags: [x, y]\ndone: true": {"title": ("a: b: c",), "tags": ("x", "y"), "done": ("true",)},
    "tags:\n  - x\ntitle: It's: that": {"tags": ("x",), "title": ("It's: that",)},
    "title: ends with:": {"title": ("ends with:",)},
    "title: @home": {"title": ("@home",)},
    "title: `code` and more": {"title": ("`code` and more",)},
    "title: %done": {"title": ("%done",)},
    "title: *Moby Dick*": {"title": ("*Moby Dick*",)},
    "title: **bold** text": {"title": ("**bold** text",)},
    "title: [Draft] one": {"title": ("[Draft] one",)},
    "title: [a] and [b]: c": {"title": ("[a] and [b]: c",)},
    "title: [a] and [b]": {"title": ("[a] and [b]",)},
    "title: {a} b": {"title": ("{a} b",)},
    'title: "A" and "B"': {"title": ('"A" and "B"',)},
    "title: 'It's here'": {"title": ("It's here",)},
    'path: "C:\\Users\\me"': {"path": ("C:\\Users\\me",)},
    "tags: [#a, #b/c]": {"tags": ("#a", "#b/c")},
    "title: x\ntags:[a, b]": {"title": ("x",), "tags": ("a", "b")},
    "x: y\ntitle:A": {"title": ("A",), "x": ("y",)},
    "x: y\ntitle :A": {"title": ("A",), "x": ("y",)},
    "tags:\n\t- a\n\t- b": {"tags": ("a", "b")},
    "aliases:\n- @me\n- b: c: d\n\n- e": {"aliases": ("@me", "b: c: d", "e")},
    "# note\ntitle: a: b\n\n# end": {"title": ("a: b",)},
    'date: <% tp.date.now("HH: mm") %>': {"date": ('<% tp.date.now("HH: mm") %>',)},
    # Another reading is possible.
    "title: a: b\n  more": None,
    "title: a: b\n  c: d": None,
    "title: a: b\ntags: [c": None,
    'title: "open': None,
    "title: a: b\nx: *alias": None,
    "title: a: b\nx: [[a], b: c: d]": None,
    "title: a: b\nx: & y: z": None,
    "title: a: b\nno key": None,
    "title: a: b\nhttp://a.b": None,
    "x:\n- a: b: c\n  d": None,
    "x:\n- 'open": None,
    "x:\n- a: b: c\n  - d": None,
    "x: - a": {"x": ("- a",)},
    "x:\n  # none\n  - a: b: c": {"x": ("a: b: c",)},
    "x:\n- {a": None,
    "title: a: b\nx: \x01": None,
}


@pytest.mark.parametrize("text", MENDED, ids=repr)
def test_text_that_is_no_yaml_is_read_as_people_mean_it(text):
    assert values(text) == MENDED[text]


def test_long_invalid_front_matter_is_not_mended():
    assert values("\n".join(["title: a: b"] + ["x: y"] * (MAX_LINES - 1))) == {"title": ("a: b",), "x": ("y",)}
    assert values("\n".join(["title: a: b"] + ["x: y"] * MAX_LINES)) is None


@settings(max_examples=200, deadline=None)
@given(st.text("ab :-'\"[]{}#@*&!|>%`,\\", min_size=1, max_size=12))
def test_a_mended_line_changes_no_other_property(value):
    found = values(f"first: 1\nx: {value}\ntags: [a, b]")
    if found is not None and "tags" in found:
        assert (found["first"], found["tags"]) == (("1",), ("a", "b"))


@pytest.mark.parametrize("text", SHAPES, ids=repr)
def test_values_are_read_as_text(text):
    assert values(text) == SHAPES[text]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("---\na: b\n---\nx", 3),
        ("---  \na: b\n... \n", 3),
        ("---\r\n---\r\n", 2),
        ("\ufeff---\n---", 2),
        ("---\nnever closed", 0),
        ("\n---\na: b\n---", 0),
        ("----\na\n---", 0),
        ("", 0),
    ],
)
def test_front_matter_begins_in_the_first_line_and_is_closed(text, start):
    assert body_start(split_lines(text)) == start


@pytest.mark.parametrize(
    ("text", "tags", "aliases"),
    [
        ("tags: 2024", (), ()),
        ("tags:", (), ()),
        ("tags: a, b", ("a", "b"), ()),
        ("tags: a b #c", ("a", "b"), ()),
        ("tags: '#a #b/c'", ("a", "b/c"), ()),
        ("tags: [x, null, 3]", ("x",), ()),
        ("Tags:\n  - '#x'\n  - two words\n  - [y]\n  - true", ("x", "two words", "true"), ()),
        ("tag: a", ("a",), ()),
        ("aliases: Foo, Bar", (), ("Foo", "Bar")),
        ("alias: Foo", (), ("Foo",)),
        ("aliases: 2024", (), ("2024",)),
        ("aliases: [Foo, null, 'Bar, Baz', Foo]", (), ("Foo", "Bar, Baz")),
        ("aliases:\n", (), ()),
        ("aliases: {a: b}", (), ()),
    ],
)
def test_tags_and_aliases_are_read_in_every_form(text, tags, aliases):
    found = read_properties(text.split("\n"))
    assert found is not None
    front = interpret(found)
    assert (front.tags, front.aliases) == (tags, aliases)
    assert not any(values for _, values in front.properties)


def test_title_and_tags_are_not_properties_and_properties_may_contain_links():
    found = read_properties(["title: T", "tags: a", "up: '[[x#h|y]]'", "see: ['[[p]]', 'q ![[r]]', '[[]]']"])
    assert found is not None
    front = interpret(found)
    assert front.title == "T"
    assert front.properties == (("up", ("[[x#h|y]]",)), ("see", ("[[p]]", "q ![[r]]", "[[]]")))
    assert front.links == (
        Link("x", 3, LinkKind.PROPERTY, heading="h", shown="y", name="up"),
        Link("p", 4, LinkKind.PROPERTY, name="see"),
        Link("r", 4, LinkKind.PROPERTY, name="see"),
    )


BOMBS = {
    "aliases": "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(f"k{n}: *a\n" for n in range(3000)),
    "nested aliases": "a: &a [x]\n" + "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]\n" for n in range(1, 30)),
    "flow depth": "a: " + "[" * 30_000,
    "dash depth": "a:\n  " + "- " * 30_000,
    "size": "a: {x: 1}\n" * 100_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
@pytest.mark.timeout(20)  # a reader that is not linear takes minutes
def test_malicious_yaml_takes_bounded_time_and_memory(text):
    found = read_properties(text.split("\n"))
    assert found is None or sum(len(prop.values) for prop in found) <= 10_000


def as_text(value: object, typed: str | None = None) -> list[str]:
    """PyYAML's value as text. The caller leaves out `yes` and `no`, which PyYAML reads as booleans."""
    if value is None or isinstance(value, dict):
        return []
    if isinstance(value, list):
        return [text for item in value if not isinstance(item, list) for text in as_text(item)]
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, dt.date):
        return [value.isoformat()]
    return [str(value)]


WORDS = st.one_of(
    st.sampled_from(
        ["oak", "true", "null", "~", "1", "-3", "2024-01-05", "a b", "[[x]]", "'q'", '"d e"', "#c", "x # y"]
    ),
    st.sampled_from(
        ["x: y", "a:b", "7L", "9 - x", "12:30", "1e3", "0x1", "- a", "&a", "*a", "!t", "|", ">", "é", "a, b"]
    ),
    st.sampled_from(
        ["{a}", "[a", "b]", "''", "a#b", "a :b", "it's", 'say "x"', "@x", "%x", "`x", "a\tb", "2024", "1.5"]
    ),
    st.sampled_from([".5", "no way", "=", "<<", "?", "-", "11/04/2016", "1/2", "1/2/3:4", "' q '", "v.2"]),
)
LINES = st.one_of(
    st.tuples(st.sampled_from(["a", "b c", "é", "1", "tags", "- x", "ms.date", "e. g.", "a..."]), WORDS).map(": ".join),
    WORDS.map("- {}".format),
    WORDS.map("  - {}".format),
    st.lists(WORDS, max_size=3).map(lambda words: f"k: [{', '.join(words)}]"),
    st.sampled_from(["", "# c", "k:", "  x: y", "  more"]),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=5))
def test_the_fast_path_agrees_with_pyyaml(lines):
    """What the fast path accepts, PyYAML reads in the same way, by its events and by its values."""
    fast = _read_simple(lines)
    if fast is None:
        return
    slow = _read_yaml("\n".join(lines) + "\n")
    assert slow == fast
    loaded = yaml.load("\n".join(lines) + "\n", Loader=yaml.CSafeLoader) or {}
    texts = {key: [text.strip() for text in as_text(value)] for key, value in loaded.items()}
    assert {prop.name: list(prop.values) for prop in fast} == texts


@pytest.mark.parametrize("line", ["ms.date: 11/04/2016", 'title: " spaces outside "', "a: [1/2/2003, 'b']"])
def test_common_lines_are_read_without_pyyaml(line):
    assert _read_simple([line]) == _read_yaml(line + "\n") is not None


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_reading_front_matter_never_raises(text):
    found = read_properties(split_lines(text))
    assert found is None or all(isinstance(value, str) for prop in found for value in prop.values)


BARE_LINKS = re.compile(r"(\s*(?:-\s+)?(?:[^\s:\"'\[]+:\s+)?)(\[\[[^\[\]\"\\]+\]\](?:,\s*\[\[[^\[\]\"\\]+\]\])*)\s*$")


@given(
    st.lists(st.sampled_from(["[[x]]", "[[", "]]", "[", "]", ",", " ", "a", ": ", "- ", '"', "\\", "\t"])).map("".join)
)
def test_bare_links_at_the_end_of_a_line_are_quoted_as_one_value(line):
    """The regular expression says what is meant; on a long line it would take minutes."""
    assert with_quoted_links([line]) == [BARE_LINKS.sub(r'\1"\2"', line) if "[[" in line else line]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line", ["a: " + "[[x]]," * 20_000 + "!", "a: " + "[" * 70_000 + "]" * 70_000, "a: [[x" * 20_000]
)
def test_front_matter_made_to_be_slow_is_read_in_time_that_grows_with_it(line):
    read_properties([line])
