"""The columns of links and tags on a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.vault.blocks import BlockKind, scan_blocks
from search.vault.front_tags import front_tags
from search.vault.frontmatter import body_start
from search.vault.inline import clean_tag
from search.vault.markdown import parse_note
from search.vault.spans import blocks_around, span_at, spans_on


def shown(text, line=0):
    rows = text.split("\n")
    spans = spans_on(parse_note("a.md", text).note, rows, [line])
    return [(rows[line][span.start : span.end], span.tag or span.link.target) for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[a b|c]] and ![[d.png]]", [("[[a b|c]]", "a b"), ("![[d.png]]", "d.png")]),
        ("| [[a\\|b]] | [[c]] |\n| --- | --- |", [("[[a\\|b]]", "a"), ("[[c]]", "c")]),
        (
            '[x](a%20b.md) [y](<c d.md> "t") [z](http://e.f)',
            [("[x](a%20b.md)", "a b.md"), ('[y](<c d.md> "t")', "c d.md")],
        ),
        ("`[[a]]` `#b` [[a]] #b", [("[[a]]", "a"), ("#b", "b")]),
        ("#one#two (#three/four) x#five http://x/#six", [("#one", "one"), ("#three/four", "three/four")]),
        ("[[a#x]] [[#y]] [[]] [[http://e]] #123", [("[[a#x]]", "a"), ("[[#y]]", "")]),
        ("# heading #tag", [("#tag", "tag")]),
        (
            "[![alt](i.png)](b.md) [a [b] c](d.md)",
            [("[![alt](i.png)](b.md)", "b.md"), ("![alt](i.png)", "i.png"), ("[a [b] c](d.md)", "d.md")],
        ),
        ("[[a#`b c`|d]] `[[e]]` [`f`](g.md)", [("[[a#`b c`|d]]", "a"), ("[`f`](g.md)", "g.md")]),
        (
            "[see #b and](a.md#c) #c [[x #b|#c]]",
            [("[see #b and](a.md#c)", "a.md"), ("#b", "b"), ("#c", "c"), ("[[x #b|#c]]", "x")],
        ),
        ("", []),
    ],
)
def test_spans_agree_with_the_parsed_note(text, expected):
    assert shown(text) == expected


DEFINED = "\n\n[r]: n%20m.md#h 'title'\n[a b]: <o p.md>\n[web]: http://x.y\n[unused]: q.md\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "see [the text][r] and [A  b][] or [r].",
            [("[the text][r]", "n m.md"), ("[A  b][]", "o p.md"), ("[r]", "n m.md")],
        ),
        ("![image][r] [`code` *x*][a b]", [("![image][r]", "n m.md"), ("[`code` *x*][a b]", "o p.md")]),
        ("[r](other.md) then [r]", [("[r](other.md)", "other.md"), ("[r]", "n m.md")]),
        ("[x](n%20m.md#h) then [x]", [("[x](n%20m.md#h)", "n m.md")]),
        ("[web] [nothing][none] [ ] `[r]` \\[r]", []),
        ("[[r]] [same][r] [same][a b]", [("[[r]]", "r"), ("[same][r]", "n m.md"), ("[same][a b]", "o p.md")]),
    ],
)
def test_the_target_of_a_reference_is_that_of_its_definition(line, expected):
    assert shown(line + DEFINED) == expected


def test_a_definition_is_a_link_if_a_reference_uses_it():
    text = "[the text][r]" + DEFINED
    rows = [shown(text, line) for line in range(2, 6)]
    assert rows == [[("[r]: n%20m.md#h 'title'", "n m.md")], [], [], []]


def test_a_reference_over_two_lines_has_no_span():
    assert shown("[the\ntext][r]" + DEFINED) == shown("[the\ntext][r]" + DEFINED, 1) == []


def test_front_matter_has_links_but_a_hash_there_is_not_a_tag():
    text = '---\nup: "[[a]]" #b\n---\n#b'
    assert shown(text, 1) == [("[[a]]", "a")]
    assert shown(text, 3) == [("#b", "b")]


def test_a_link_in_a_list_in_front_matter_is_on_its_own_line():
    """The note has the line of the property instead."""
    text = "---\nup:\n  - '[[a]]'\n  - [[b|c]]\nno: '[[a'\n---\n"
    assert [shown(text, line) for line in range(1, 4)] == [[], [("[[a]]", "a")], [("[[b|c]]", "b")]]


FRONT_TAGS = [
    ("tags: [a, 'b c', \"#d/e\"]", [("a", "a"), ("b c", "b c"), ("#d/e", "d/e")]),
    ("tags:\n  - a\n- b", None),  # invalid YAML, so no front matter
    ("tags:\n  - a # not b\n  -   'c'\n  -\n  - null\n  - 2024", [("a", "a"), ("c", "c")]),
    ("tags:\n- ab\n- a\n- ab", [("ab", "ab"), ("a", "a"), ("ab", "ab")]),
    ("tags: é😀, b  c,d", [("é😀", "é😀"), ("b", "b"), ("c", "c"), ("d", "d")]),
    ('tags: "#a #b"', [("#a", "a"), ("#b", "b")]),
    ("Tags: a\ntag: b", [("a", "a"), ("b", "b")]),
    ("tags: a\ntags: b", [("b", "b")]),
    ("{tags: [a], x: {tags: [b]}}", [("a", "a")]),
    ("tags: [a,\n  b,\n  c]", [("a", "a"), ("b", "b"), ("c", "c")]),
    ("tags: >\n  a\n  b", [("a", "a"), ("b", "b")]),
    ('tags: "\\u0061b, c"', [('"\\u0061b, c"', "ab"), ("c", "c")]),
    ("x: &y [a]\ntags: *y", [("a", "a")]),
    ("x: tags\ny: [a]\nup: [[tags]]", []),
    ("tags:", []),
    ("tags: {a: b}", []),
    ("tags: [[a], b]", [("b", "b")]),
    ("title: x: y\ntags: [a, b]", [("a", "a"), ("b", "b")]),
    ("tags: [#a, #tags]", [("#a", "a"), ("#tags", "tags")]),
    ("x: y\ntags:[a, b]", [("a", "a"), ("b", "b")]),
    ("tags:\n\t- a\n\t- b", [("a", "a"), ("b", "b")]),
    ("title: x: y\ntags: [a", []),
]


@pytest.mark.parametrize(("front", "expected"), FRONT_TAGS)
def test_tags_in_front_matter_have_spans_in_every_form(front, expected):
    text = f"---\n{front}\n---\ntext"
    rows = text.split("\n")
    found = spans_on(parse_note("a.md", text).note, rows, range(len(rows)))
    places = [(rows[span.line][span.start : span.end], span.tag) for span in found if span.tag]
    assert places == (expected or [])


def test_front_matter_that_has_become_invalid_has_no_spans():
    """The text may be newer than the note that was read from it."""
    assert front_tags(["---", "tags: [", "---"], 3) == ()
    assert front_tags(["---"], 3) == ()


WORDS = st.text("abcéß😀-_/", min_size=1, max_size=5).filter(clean_tag)


@given(st.lists(WORDS, min_size=1, max_size=5), st.sampled_from(["- {}", '- "{}"', "- '#{}'", "[{}]", "['{}']", "{}"]))
def test_every_tag_in_front_matter_has_a_span_with_its_text(tags, shape):
    if shape.startswith("-"):
        front = "tags:\n" + "\n".join("  " + shape.format(tag) for tag in tags)
    else:
        front = "tags: " + shape.format("', '".join(tags) if "'" in shape else ", ".join(tags))
    text = f"---\nx: 1\n{front}\n---\n"
    note, rows = parse_note("a.md", text).note, text.split("\n")
    found = list(spans_on(note, rows, range(len(rows))))
    assert {span.tag.casefold() for span in found} == {tag.casefold() for tag in note.tags}
    assert all(rows[span.line][span.start : span.end].removeprefix("#") == span.tag for span in found)


@pytest.mark.parametrize(("column", "start"), [(0, 0), (4, 0), (5, 5), (9, 5), (10, 5), (11, None)])
def test_the_end_of_a_span_counts_as_inside_unless_another_one_begins_there(column, start):
    spans = spans_on(parse_note("a.md", "[[a]][[b]] x").note, ["[[a]][[b]] x"], [0])
    found = span_at(tuple(spans), column)
    assert (found.start if found else None) == start


def test_the_spans_of_several_lines_are_those_of_each_line():
    text = "---\nup: '[[z]]'\n---\n[[a]] #t [x][r]\n`[[b]]`\n[[c]]\n\n[r]: d.md\n#t"
    note, rows = parse_note("a.md", text).note, text.split("\n")
    each = [span for number, row in enumerate(rows) for span in spans_on(note, rows, [number])]
    assert list(spans_on(note, rows, range(20))) == each
    assert [span.tag or span.link.target for span in each] == ["z", "a", "t", "d.md", "c", "d.md", "t"]


def test_a_tag_in_code_a_formula_or_a_comment_has_no_span():
    text = "#a\n```\n#b\n```\n$$\n#c\n$$\n%%\n#d\n%%\n`` #e\n#f `` <!-- #g\n\n#h --> #i\n[r]: x.md"
    rows = text.split("\n")
    note = parse_note("a.md", text).note
    found = [(span.line, rows[span.line][span.start : span.end]) for span in spans_on(note, rows, range(len(rows)))]
    assert found == [(0, "#a"), (13, "#i")]


def test_the_columns_in_quotes_lists_tables_and_headings_are_those_of_the_line():
    text = "##  a #b ##\n> - [[c]]\n>   > #d\n\n| x | [y](z.md) |\n|---|---|\n#e\n==="
    assert [shown(text, line) for line in (0, 1, 2, 4, 6)] == [
        [("#b", "b")],
        [("[[c]]", "c")],
        [("#d", "d")],
        [("[y](z.md)", "z.md")],
        [("#e", "e")],
    ]


def test_a_definition_has_a_span_even_if_its_title_is_on_the_next_line():
    assert shown("[r]: a.md  \n 'title'\nsee [r]") == [("[r]: a.md", "a.md")]


def is_code_or_comment(note, rows, number):
    around = next(((kind, end) for kind, _, end in blocks_around(note, rows, number) if end > number), None)
    return around is not None and around[0] >= BlockKind.CODE


def test_lines_in_code_formulas_and_comments_are_recognized():
    text = "---\nx: 1\n---\na\n```\nb\n```\n$$\nc\n$$\n%%\nd\n%%\ne"
    note, rows = parse_note("a.md", text).note, text.split("\n")
    assert [number for number in range(len(rows)) if is_code_or_comment(note, rows, number)] == list(range(4, 13))


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["[a](b.md) #a ", "[[a]] #a ", "[[a]] [x](b.md) ", "[r] [s] [no] ", "[a [b](c.md) #d [[e]] "]
)
def test_a_line_of_100_000_characters_full_of_links_takes_linear_time(unit):
    """Comparing all pairs of links would take a billion steps, and this test would time out."""
    text = (unit * (100_000 // len(unit))) + "\n\n[r]: x.md\n[s]: y.md\n"
    note, rows = parse_note("a.md", text).note, text.split("\n")
    assert len(list(spans_on(note, rows, [0]))) > 5000


PIECES = [
    "# h",
    "h",
    "===",
    "---",
    "text",
    "",
    "```",
    "~~~ x",
    "$$",
    "%%",
    "<!--",
    "-->",
    "> q",
    "- i",
    "    c",
    "[r]: x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_a_section_alone_shows_which_of_its_lines_are_in_code_or_comments(rows):
    """The result is the same as for the whole note, because no block extends over a heading."""
    note = parse_note("a.md", "\n".join(rows)).note
    blocks = scan_blocks(rows.copy(), body_start(rows))
    silent = {line for kind, start, end, _ in blocks if kind >= BlockKind.CODE for line in range(start, end)}
    assert {number for number in range(len(rows)) if is_code_or_comment(note, rows, number)} == silent
