"""Links to headings, as Obsidian, GitHub, VS Code, Pandoc and others write them, lead to the heading that they mean."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.graph.heading_text import folded, matched, plain
from search.graph.headings import Headings
from search.graph.slugs import counted, github, kramdown, mkdocs, numbered, pandoc, vscode
from search.vault.note import Heading


def headings(text: str) -> list[Heading]:
    """One heading a line, with its hashes; without hashes at level 2."""
    rows = [row for row in text.split("\n") if row]
    return [
        Heading(len(row) - len(row.lstrip("#")) or 2, row.lstrip("#").strip(), line) for line, row in enumerate(rows)
    ]


def leads_to(text: str, link: str) -> int | None:
    found = Headings(headings(text)).find(link)
    return None if found is None else found.line


# The heading, then what follows `#` in a link: as Obsidian, GitHub and VS Code, and Pandoc write it.
WRITTEN = [
    ("Hello, World!", "Hello, World!", "hello-world", "hello-world"),
    ("Minecraft: The Game", "Minecraft The Game", "minecraft-the-game", "minecraft-the-game"),
    ("2.4 Setup", "2.4 Setup", "24-setup", "setup"),
    ("2.4 Setup", "2 4 Setup", "24-setup", "setup"),
    ("TCP/IP", "TCP/IP", "tcpip", "tcpip"),
    ("TCP/IP", "TCP IP", "tcpip", "tcpip"),
    ("C#", "C", "c", "c"),
    ("C#", "C#", "c", "c"),
    ("C++ and F#", "C++ and F", "c-and-f", "c-and-f"),
    ("A & B", "A & B", "a--b", "a-b"),
    ("🚀 Launch", "🚀 Launch", "-launch", "launch"),
    ("❤\ufe0f Health", "❤ Health", "\ufe0f-health", "health"),
    ("**Bold** and `code`", "**Bold** and `code`", "bold-and-code", "bold-and-code"),
    ("`snake_case` and _soft_", "snake_case and _soft_", "snake_case-and-soft", "snake_case-and-soft"),
    ("__init__", "__init__", "init", "init"),
    ("`__init__`", "`__init__`", "__init__", "init__"),
    ("==Mark== ~~old~~ $x^2$", "==Mark== ~~old~~ $x 2$", "mark-old-x2", "mark-old-x2"),
    ("See [[Note|alias]]", "See Note alias", "see-notealias", "see-notealias"),
    ("See [[Note#Part]]", "See Note Part", "see-notepart", "see-notepart"),
    ("See [text](http://a.b/c_d)", "See [text](http //a.b/c_d)", "see-text", "see-text"),
    ("![alt](p.png) Photo", "![alt](p.png) Photo", "-photo", "alt-photo"),
    ("[![alt](p.png)](q.md) Badge", "[![alt](p.png)](q.md) Badge", "-badge", "alt-badge"),
    ("I use #tag", "I use tag", "i-use-tag", "i-use-tag"),
    ("Done %%later%%", "Done later", "done-later", "done-later"),
    ("Shown <!-- hidden -->", "Shown <!-- hidden -->", "shown-", "shown"),
    ("<b>Fat</b> text", "<b>Fat</b> text", "fat-text", "fat-text"),
    ("Q&amp;A", "Q&amp;A", "qa", "qa"),
    ("With note[^1]", "With note[ 1]", "with-note1", "with-note"),
    ("Über uns", "Über uns", "über-uns", "über-uns"),
    ("Überblick: Ziele", normalize("NFD", "Überblick Ziele"), "überblick-ziele", normalize("NFD", "überblick-ziele")),
    ("日本語 見出し", "日本語 見出し", "日本語-見出し", "日本語-見出し"),
    ("Дом: план №2", "Дом план №2", "дом-план-2", "дом-план-2"),
    ("हिन्दी शीर्षक", "हिन्दी शीर्षक", "हिन्दी-शीर्षक", "हिन्दी-शीर्षक"),
    ("x.y v1.2", "x.y v1.2", "xy-v12", "x.y-v1.2"),
    ("1984", "1984", "1984", "section"),
    ("What's new?", "What's new?", "whats-new", "whats-new"),
    ("Don’t panic", "Don't panic", "dont-panic", "dont-panic"),
    ("Don't panic", "Don’t panic", "dont-panic", "dont-panic"),
    ("2019 – 2021", "2019 - 2021", "2019--2021", "section"),
    ("Step ^step", "Step", "step-step", "step-step"),
    ("Named {#my-id .x}", "Named", "my-id", "my-id"),
    ("100 %", "100%25", "100-", "section"),
]


@pytest.mark.parametrize(("heading", "obsidian", "slug", "identifier"), WRITTEN)
def test_a_heading_is_found_as_each_program_writes_it(heading, obsidian, slug, identifier):
    text = f"# First\n{heading}\nLast"
    for link in (heading, heading.upper(), obsidian, obsidian.lower(), slug, slug.upper(), identifier):
        assert leads_to(text, link) == 1, link


@pytest.mark.parametrize(
    ("text", "link", "line"),
    [
        # repeated headings
        ("Daily Note\nOther\nDaily Note", "Daily Note", 0),
        ("Daily Note\nOther\nDaily Note", "daily-note", 0),
        ("Daily Note\nOther\nDaily Note", "daily-note-1", 2),
        ("Daily Note\nOther\nDaily Note", "daily-note-2", None),
        ("Daily Note\nOther\nDaily Note", "daily-note_1", 2),
        ("Foo\nFoo\nFoo 1\nFoo", "foo-1", 1),
        ("Foo\nFoo\nFoo 1\nFoo", "foo-1-1", 2),
        ("Foo\nFoo\nFoo 1\nFoo", "foo-2", 3),
        ("**A**\n*A*", "a-1", 1),
        ("Foo: x\nfoo x", "Foo: x", 0),
        ("Foo: x\nfoo x", "foo x", 1),
        # exact, then Obsidian's form, then slugs, then loose
        ("Foo\nFoo\nfoo-1", "foo-1", 2),
        ("A B\nA-B", "a-b", 1),
        ("A & B\nA B", "a-b", 1),
        ("Don’t\nDont", "dont", 1),
        ("C\nC#", "C#", 1),
        ("C\nC#", "C", 0),
        ("Own {#foo}\nFoo", "foo", 1),
        ("Own {#bar}\n*Bar* a\nBar-", "bar", 0),
        # paths
        ("# A\n## Notes\n# B\n## Notes", "B#Notes", 3),
        ("# A\n## Notes\n# B\n## Notes", "a#notes", 1),
        ("# A\n## Notes\n# B\n## Notes", "Notes", 1),
        ("# A\n## Notes\n# B\n## Notes", "Notes#B", None),
        ("# A\n## Notes\n# B", "B#Notes", None),
        ("# A\n## X\n# A\n## Notes", "A#Notes", 3),
        ("# A\n## B\n### C\n#### D", "A#B#C#D", 3),
        ("# A\n## B\n### C\n#### D", "A#D", 3),
        ("# A\n## B\n### C\n#### D", "B##D#", 3),
        ("# A\n## B\n### C\n#### D", "A#C#B", None),
        ("# A\n###### F", "A#F", 1),
        ("# A: x\n## TCP/IP", "A x#TCP IP", 1),
        ("# Don’t\n## **Go**", "Don't#Go", 1),
        ("# A\n## A", "A#A", 1),
        ("# A\n## A", "A#A#A", None),
        ("# A\n## B\n# A B", "A#B", 1),
        ("# A\n# A B", "A#B", 1),
        ("# A", "A#A#A#A#A#A#A#A", None),
        # percent escapes, also where a wiki link has them, and broken ones
        ("Some Heading", "Some%20Heading", 0),
        ("Café", "caf%C3%A9", 0),
        ("100 %zz off", "100 %zz off", 0),
        ("50%20", "50%20", 0),
        # nothing
        ("A", "", None),
        ("A", "  # ", None),
        ("A", "B", None),
        ("Foo Bar", "Foobar", None),
        ("A\n\u200b", "\u200b", None),
        ("", "A", None),
        ("???\n!!!", "!!!", 1),
        ("A\n:;\n!!!", ";", 1),
        ("x" * 2000, "x" * 2000, 0),
    ],
)
def test_the_best_comparison_decides_and_of_equal_headings_the_first(text, link, line):
    assert leads_to(text, link) == line


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("A -- B", "a-b"),  # GitLab collapses hyphens
        ("2.4 Setup", "setup"),
        ("Über uns", "uber-uns"),  # MkDocs
        ("Über uns", "ber-uns"),  # kramdown
        ("💡 Idea", "idea"),
        ("A_b c", "ab-c"),
    ],
)
def test_slugs_of_other_programs_are_found(text, link):
    assert leads_to(text, link) == 0


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("`a_b` _c_ d_e _f", "a_b c d_e f"),
        ("``x ` y`` z` ", "x ` y z` "),
        ("` <!-- ` -->", "` "),
        ("a <!-- b --> c <!-- d", "a  c <!-- d"),
        ("\\*x\\* \\a <i>t</i> <http://x.y>", "*x* \\a t http://x.y"),
        ("[_x_](u) [y][r] [^1] [ ] [z]", "x y [^1] [ ] [z]"),
        ("[![a](p) ![b](q)](u)", "a b"),
        ("&lt;b&gt; `&amp;`", "<b> &amp;"),
    ],
)
def test_the_plain_text_is_what_a_reader_sees(heading, shown):
    assert plain(heading) == shown


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["<!--", "`", "` ``", "[", "![a](", "[a](", "%%", "[[a", "_", "a_", "<a ", "{#", "&", "\\", " ^", "(("]
)
def test_headings_of_signs_that_never_close_take_linear_time(unit):
    """A search of the rest of the heading for each sign would take a billion steps, and this test would time out."""
    long = unit * (80_000 // len(unit))
    known = Headings(headings(f"{long}\nOther"))
    assert known.find("none") is None
    known.find(f"{long}#{long}")
    assert known.find(long) is not None


def test_many_equal_headings_and_many_links_take_linear_time():
    known = Headings([Heading(1 + at % 6, "Same: name", at) for at in range(1000)])
    for at in range(1, 1000):
        found = known.find(f"same-name-{at}")
        assert found is not None
        assert found.line == at
        assert known.find(f"Same name#none#{at}") is None


OBSIDIAN_REPLACES = ("%%", "[[", "]]", ":", "#", "|", "^", "\\")


def obsidian(text: str) -> str:
    """What Obsidian writes after `#`."""
    for sign in OBSIDIAN_REPLACES:
        text = text.replace(sign, " ")
    return " ".join(text.split())


ODD = st.text(
    st.one_of(
        st.sampled_from("aB1 #[]|^\\:%`*_~=$!()<>-.&/'’–\u00a0\u200d🚀éß日Я{}"),
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="ıİ"),
    ),
    min_size=1,
    max_size=14,
).map(lambda text: " ".join(text.split()))
TEXTS = st.lists(st.one_of(ODD, st.sampled_from(["Foo", "foo", "Foo 1", "foo-1", "A & B", "a b"])), max_size=6)
LEVELS = st.lists(st.integers(1, 6), min_size=6, max_size=6)


def notes_headings(texts: list[str], levels: list[int]) -> list[Heading]:
    return [Heading(level, text, at) for at, (text, level) in enumerate(zip(texts, levels, strict=False))]


@pytest.mark.parametrize(
    "write", [obsidian, github, vscode, pandoc, mkdocs, kramdown], ids=lambda write: write.__name__
)
@given(text=ODD)
def test_the_link_that_a_program_writes_for_a_heading_leads_to_it(write, text):
    link = write(text)
    if link.strip("- ") and folded(text):
        found = Headings([Heading(1, text, 0)]).find(link)
        assert found is not None, link


@given(TEXTS)
def test_repeated_slugs_of_a_program_lead_to_their_heading_unless_another_is_written_so(texts):
    known = Headings(notes_headings(texts, [1] * 6))
    for link, at in zip(numbered(map(github, texts)), range(6), strict=False):
        found = known.find(link)
        if link and found is not None and found.line != at:
            assert matched(link) in {matched(found.text), matched(github(found.text))}


@given(TEXTS, LEVELS, st.text(max_size=12))
def test_any_link_is_looked_up_without_an_error_and_by_the_same_rules_in_any_case(texts, levels, link):
    known = Headings(notes_headings(texts, levels))
    known.find(link)
    for text in texts:
        found = known.find(text)
        if found is not None:
            assert known.find(text.upper()) == found
            assert known.find(normalize("NFD", text)) == found


@given(TEXTS, LEVELS)
def test_a_heading_as_written_is_found_and_the_first_of_equal_ones(texts, levels):
    known = Headings(notes_headings(texts, levels))
    for text in texts:
        found = known.find(text)
        assert found is None or found.line <= texts.index(text)


@given(TEXTS)
def test_numbers_of_repeated_slugs_are_unique_and_those_of_vs_code_count_equal_headings(texts):
    slugs = [github(text) for text in texts]
    assert len(set(numbered(slugs))) == len(slugs)
    assert list(counted(slugs)) == [
        slug if not (n := slugs[:at].count(slug)) else f"{slug}-{n}" for at, slug in enumerate(slugs)
    ]
