"""Parsing a note's text: tags, links, headings, title and lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.ids import NoteId
from search.vault.markdown import ParsedNote, parse_note
from search.vault.note import Heading, Link, LinkKind


def parse(text: str, name: str = "folder/Note.md") -> ParsedNote:
    return parse_note(NoteId(name), text)


TAGS = {
    "#a/b-c": ["a/b-c"],
    "word #BP and #bp": ["BP"],
    "# tag": [],
    "#?": [],
    "#123 #1a #2024/x": ["1a", "2024/x"],
    "see #日本語 and #été, #emoji🎉": ["日本語", "été", "emoji🎉"],
    "#標籤。next （#括弧）": ["標籤", "括弧"],
    "mid#word http://x.org/#frag <https://x.org/#y> https://x.org/a,#b": [],
    "[text](x.md#h) [[a#h]] [#label](b.md)": [],
    "(#in-parens) *#bold* #end/": ["in-parens", "bold", "end"],
    "`#code` ``#a ` #b`` \\#escaped": [],
    "`open #tag": ["tag"],
    "`over\nlines #no` #yes": ["yes"],
    "```\n#no\n```\n#yes": ["yes"],
    "~~~~md\n#no\n~~~\n#no\n~~~~~ \n#yes": ["yes"],
    "```\n#no, never closed": [],
    "``` not ` a fence #yes": ["yes"],
    "> ```\n> #no\n> ```\n> #yes": ["yes"],
    "> ```\n> #no\nout #yes": ["yes"],
    "> > [[x]] #deep": ["deep"],
    "- a\n  ```\n  #no\n  ```\n- #yes": ["yes"],
    "- ```\n  #no\nout #yes": ["yes"],
    "text\n\n    #no\n\n    #no\n#yes": ["yes"],
    "- item\n\n    #yes": ["yes"],
    "- item\n\n      #no\n": [],
    "text\n    #lazy": ["lazy"],
    "\t#no": [],
    "%%#no%% #yes": ["yes"],
    "%%\n#no\n\n#no\n%%\n#yes": ["yes"],
    "text %% #no\n\n# no\n\n#no %% #yes": ["yes"],
    "100%% sure #yes": ["yes"],
    "a %% #in %% #out %% #again %%": ["in", "out", "again"],
    "%% #alone %%": ["alone"],
    "%% a\n#no %% #yes": ["yes"],
    "a %% #yes %% b %% #no\n#no %% `": ["yes"],
    "```mermaid\n%% a\n```\n#yes\n\n%%": ["yes"],
    "<!-- #no --> #yes": ["yes"],
    "<!--\n#no\n\n[[no]] -->\n#yes": ["yes"],
    "<!-- never closed #yes": ["yes"],
    "$#no$ and $5 #yes for $6": ["yes"],
    "$$\n#no\n\n#no\n$$\n#yes": ["yes"],
    "$$#no$$ #yes": ["yes"],
    "$$ alone #yes": ["yes"],
    '<a href="x" title="a #no">#yes</a>': ["yes"],
    "<pre>\n#no\n\n#no\n</pre>\n#yes": ["yes"],
    "<div>\n#yes\n</div>": ["yes"],
    "| a |\n|---|\n| ` #t1 |\n| ` #t2 |": ["t1", "t2"],
    "Title #t\n====": ["t"],
}


@pytest.mark.parametrize("text", TAGS, ids=repr)
def test_tags_are_found_in_text_but_not_in_code_comments_links_and_formulas(text):
    assert parse(text).note.tags == tuple(TAGS[text])


def wiki(target: str, line: int = 0, **more: str) -> Link:
    return Link(target, line, **more)


def md(target: str, line: int = 0, **more: str) -> Link:
    return Link(target, line, LinkKind.MARKDOWN, **more)


LINKS = {
    "[[todo]]": [wiki("todo")],
    "[[a/b/todo|t]]": [wiki("a/b/todo", shown="t")],
    "[[todo|todo]]": [wiki("todo")],
    "[[a#one#two]] [[#here]] [[a#^block]] [[#^b|x]]": [
        wiki("a", heading="one#two"),
        wiki("", heading="here"),
        wiki("a", block="block"),
        wiki("", block="b", shown="x"),
    ],
    "[[a#[^1]]] [[a#C#]] [[a#]] [[a##b]] [[##]]": [
        wiki("a", heading="[^1]"),
        wiki("a", heading="C#"),
        wiki("a"),
        wiki("a", heading="#b"),
    ],
    "[t](a.md#b%20c) [u](#%5Ed) [v](a%23b.md#c%23) [w](a.md#%FF%41%)": [
        md("a.md", heading="b c", shown="t"),
        md("", block="d", shown="u"),
        md("a#b.md", heading="c#", shown="v"),
        md("a.md", heading="%FFA%", shown="w"),
    ],
    "![[pic.png|100]]": [Link("pic.png", 0, LinkKind.EMBED, shown="100")],
    "\\![[a]]": [wiki("a")],
    "| [[a\\|b]] | [[c]] |": [wiki("a", shown="b"), wiki("c")],
    "[[ ]] [[|]] [[]] [[a\nb]] [[http://x.org]]": [],
    "[[|x]] [[a||b]]": [wiki("|x"), wiki("a", shown="|b")],
    "[[Phénomène]] [[Note: a subtitle]] [[a [b] c]]": [wiki("Phénomène"), wiki("Note: a subtitle"), wiki("a [b] c")],
    "[[[a]]]": [wiki("a")],
    "`[[no]]` \\[[no]] ": [],
    "a\nb [[c]]\nd": [wiki("c", 1)],
    "%% [[a]] [t](b.md) %%\n\n%%\n[[no]]\n%%\n<!-- [[no]] --> [[c]]": [wiki("a"), md("b.md", shown="t"), wiki("c", 5)],
    "# h [[c]]": [wiki("c")],
    "[t](./todo.md#h)": [md("./todo.md", heading="h", shown="t")],
    "[t](a%20b.md) [u](<c d.md>) [v](e%zz%FF.md)": [
        md("a b.md", shown="t"),
        md("c d.md", shown="u"),
        md("e%zz%FF.md", shown="v"),
    ],
    "[t](a_(b).md 'title') [u](a\\)b.md) [v](a&amp;b.md)": [
        md("a_(b).md", shown="t"),
        md("a)b.md", shown="u"),
        md("a&b.md", shown="v"),
    ],
    "[t](https://x.org) [m](mailto:a@b.c) [s](//x.org/y) [e]()": [],
    "[![alt](p.png)](a.md)": [Link("p.png", 0, LinkKind.EMBED, shown="alt"), md("a.md", shown="![alt](p.png)")],
    "[a [b](c.md) d](e.md)": [md("c.md", shown="b")],
    "[two\nlines](a.md)": [md("a.md", shown="two lines")],
    "[t](a b.md) [t] (a.md) [t": [],
    "[t][Ref] [ref][] [ref]\n\n[REF]: <a b.md> 'title'\n[other]: c.md": [
        md("a b.md", shown="t"),
        md("a b.md", shown="ref"),
        md("a b.md", shown="ref"),
    ],
    "[x][none] [^1]\n\n[^1]: [[note]]\n": [wiki("note", 2)],
    "[r] then [[b]]\n\n[r]: a.md": [md("a.md", shown="r"), wiki("b")],
    "[r]: https://x.org\n\n[r]": [],
    "- [ ] [[a]]\n- [x] [[b]]": [wiki("a"), wiki("b", 1)],
}


@pytest.mark.parametrize("text", LINKS, ids=repr)
def test_links_are_found_in_every_form(text):
    assert parse(text).note.links == tuple(LINKS[text])


HEADINGS = {
    "# Oak #": [(1, "Oak", 0)],
    "###### six\n####### seven": [(6, "six", 0)],
    "#no\n  ## two ## \n    # code": [(2, "two", 1)],
    "# C# and #x#": [(1, "C# and #x#", 0)],
    "#\n# \t": [(1, "", 0), (1, "", 1)],
    "One\n===\ntwo\nlines\n---\n": [(1, "One", 0), (2, "two lines", 2)],
    "- item\n---\n": [],
    "> quote\n---\n> # no\n": [],
    "> quote\nlazy\n---": [],
    "- # no\n  # no\n": [],
    "***\n---\n===": [],
    "| a |\n---": [],
    "a | b\n--- | ---\n1 | 2": [],
    "<div>\n# no\n\n# yes\n</div>": [(1, "yes", 3)],
    "[r]: a.md\nSet\n===": [(1, "Set", 1)],
    "[r]: a.md\n===": [],
    "text\n    ---\nmore\n1984. A year\n# h": [(1, "h", 4)],
    "%%\n# no\n%%\n# yes": [(1, "yes", 3)],
    "# a\r\n\r\n# b\r# c": [(1, "a", 0), (1, "b", 2), (1, "c", 3)],
    "# a\u2028# b\f# c": [(1, "a # b # c", 0)],
    "<span>x</span>\n---": [(2, "<span>x</span>", 0)],
}


@pytest.mark.parametrize("text", HEADINGS, ids=repr)
def test_headings_have_level_text_and_line(text):
    assert parse(text).note.headings == tuple(Heading(*heading) for heading in HEADINGS[text])


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From YAML\n---\n# Heading", "From YAML"),
        ("---\ntitle:\n---\ntext\n## two\n# Heading\n# Other", "Heading"),
        ("---\ntitle: [a]\n---\n#\n", "v1..2"),
        ("Under\n===", "Under"),
        ("text", "v1..2"),
        ("", "v1..2"),
    ],
)
def test_the_title_is_from_the_front_matter_else_the_first_level_1_heading_else_the_file_name(text, title):
    assert parse(text, "a/v1..2.md").note.title == title


def test_lines_count_from_the_start_of_the_file_and_the_body_begins_after_the_front_matter():
    parsed = parse("---\nup: '[[x]]'\n---\n\n# Oak\r\n[[elm]]\r\n")
    assert (parsed.note.body_line, parsed.note.n_lines) == (3, 7)
    assert parsed.body == "\n# Oak\n[[elm]]\n"
    assert parsed.note.headings == (Heading(1, "Oak", 4),)
    assert parsed.note.links == (Link("x", 1, LinkKind.PROPERTY, name="up"), Link("elm", 5))
    assert parsed.note.properties == (("up", ("[[x]]",)),)


def test_tags_of_front_matter_and_text_are_one_list_without_duplicates():
    assert parse("---\ntags: [Oak, elm]\n---\n#oak #Fir #fir").note.tags == ("Oak", "elm", "Fir")


def test_invalid_front_matter_is_searched_as_text_and_has_a_notice():
    parsed = parse("---\ntags: [a\n---\ntext #b")
    assert parsed.body == "---\ntags: [a\n---\ntext #b"
    assert (parsed.note.body_line, parsed.note.tags, parsed.note.headings) == (0, ("b",), ())
    assert [(notice.code, notice.subject) for notice in parsed.notices] == [("front-matter-invalid", "folder/Note.md")]


def test_front_matter_is_found_after_a_byte_order_mark():
    assert parse("\ufeff---\ntitle: Oak\n---\n").note.title == "Oak"


NASTY = [
    "[" * 20_000,
    "[a](" * 20_000,
    "[a][" * 20_000 + "\n\n[x]: y",
    "![" * 10_000 + "[a](b)" * 10_000,
    "`" + "` ``" * 20_000,
    "<!-- " * 20_000,
    "<!--\n" * 20_000,
    "%%a\n\n" * 20_001,
    "$a " * 20_000,
    "$$\n\n" * 20_001,
    "<a " * 20_000,
    "<a b='" * 20_000,
    "[[a" * 20_000,
    "> " * 20_000,
    "- " * 20_000,
    "a,#b" * 20_000,
    "\n".join(" " * (n % 200) + "- x" for n in range(20_000)),
    "> a\n\n" * 20_000,
    "***\n* * *\n_ _\n" * 10_000,
    "-" * 100_000 + "x",
    "- - " * 20_000 + "x",
    "[a]: b\n" * 20_000,
    "[a]:" * 20_000,
    "---\n" + "a: &x [*x]\n" * 1000,
    "\t" * 50_000 + "x",
    "#" * 100_000,
    "%41" * 30_000,
    "[x](" + "(" * 30_000,
    "\\" * 100_001,
    '[x](a "' * 20_000,
    "[[a|b]] " * 60_000,
    "[[a|b]]\n" * 60_000,
    "![[a]]" * 60_000,
    "[a](b) " * 60_000,
    "[a](b)\n" * 60_000,
    "[k:: [[v]]] " * 20_000,
    "a:: [[x]]\n" * 20_000,
    "#a/b " * 60_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("text", NASTY, ids=lambda text: repr(text[:12]))
@pytest.mark.timeout(20)  # a parser that is not linear takes minutes
def test_parsing_takes_linear_time_for_any_text(text):
    parse(text)


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("ab #[]()`|>-*\n\t$%<!\\:~=_1.'\"/^&\r\0\ud800é中"), max_size=120))
def test_parsing_never_raises_and_lines_stay_within_the_text(text):
    parsed = parse(text)
    note = parsed.note
    assert all(0 <= heading.line < note.n_lines for heading in note.headings)
    assert all(0 <= link.line < note.n_lines for link in note.links)
    assert note.sections[-1].end_line == note.n_lines
    assert parsed.body.count("\n") + 1 == note.n_lines - note.body_line


@pytest.mark.parametrize("depth", [1, 16, 17, 18, 40])
def test_lists_can_be_nested_to_any_depth(depth):
    text = "\n".join("  " * level + "- x #tag" for level in range(depth))
    assert parse(text).note.tags == ("tag",)


def test_the_title_of_a_drawing_is_its_file_name_and_its_banner_is_not_searched():
    banner = "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠=="
    parsed = parse_note(
        NoteId("Dome wiring.excalidraw.md"), f"{banner}\n# Excalidraw Data\n## Text Elements\nlimit ^a1\n"
    )
    assert (parsed.note.title, "EXCALIDRAW" in parsed.body, "limit" in parsed.body) == (
        "Dome wiring.excalidraw",
        False,
        True,
    )
