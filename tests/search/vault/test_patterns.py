"""Patterns that include and exclude notes."""

import pytest

from search.ids import NoteId
from search.vault.note import Note
from search.vault.patterns import MAX_FILTERS, MAX_REGEX, MAX_REGEXES, ObsidianIgnore, Patterns


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


@pytest.mark.parametrize(
    "pattern",
    [
        "/a{99999999}/",
        "/(?:(?:a{999}){999}){999}/",
        "/(?x)a{9999 9999}/",
        "/(?x)a{ 9999#}\n9999}/",
        f"/{'a|' * MAX_REGEX}/",
    ],
)
def test_a_regular_expression_that_would_take_much_memory_or_time_is_not_compiled(pattern, monkeypatch):
    monkeypatch.setattr("regex.compile", lambda _: pytest.fail("compiled"))
    assert ObsidianIgnore([pattern]).unusable == [pattern[:MAX_REGEX]]


def test_counts_that_people_write_are_used():
    ignore = ObsidianIgnore([r"/^\d{4}-\d{2}-\d{2}T\d{1,99999}/", r"/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/"])
    assert ignore.unusable == []
    assert ignore.matches_path("2024-01-02T1.md")


def test_only_so_many_filters_are_applied():
    of_paths = ObsidianIgnore([f"folder {at}/" for at in range(2 * MAX_FILTERS)])
    assert of_paths.matches_path(f"folder {MAX_FILTERS - 1}/a.md")
    assert not of_paths.matches_path(f"folder {MAX_FILTERS}/a.md")
    of_regexes = ObsidianIgnore([f"/^{at}$/" for at in range(2 * MAX_REGEXES)])
    assert of_regexes.matches_path(f"{MAX_REGEXES - 1}")
    assert not of_regexes.matches_path(f"{MAX_REGEXES}")
    assert len(ObsidianIgnore(["/(/"] * MAX_FILTERS).unusable) == MAX_REGEXES


def test_all_regular_expressions_of_a_sweep_have_a_time_together(monkeypatch):
    ignore = ObsidianIgnore(["/^a/"])
    times = iter(range(0, 100, 2))
    monkeypatch.setattr("time.thread_time", lambda: next(times))
    assert ignore.matches_path("a.md")
    ignore.begin_sweep()
    assert [ignore.matches_path("a.md") for _ in range(3)] == [True, False, False]
    assert ignore.unusable == ["/^a/"]
