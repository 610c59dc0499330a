"""Parsing a query's text: its ranked terms, its filter, its notices."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from search.notice import NoticeKind
from search.query import (
    And,
    HasProperty,
    LinkedName,
    Not,
    Operator,
    Or,
    ParsedQuery,
    Phrase,
    PropertyIs,
    RankedTerm,
    Regex,
    Restricted,
    Word,
)
from search.syntax import MAX_CHARACTERS, MAX_DEPTH, MAX_PIECES, parse


def shown(parsed: ParsedQuery) -> list[str]:
    """The terms as the tables write them: a phrase in quotes, a prefix with a star."""
    return [f'"{term.text}"' if term.is_phrase else term.text + "*" * term.is_prefix for term in parsed.terms]


def words(*texts: str) -> tuple[Word, ...]:
    return tuple(map(Word, texts))


PLAIN = [  # text that only looks like syntax: query -> its terms; no filter, no notice
    ("router", ["router*"]),
    ("router ", ["router"]),
    ("pre-edit", ["pre-edit*"]),
    ("A-Company", ["A-Company*"]),
    ("C++", ["C++*"]),
    ("C#", ["C#*"]),
    ("R&D", ["R&D*"]),
    ("§ 12", ["§", "12*"]),
    ("3.1. Budget", ["3.1.", "Budget*"]),
    ("http://x.y/z", ["http://x.y/z*"]),
    ("10:30", ["10:30*"]),
    ("and/or", ["and/or*"]),
    ("w/ and w/o", ["w/", "and", "w/o*"]),
    ("either / or / both", ["either", "/", "or", "/", "both*"]),
    ("TODO: fix", ["TODO:", "fix*"]),
    ("BUG:x", ["BUG:x*"]),
    ("Note: this", ["Note:", "this*"]),
    ("localhost:8080/x", ["localhost:8080/x*"]),
    ("mailto:a@b.c", ["mailto:a@b.c*"]),
    ("std::vector", ["std::vector*"]),
    ("C:\\temp", ["C:\\temp*"]),
    (":smile:", [":smile:*"]),
    ("verylongwords:x", ["verylongwords:x*"]),
    ("a or b", ["a", "or", "b*"]),
    ("[[note]]", ["[[note]]*"]),
    ("[a](url)", ["[a](url)*"]),
    ("[ ]", ["[", "]*"]),
    ("[1]", ["[1]*"]),
    ("- [ ] task", ["-", "[", "]", "task*"]),
    ("- [x] task", ["-", "[x]", "task*"]),
    ("/path/to", ["/path/to*"]),
    ("-", ["-*"]),
    ("--", ["--*"]),
    ("--force", ["--force*"]),
    ("->", ["->*"]),
    ("f(x) g(y)", ["f(x)", "g(y)*"]),
    ("1) a", ["1)", "a*"]),
    (":) hi", [":)", "hi*"]),
    ('5" disk', ['5"', "disk*"]),
    ("don't", ["don't*"]),
    ("🎉 party", ["🎉", "party*"]),
    ("今日は構造化", ["今日は構造化*"]),
    ("知識（学）：編", ["知識（学）：編*"]),
    ("知識　学", ["知識", "学*"]),
]

BROKEN = [  # broken syntax: query -> terms, the spans that notices are about, part of the first message
    ("a AND", ["a", "AND*"], ["2:5"], "‘AND’ at column 3"),
    ("a NOT b", ["a", "NOT", "b*"], ["2:5"], "to exclude a word, put - in front of it"),
    ("a && b", ["a", "&&", "b*"], ["2:4"], "need no &&"),
    ("a || b", ["a", "||", "b*"], ["2:4"], "OR joins alternatives"),
    ("a AND b AND c", ["a", "AND", "b", "AND", "c*"], ["2:5"], "The same at column 9."),
    ("AND AND AND", ["AND", "AND", "AND*"], ["0:3"], "The same at columns 5 and 9."),
    ("AND " * 6 + "x", ["AND"] * 6 + ["x*"], ["0:3"], "The same at columns 5, 9, 13 and 2 more."),
    ("tga:x AND tga:y", ["tga:x", "AND", "tga:y*"], ["0:5", "6:9"], "‘tga:x’ at column 1 is read as a word"),
    ("OR", ["OR*"], ["0:2"], "‘OR’ at column 1 has nothing to join"),
    ("a OR OR b", ["a", "OR", "OR", "b*"], ["2:4"], "is read as a word. The same at column 6."),
    ("(", ["("], ["0:1"], "‘(’ at column 1 is never closed"),
    (")", [")*"], ["0:1"], "‘)’ at column 1 has no opening bracket"),
    ("f(x) g)", ["f(x)", "g)*"], ["5:7"], "‘g)’ at column 6 ends with a bracket that was never opened"),
    (")(", [")(*"], ["0:2"], "‘)(’ at column 1 has no opening bracket"),
    ("[", ["[*"], ["0:1"], "‘[’ at column 1 is never closed"),
    ("dome [[", ["dome", "[[*"], ["5:7"], "‘[[’ at column 6 is never closed"),
    ("[[dome", ["[[dome*"], ["0:6"], "is never closed"),
    ("[:a]", ["[:a]*"], ["0:4"], "has no property name"),
    ("()", ["()"], ["0:2"], "is empty"),
    ('"', ['"'], ["0:1"], "never closed"),
    ('"x', ["x*"], ["0:1"], "opens a phrase that is never closed"),
    ('see -"x y', ["see", "x", "y*"], ["4:6"], '‘-"’ at column 5'),
    ("“x", ["x*"], ["0:1"], "‘“’"),
    ("foo (bar", ["foo", "bar*"], ["4:5"], "‘(’ at column 5"),
    ("foo -tag:(bar", ["foo", "bar*"], ["4:10"], "‘-tag:(’ at column 5"),
    ("[a:(b]", ["b]*"], ["0:1"], "the text after it is still read. The same at column 4."),
    ("tag:", ["tag:*"], ["0:4"], "‘tag:’ at column 1 has nothing after it"),
    ("path: x", ["path:", "x*"], ["0:5"], "nothing after it"),
    ("tga:x", ["tga:x*"], ["0:5"], "did you mean tag:?"),
    ("tags:x", ["tags:x*"], ["0:6"], "did you mean tag:?"),
    ("Tag:x", ["Tag:x*"], ["0:5"], "did you mean tag:?"),
    ("Line:/x/", ["Line:/x/*"], ["0:8"], "did you mean line:?"),
    ("pah:x", ["pah:x*"], ["0:5"], "did you mean path:?"),
    ("TAG:2024", ["TAG:2024*"], ["0:8"], "did you mean tag:?"),
    ("Task-Todo:x", ["Task-Todo:x*"], ["0:11"], "did you mean task-todo:?"),
    ("heading:x", ["heading:x*"], ["0:9"], "did you mean section:? Allowed are file:, path:, folder:, tag:, line:"),
    ("title:x", ["title:x*"], ["0:7"], "did you mean file:?"),
    (
        "see foo:x",
        ["see", "foo:x*"],
        ["4:9"],
        "‘foo:x’ at column 5 is read as a word; foo: is not an operator; allowed are file:, path:",
    ),
    ("foo:(x)", ["foo:(x)*"], ["0:7"], "and [property:value]"),
    ("foo:bar*^~", ["foo:bar*^~*"], ["0:10"], "foo: is not an operator"),
    ("/[a/ b", ["/[a/", "b*"], ["0:4"], "unterminated character set"),
    (f"/{'(' * 900 + ')' * 900}/", [f"/{'(' * 900 + ')' * 900}/*"], ["0:1802"], "longer than 1000 characters"),
    (f"/{'(' * 499 + ')' * 499}/", [f"/{'(' * 499 + ')' * 499}/*"], ["0:1000"], "nested too deeply"),
]

VALID = [  # valid syntax: query -> terms, filter
    ("pre-edit -only", ["pre-edit"], Not(Word("only"))),
    ('"ten seconds" router', ['"ten seconds"', "router*"], Phrase("ten seconds")),
    (r'"say \"hi\"" x', ['"say "hi""', "x*"], Phrase('say "hi"')),
    ("“a b” c", ['"a b"', "c*"], Phrase("a b")),
    ('"" x', ["x*"], None),
    ('-"a b"', [], Not(Phrase("a b"))),
    ("-(a b) c", ["c*"], Not(And(words("a", "b")))),
    ("-tag:x c", ["c*"], Not(Restricted(Operator.TAG, Word("x")))),
    ("-[done] c", ["c*"], Not(HasProperty("done"))),
    ("-/x y/", [], Not(Regex("x y"))),
    ("-#a/b c", ["c*"], Not(Restricted(Operator.TAG, Word("#a/b")))),
    ("-(a #b) c", ["c*"], Not(And((Word("a"), Restricted(Operator.TAG, Word("#b")))))),
    ("-#12 c", ["c*"], Not(Word("#12"))),
    ("line:(a -#b)", ["a"], Restricted(Operator.LINE, And((Word("a"), Not(Word("#b")))))),
    ("-[[a b]] c", ["c*"], Not(LinkedName("a b"))),
    ("-[[a b #c|d]] c", ["c*"], Not(LinkedName("a b"))),
    ("-[[a]]s c", ["c*"], Not(Word("[[a]]s"))),
    ("a OR b", ["a", "b*"], Or(words("a", "b"))),
    ("a b OR c", ["a", "b", "c*"], Or((And(words("a", "b")), Word("c")))),
    ("a OR -b", ["a"], Or((Word("a"), Not(Word("b"))))),
    ("x (a OR b)", ["x", "a", "b"], Or(words("a", "b"))),
    ("(a)", ["a"], None),
    ("((a))", ["a"], None),
    ("(a () b)", ["a", "b"], None),
    ("(f(x) b)", ["f(x)", "b"], None),
    ('("x y" z)', ['"x y"', "z"], Phrase("x y")),
    ("/a\\/b/ c", ["c*"], Regex("a\\/b")),
    ("(/a b/)", [], Regex("a b")),
    ("tag:#a/b c", ["c*"], Restricted(Operator.TAG, Word("#a/b"))),
    ("folder:a/b c", ["c*"], Restricted(Operator.FOLDER, Word("a/b"))),
    ("path:/a/b", ["/a/b"], Restricted(Operator.PATH, Word("/a/b"))),
    ('file:"a b"', ['"a b"'], Restricted(Operator.FILE, Phrase("a b"))),
    ("file:/x/", [], Restricted(Operator.FILE, Regex("x"))),
    ("line:10:30", ["10:30"], Restricted(Operator.LINE, Word("10:30"))),
    ("line:(a -b)", ["a"], Restricted(Operator.LINE, And((Word("a"), Not(Word("b")))))),
    ('task-todo:""', [], Restricted(Operator.TASK_TODO, Phrase(""))),
    ("match-case:line:Foo", ["Foo"], Restricted(Operator.MATCH_CASE, Restricted(Operator.LINE, Word("Foo")))),
    (
        "section:a block:b",
        ["a", "b"],
        And((Restricted(Operator.SECTION, Word("a")), Restricted(Operator.BLOCK, Word("b")))),
    ),
    ("[status]", [], HasProperty("status")),
    ("[status:]", [], HasProperty("status")),
    ("[x]", [], HasProperty("x")),
    ("[status:null]", [], PropertyIs("status", Word("null"))),
    ("[status:draft OR done] x", ["x*"], PropertyIs("status", Or(words("draft", "done")))),
    ("[status:(draft OR done)]", [], PropertyIs("status", Or(words("draft", "done")))),
    ('["my key":"a b"]', [], PropertyIs("my key", Phrase("a b"))),
    ("[due date:/^2024/]", [], PropertyIs("due date", Regex("^2024"))),
    ("([状態:下書き])", [], PropertyIs("状態", Word("下書き"))),
    *[
        (f"{name}:x -y", [] if name in {"tag", "folder"} else ["x"], And((Restricted(name, Word("x")), Not(Word("y")))))
        for name in Operator
        if name is not Operator.TYPE
    ],
    ("-type:canvas x", ["x*"], Not(Restricted(Operator.TYPE, Word("canvas")))),
    ("type:md", [], Restricted(Operator.TYPE, Word("md"))),
    ("(type:csv)", [], Restricted(Operator.TYPE, Word("csv"))),
]


@pytest.mark.parametrize(("query", "terms"), PLAIN)
def test_text_that_only_looks_like_syntax_is_read_as_words_without_a_notice(query, terms):
    parsed = parse(query)
    assert (shown(parsed), parsed.filter, parsed.notices) == (terms, None, ())


@pytest.mark.parametrize(("query", "terms", "spans", "message"), BROKEN)
def test_broken_syntax_is_read_as_words_with_a_notice_that_shows_where(query, terms, spans, message):
    parsed = parse(query)
    assert (shown(parsed), parsed.filter) == (terms, None)
    assert [(notice.kind, notice.code, notice.subject) for notice in parsed.notices] == [
        (NoticeKind.CORRECTED, "query-syntax", span) for span in spans
    ]
    assert message in parsed.notices[0].message


@pytest.mark.parametrize(("query", "terms", "node"), VALID)
def test_valid_syntax_is_read_without_a_notice(query, terms, node):
    parsed = parse(query)
    assert (shown(parsed), parsed.filter) == (terms, node)
    assert [notice.message for notice in parsed.notices if "empty" not in notice.message] == []


def test_a_broken_bracket_does_not_change_the_rest_of_the_query():
    parsed = parse("tag:work (router")
    assert (shown(parsed), parsed.filter) == (["router*"], Restricted(Operator.TAG, Word("work")))


@pytest.mark.parametrize(
    ("query", "spans"),
    [
        ("[a:>]", ["3:4"]),
        ("[a:> 5]", ["3:4"]),
        ("[a:(<x OR >2024-01)]", ["4:6"]),
        ("[a:>-1.5]", []),
        ("[a:<2024-01-05]", []),
    ],
)
def test_a_comparison_without_a_number_or_date_gets_a_notice(query, spans):
    assert [notice.subject for notice in parse(query).notices] == spans


@pytest.mark.parametrize(
    ("query", "node"), [("-Tag:x", Not(Word("Tag:x"))), ("-foo:x", Not(Word("foo:x"))), ("-10:30", Not(Word("10:30")))]
)
def test_an_excluded_word_that_looks_like_an_operator_gets_a_notice_too(query, node):
    parsed = parse(query)
    assert parsed.filter == node
    assert [notice.subject for notice in parsed.notices] == ([] if "10" in query else [f"1:{len(query)}"])


@pytest.mark.parametrize(
    ("query", "terms", "span"),
    [("a\0b", ["a", "b*"], "1:2"), ("a\ud800b", ["a\ufffdb*"], "1:2"), ("ab \udfff", ["ab", "\ufffd*"], "3:4")],
)
def test_characters_that_are_not_text_are_ignored_with_a_notice(query, terms, span):
    parsed = parse(query)
    assert shown(parsed) == terms
    assert [(notice.code, notice.subject) for notice in parsed.notices] == [("query-characters", span)]


@pytest.mark.parametrize("query", ["", "  \n", "\0"])
def test_a_blank_query_has_no_terms_and_gets_a_notice(query):
    parsed = parse(query)
    assert (parsed.terms, parsed.filter, [notice.code for notice in parsed.notices]) == ((), None, ["empty-query"])


def test_too_many_words_are_cut_with_a_notice_and_no_prefix():
    parsed = parse(" ".join(f"w{n}" for n in range(100)))
    assert parsed.terms == tuple(RankedTerm(f"w{n}") for n in range(MAX_PIECES))
    assert [(notice.kind, notice.code) for notice in parsed.notices] == [(NoticeKind.TRUNCATED, "query-truncated")]


def test_a_bracket_still_open_where_a_query_is_cut_is_closed_there():
    parsed = parse("(" + '"a" OR ' * 99 + '"a")')
    assert isinstance(parsed.filter, Or)
    assert [notice.code for notice in parsed.notices] == ["query-truncated", "query-syntax"][: len(parsed.notices)]


SENTENCE = 'the (slow) router which we call "the box" OR modem is in need of a reset every single day'


def test_a_long_sentence_does_not_restrict_the_results_and_gets_a_notice():
    parsed = parse(SENTENCE)
    assert parsed.filter is None
    assert ("the box", True) in [(term.text, term.is_phrase) for term in parsed.terms]
    assert [(notice.code, notice.subject) for notice in parsed.notices] == [("query-prose", f"0:{len(SENTENCE)}")]


@pytest.mark.parametrize("operator", ["tag:net", "-modem", "/b.x/", "[status:draft]", "line:(a b)"])
def test_operators_restrict_the_results_even_in_a_sentence(operator):
    assert parse(f"{SENTENCE} {operator}").filter == parse(operator).filter


def test_a_phrase_in_a_short_query_restricts_the_results():
    assert parse('router "the box"').filter == Phrase("the box")
    assert parse("the words of a plain sentence that is quite long but holds no syntax at all").notices == ()


def test_brackets_nested_too_deeply_are_ignored_with_their_closing_brackets():
    parsed = parse("(" * 30 + "a" + ")" * 30 + " b")
    assert (shown(parsed), parsed.filter) == (["a", "b*"], None)
    assert len(parsed.notices) == 1
    assert f"more than {MAX_DEPTH} levels deep" in parsed.notices[0].message


HUGE = [
    "(",
    "-(",
    "a ",
    '"',
    "tag:",
    "/a ",
    "[a:",
    "[a ",
    "„",
    "-[[a",
    "-[[" + "a " * 5_000,
    '\\"',
    "(a",
    '"\\',
    "a",
    "[",
    "-",
    "OR ",
    "a(",
    ")",
    "match-case:(",
    "知",
]


@pytest.mark.parametrize("unit", HUGE)
@pytest.mark.timeout(20)  # a parser that is not linear takes minutes
def test_a_huge_query_is_cut_and_read_in_linear_time(unit):
    parsed = parse(unit * (100_000 // len(unit)))
    assert parsed.notices[0].code == "query-truncated"
    assert len(parsed.text) == MAX_CHARACTERS
    assert parsed.terms or parsed.filter is not None
    hash(parsed)
    repr(parsed)


TYPED = st.lists(
    st.sampled_from(
        [
            '"',
            "(",
            ")",
            "[",
            "]",
            "-",
            "/",
            ":",
            "tag:",
            "line:",
            "OR",
            " ",
            " ",
            "a",
            "b1",
            "“",
            "\\",
            "[a:",
            "null",
            "学",
        ]
    )
).map("".join)


@given(st.text() | TYPED)
@example("\ud83d")
def test_parsing_any_text_is_deterministic_and_never_raises(text):
    parsed = parse(text)
    assert parsed == parse(text)
    assert parsed.terms or parsed.filter is not None or parsed.notices
    assert parsed.text.encode().decode() == parsed.text
    assert all(term.text for term in parsed.terms)


@given(TYPED)
def test_the_subject_of_a_syntax_notice_is_a_span_of_the_query(text):
    parsed = parse(text)
    for notice in parsed.notices:
        if notice.code == "query-syntax":
            start, end = map(int, notice.subject.split(":"))
            assert 0 <= start < end <= len(parsed.text)
            assert f"‘{parsed.text[start:end]}"[:39] in notice.message


@given(st.lists(st.text("abcxyz0189é学", min_size=1), min_size=1, max_size=20))
def test_plain_words_are_ranked_and_never_required(texts):
    parsed = parse(" ".join(texts))
    assert ([term.text for term in parsed.terms], parsed.filter, parsed.notices) == (texts, None, ())


def test_the_notice_of_an_excluded_word_suggests_the_operator():
    (notice,) = parse("-Tag:x oak").notices
    assert (notice.subject, "did you mean tag:?" in notice.message) == ("1:6", True)


EXCLUSIONS = [  # query -> each exclusion that may be meant as text, with the word before a `-word`
    ("tar -xvf x.tgz", [("-xvf", "tar")]),
    ("tar -x -v", [("-x", "tar"), ("-v", "-x")]),
    ("-5 °C", [("-5", "")]),
    ("(frost -5)", [("-5", "(frost")]),
    ('a -"b c" -/d/ -(e f)', [('-"b c"', ""), ("-/d/", ""), ("-(e f)", "")]),
    ("a -(b)", [("-(b)", "")]),
    ("a -(b -c)", [("-(b -c)", "")]),
    ("a line:(b -c)", [("-c", "line:(b")]),
    ("a -#b -tag:c -[d] -[e:f] -[[g]] --h ->", []),
    ("a -(b", []),
]


@pytest.mark.parametrize(("query", "exclusions"), EXCLUSIONS)
def test_exclusions_are_listed_with_the_word_before_them(query, exclusions):
    parsed = parse(query)
    assert [(parsed.text[one.start : one.end], one.before) for one in parsed.exclusions] == exclusions


def test_a_dash_that_is_text_excludes_nothing():
    parsed = parse("tar -x -v", text_dashes=frozenset({4}))
    assert (shown(parsed), parsed.filter) == (["tar", "-x"], Not(Word("v")))
    assert [one.start for one in parsed.exclusions] == [7]


def test_brackets_of_words_in_a_sentence_do_not_restrict_the_results():
    assert parse(f"{SENTENCE} (or two OR three)").filter is None
    assert parse(f"{SENTENCE} (or -two)").filter == parse("(or -two)").filter


@pytest.mark.parametrize("pattern", ["a{99999999}", "(?:(?:a{999}){999}){999}", "(?x)a{9999 9999}"])
def test_a_pattern_that_repeats_too_much_for_the_memory_is_read_as_a_word(pattern, monkeypatch):
    monkeypatch.setattr("regex.compile", lambda *_: pytest.fail("compiled"))
    (notice,) = parse(f"/{pattern}/").notices[:1]
    assert notice.code == "query-syntax"
    assert "repeats its parts too often" in notice.message
