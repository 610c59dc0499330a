"""Patterns that include and exclude notes."""

import pytest

from search.ids import NoteId
from search.vault.note import Note
from search.vault.patterns import ObsidianIgnore, Patterns


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("notes", "notes/a.md", True),
        ("notes", "x/notes/a.md", True),
        ("notes", "notes.md", True),
        ("copilot", "mycopilot/a.md", False),
        ("copilot", "copilot2/a.md", False),
        ("Copilot", "copilot/a.md", True),
        ("notes/private", "notes/private/a.md", True),
        ("notes/private", "x/notes/private/a.md", False),
        ("/notes", "x/notes/a.md", False),
        ("/a.md", "a.md", True),
        ("notes/", "notes/a.md", True),
        ("notes/", "notes.md", False),
        ("*.excalidraw.md", "d/x.excalidraw.md", True),
        ("*.excalidraw.md", "d/x.md", False),
        ("a/*.md", "a/b/c.md", False),
        ("a/**/c.md", "a/b/b/c.md", True),
        ("a/**/c.md", "a/c.md", True),
        ("a?.md", "ab.md", True),
        ("a**", "ab/c.md", True),
        ("[[Oak]]", "x/oak.md", True),
        ("[[Oak.md]]", "Oak.MARKDOWN", True),
        ("[[Oak]]", "old oak.md", False),
        ("[[x/Oak]]", "x/oak.md", True),
        ("Phénomène", "Phe\u0301nome\u0300ne.md", True),
        ("(x", "(x.md", True),
        ("#tag", "tag/a.md", False),
    ],
)
def test_a_pattern_matches_paths(pattern, path, is_match):
    assert Patterns.of([pattern]).matches_path(path) is is_match


@pytest.mark.parametrize(("tag", "is_match"), [("Work", True), ("work/now", True), ("workshop", False)])
def test_a_tag_pattern_matches_the_tag_and_tags_nested_below_it(tag, is_match):
    assert Patterns.of(["#work"]).matches_note(Note(NoteId("a.md"), "a", tags=(tag,))) is is_match


def test_blank_patterns_are_ignored():
    assert Patterns.of([" ", ""]).is_empty


def test_obsidians_filters_are_path_prefixes_or_regular_expressions():
    ignore = ObsidianIgnore(["Private/", "/^tmp.*\\.md$/", "/(/", " "])
    assert [ignore.matches_path(path) for path in ("private/a.md", "x/Private/a.md", "tmp1.md", "a.md")] == [
        True,
        False,
        True,
        False,
    ]
    assert ignore.unusable == ["/(/"]


@pytest.mark.timeout(20)  # without its time limit, the expression takes minutes
def test_a_regular_expression_that_takes_too_long_is_reported_and_no_longer_applied():
    slow = "/(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a-z.]/"
    ignore = ObsidianIgnore([slow, "/^b/"])
    assert [ignore.matches_path("a" * 200 + ".md") for _ in range(50)] == [False] * 50
    assert ignore.unusable == [slow]
    assert ignore.matches_path("b.md")
