"""Excerpts show the right lines and highlight exactly what matched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.result import FoundSection
from search.matching.terms import query_terms
from search.query import RankedTerm
from search.snippets.excerpts import MAX_CHARS, beginning, excerpts, lines_of, opening, sections_of
from search.snippets.spots import highlight_terms
from search.vault.note import Heading, Note


def marked(snippet):
    """An excerpt as 'line:text' with its highlights in brackets."""
    text, highlights = snippet.shown
    shown, at = "", 0
    for start, end in highlights:
        shown += text[at:start] + "[" + text[start:end] + "]"
        at = end
    return f"{snippet.line}:{shown}{text[at:]}"


def find(query, text, *, n_snippets=3, is_prefix=False, phrases=(), body_line=0, title="note", idf=None):
    """The excerpts of a text for the words of `query`."""
    note = Note("note.md", title, body_line=body_line)
    terms = query_terms([RankedTerm(query, is_prefix=is_prefix)])
    wanted = highlight_terms([(term, (idf or {}).get(term.text, 1.0)) for term in terms], phrases)
    return excerpts(note, lines_of(text), wanted, n_snippets=n_snippets)


def show(query, text, **options):
    """The same as text, with line numbers and highlights."""
    return [marked(snippet) for snippet in find(query, text, **options)]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("router", "Hold the Router button", ["0:Hold the [Router] button"]),
        ("strasse", "die lange Straße", ["0:die lange [Straße]"]),
        ("知識", "今日は構造化知識を学ぶ", ["0:今日は構造化[知識]を学ぶ"]),
        ("化知", "今日は構造化知識を学ぶ", ["0:今日は構造[化知]識を学ぶ"]),
        ("構造化知", "今日は構造化知識を学ぶ", ["0:今日は[構造化知]識を学ぶ"]),
        ("学", "今日は学ぶ", ["0:今日は[学]ぶ"]),
        ("phenomene", "un Phe\u0301nome\u0300ne", ["0:un [Phe\u0301nome\u0300ne]"]),
        ("c++", "C++ and C", ["0:[C++] and C"]),
        ("max_retry_count", "set max_retry_count = 3", ["0:set [max_retry_count] = 3"]),
        (
            "oak",
            "soaked wood, an oak",
            ["0:soaked wood, an [oak]"],
        ),  # next to a whole word, parts of words do not count
        ("oak", "soaked wood", ["0:s[oak]ed wood"]),
        ("how reset the", "the reset button", ["0:the [reset] button"]),  # stop words are not highlighted
        ("absent", "first words", []),
        ("oak", "", []),
        ("oak", "---\n***\n", []),
    ],
)
def test_excerpts_show_exactly_what_matched(query, text, expected):
    assert show(query, text) == expected


def test_the_line_with_most_of_the_query_comes_first():
    assert show("reset router", "the router\nreset the router\nreset") == [
        "1:[reset] the [router]",
        "0:the [router]",
        "2:[reset]",
    ]


def test_an_unfinished_word_is_highlighted_as_far_as_it_is_typed():
    assert show("rou", "the router", is_prefix=True) == ["0:the [rou]ter"]


def test_a_phrase_weighs_more_than_its_words():
    assert show("red oak", "oak red oak oak\nred and oak", phrases=("red oak",), n_snippets=1) == [
        "0:[oak] [red oak] [oak]"
    ]


@pytest.mark.parametrize(
    ("front_matter", "body", "expected"),
    [
        ("status: oak", "the oak", ["3:the [oak]"]),
        ("status: oak", "", ["1:[oak]"]),
        ('status: "an oak"', "", ["1:an [oak]"]),
        ("- oak", "", ["1:[oak]"]),
        ("by: [oak, elm]", "", ["1:[oak], elm"]),
        ('by: "[[oak]]"', "", ["1:[[[oak]]]"]),
        ("by: [[oak]]", "", ["1:[[[oak]]]"]),
        ("by: 'oak", "", ["1:[oak]"]),
        ("oak: yes", "", []),  # the name of a property is not shown
        ("title: oak", "", []),  # shown anyway
        ("tags: [oak, elm]", "", []),
        ("Aliases: oak", "", []),
        ("id: x1Oak7", "", []),  # a match inside an id says nothing
    ],
)
def test_only_values_of_front_matter_are_shown_and_only_if_nothing_else_matches(front_matter, body, expected):
    assert show("oak", f"---\n{front_matter}\n---\n{body}", body_line=3) == expected


def test_lines_are_counted_as_editors_count_them():
    assert show("oak", "a\u2028b\r\nc\rthe oak") == ["2:the [oak]"]


def test_markup_at_the_beginning_is_cut_and_the_column_still_fits():
    (snippet,) = find("oak", "## - [ ] the oak")
    assert "## - [ ] the oak"[snippet.start_char :] == snippet.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> [!tip] the oak", "0:the [oak]"),
        ("> - [x] the oak", "0:the [oak]"),
        ("the oak ^a1b2", "0:the [oak]"),
        ("the oak\\", "0:the [oak]"),
        ("the oak  ", "0:the [oak]"),
        ("```oak", "0:[oak]"),
        ("<!-- the oak -->", "0:the [oak]"),
        ("%% the oak %%", "0:the [oak]"),
        ("- ^oak-1", "0:^[oak]-1"),
    ],
)
def test_an_excerpt_has_no_markup_at_its_ends_unless_it_matches(text, expected):
    assert show("oak", text) == [expected]


@pytest.mark.parametrize(
    "markup",
    [
        "```oak",
        "[oak]: https://oak.org 'Oak'",
        "<!-- oak -->",
        "%% oak %%",
        "![oak](oak.png)",
        "![[oak.png]]",
        "- [The oak](#the-oak)",
        '<img alt="oak">',
        "# Oak!",
        "see [this](https://oak.org/oak)",
    ],
)
def test_text_is_preferred_to_markup_and_a_repeated_title(markup):
    assert show("oak", f"{markup}\n\n\nan oak", n_snippets=1, title="Oak!") == ["3:an [oak]"]


def test_a_repeated_title_is_shown_if_nothing_else_matches():
    assert show("oak", "# Oak\n\nelm", title="Oak") == ["0:[Oak]"]
    assert show("oak", "# Oak\n\nan oak", title="Oak") == ["2:an [oak]"]


def test_text_generated_by_the_excalidraw_plugin_is_never_an_excerpt():
    banner = "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠== You can decompress"
    text = f"{banner}\n\n# Excalidraw Data\n\n## Text Elements\nthe menu ^a1\n"
    assert show("menu document", text) == ["5:the [menu]"]
    assert show("document", text) == []
    assert [marked(snippet) for snippet in beginning(Note("d.md", "d"), lines_of(text))] == ["5:the menu"]


def test_the_same_text_is_shown_once():
    assert show("oak", "an oak\n- an oak\nold oak") == ["0:an [oak]", "2:old [oak]"]


@given(
    st.text(alphabet="oak elmßéé知識 \n\r#>-", max_size=400),
    st.sampled_from(["oak", "知", "elm oak", "ss", "é"]),
    st.integers(1, 3),
)
def test_every_excerpt_is_a_part_of_its_line(text, query, n_snippets):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    wanted = highlight_terms([(term, 1.0) for term in query_terms([RankedTerm(query)])])
    found = excerpts(Note("n.md", "n"), lines_of(text), wanted, n_snippets=n_snippets)
    assert len(found) <= n_snippets
    for snippet in found:
        assert lines[snippet.line][snippet.start_char :].startswith(snippet.text)
        assert len(snippet.text) <= MAX_CHARS
        shown, highlights = snippet.shown
        assert [shown[a:b] for a, b in highlights] == [snippet.text[a:b] for a, b in snippet.highlights]
        ends = [at for highlight in snippet.highlights for at in highlight]
        assert ends == sorted(ends)
        assert all(0 <= at <= len(snippet.text) for at in ends)


def test_a_long_line_is_cut_around_the_match():
    line = "word " * 200 + "oak" + " word" * 200
    (shown,) = show("oak", line)
    assert shown.startswith("0:… word")
    assert shown.endswith("word …")
    assert "[oak]" in shown
    assert len(shown) < MAX_CHARS + 14


_FILLER = "lorem ipsum " * 20


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        # far apart and then close together, in one line
        ("oak elm", f"oak {_FILLER}elm {_FILLER}the oak and elm {_FILLER}", "the [oak] and [elm]"),
        # two rare ones against three common ones
        ("oak elm the an of", "the an of the an of\n\n\noak elm", "[oak] [elm]"),
        # a match in the next line helps, as in a text with hard line breaks
        ("oak elm", "the oak\nand beech\n\nthe old oak\nand an elm", "the old [oak]"),
        # whole words before letters inside longer ones
        ("oak", "soaked\nan oak", "an [oak]"),
        ("oak", "a croak\n\noaken\n\nan oak", "an [oak]"),
    ],
)
def test_the_excerpt_shows_most_rare_words_closest_together(query, text, expected):
    rare = {"oak": 5.0, "elm": 5.0}
    assert expected in show(query, text, n_snippets=1, idf=rare)[0]


def test_the_second_excerpt_shows_what_the_first_does_not():
    assert show("oak elm ash", "oak elm\nelm and oak\n\n\nash", n_snippets=2) == ["0:[oak] [elm]", "4:[ash]"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the oak", (False, False)),
        (f"the oak {_FILLER}", (False, True)),
        (f"{_FILLER}the oak", (True, False)),
        (f"{_FILLER}the oak {_FILLER}", (True, True)),
        (f"> - [ ] the oak {_FILLER}", (False, True)),  # only markup is left out before it
        (f"{_FILLER}the oak ^a1", (True, False)),
        ("知" * 300 + "oak" + "知" * 300, (True, True)),
    ],
)
def test_an_excerpt_says_at_which_end_its_line_was_cut(text, expected):
    (snippet,) = find("oak", text)
    assert (snippet.is_cut_before, snippet.is_cut_after) == expected
    assert (snippet.shown[0][0] == "…", snippet.shown[0][-1] == "…") == expected


def test_a_cut_is_never_inside_a_link_or_a_letter():
    link = "[[a note with a rather long name]]"
    (snippet,) = find("oak", f"{_FILLER}{link} the oak {'x ' * 50}{link} {_FILLER}")
    assert snippet.text.startswith("[[a note")
    assert snippet.text.count("[[") == snippet.text.count("]]")
    far = "[[" + "a rather long name " * 6 + "]]"
    (snippet,) = find("oak", f"{_FILLER}{far} the oak {far} {_FILLER}")
    assert snippet.text.startswith("the oak [[a rather")
    assert snippet.text.count("[[") == snippet.text.count("]]")
    (snippet,) = find("oak", f"x [[{'y' * 30}]] {'z ' * 60}an oak {'z ' * 9}")
    assert "oak" in snippet.text
    (snippet,) = find("oak", f"| {'x' * 99} | {' ' * 40} | the oak | {' ' * 99} | {'x' * 99} |")
    assert snippet.text == "the oak"
    (snippet,) = find("oak", "oak" + "e\u0301" * 200)
    assert snippet.text.endswith("\u0301")


def test_a_note_without_matches_begins_with_its_first_words():
    note = Note("n.md", "Garden", body_line=1)
    begins = [marked(snippet) for snippet in beginning(note, lines_of("---\n# Garden\n\n```\n- first words\nmore"))]
    assert begins == ["4:first words"]
    assert [marked(snippet) for snippet in beginning(note, lines_of("---\n# Garden\n"))] == ["1:Garden"]
    assert beginning(note, lines_of("---\n***")) == ()


def test_the_opening_of_a_passage_is_below_its_heading():
    lines = lines_of(f"# Garden\n\n{_FILLER}\nmore")
    (snippet,) = opening(lines, 0, 3)
    assert (snippet.line, snippet.is_cut_after) == (2, True)
    assert len(snippet.text) <= MAX_CHARS
    assert [marked(snippet) for snippet in opening(lines, 0, 1)] == ["0:Garden"]
    assert opening(lines, 1, 2) == ()


def test_a_match_longer_than_an_excerpt_is_cut():
    (snippet,) = excerpts(Note("n.md", "n"), ["知" * 500], highlight_terms([], ("知" * 400,)), n_snippets=1)
    assert snippet.highlights == ((0, MAX_CHARS),)


def test_the_section_of_each_excerpt_is_listed_once():
    headings = (Heading(1, "Garden", 0), Heading(2, "Trees", 2))
    text = "# Garden\nan oak\n## Trees\noak\nmy oak"
    note = Note("n.md", "n", headings=headings, n_lines=5)
    found = excerpts(note, lines_of(text), highlight_terms([(query_terms([RankedTerm("oak")])[0], 1.0)]), n_snippets=3)
    assert sections_of(note, found) == (FoundSection(("Garden",), 0), FoundSection(("Garden", "Trees"), 2))
    assert sections_of(Note("n.md", "n"), found) == ()
