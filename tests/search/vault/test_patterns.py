"""Patterns say which notes belong to the vault."""

import pytest

from search.ids import NoteId
from search.vault.note import Note
from search.vault.patterns import ObsidianIgnore, Patterns


@pytest.mark.parametrize(
    ("pattern", "path", "is_meant"),
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
def test_a_pattern_means_a_path(pattern, path, is_meant):
    assert Patterns.of([pattern]).matches_path(path) is is_meant


@pytest.mark.parametrize(("tag", "is_meant"), [("Work", True), ("work/now", True), ("workshop", False)])
def test_a_tag_means_itself_and_what_is_nested_below(tag, is_meant):
    assert Patterns.of(["#work"]).matches_note(Note(NoteId("a.md"), "a", tags=(tag,))) is is_meant


def test_blank_patterns_are_none():
    assert Patterns.of([" ", ""]).is_empty


def test_obsidians_filters_are_beginnings_of_paths_or_expressions():
    ignore = ObsidianIgnore(["Private/", "/^tmp.*\\.md$/", "/(/", " "])
    assert [ignore.matches_path(path) for path in ("private/a.md", "x/Private/a.md", "tmp1.md", "a.md")] == [
        True,
        False,
        True,
        False,
    ]
    assert ignore.unusable == ["/(/"]


@pytest.mark.timeout(20)  # what is not linear takes minutes
def test_an_expression_that_takes_for_ever_is_dropped_and_named():
    slow = "/(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a-z.]/"
    ignore = ObsidianIgnore([slow, "/^b/"])
    assert [ignore.matches_path("a" * 200 + ".md") for _ in range(50)] == [False] * 50
    assert ignore.unusable == [slow]
    assert ignore.matches_path("b.md")
