"""Tags, properties, operators and settings, row by row as in Obsidian 1.9 and later, and where we differ on purpose.

Each row is a note, a query and whether the query finds the note: in Obsidian and here. Where the two differ, `why` says
the reason. Obsidian's part is from its help (Tags, Properties, Search, Excluded files, Daily notes) and from what its
app writes to disk.
"""

import json
import os
from datetime import UTC, datetime

import pytest
from attrs import frozen

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.query import Mode, Query
from vaults import ask, write

RANKED = "bare words are ranked, not required: a note that misses a word is found, below those that have it"
ALL_READ = "older vaults have it, and a search that misses the note helps no one"


@frozen
class Row:
    """`text` is that of `dir/Some Note.md`; `found` and `here`: whether the query finds it, in Obsidian and here."""

    rule: str
    text: str
    query: str
    found: bool
    here: bool | None = None  # None: as in Obsidian
    why: str = ""


def front(text: str) -> str:
    return f"---\n{text}\n---\nplain"


TAGS = [
    Row("ends at punctuation", "#a.b", "tag:a", found=True),
    Row("ends at punctuation", "#a.b", 'tag:"a.b"', found=False),
    Row("ends at an apostrophe", "#it's", "tag:it", found=True),
    Row("ends at a dash of U+2000–206F", "#a—b", "tag:a", found=True),
    Row("ends at U+2E00–2E7F", "#a⸺b", "tag:a", found=True),
    Row("may have other letters and signs", "#été-日本/ß_1", "tag:été-日本/ß_1", found=True),
    Row("may have an emoji", "#🎉", "tag:🎉", found=True),
    Row(
        "goes on at CJK punctuation",
        "#标签，x",
        "tag:标签",
        found=False,
        here=True,
        why="people write text without spaces there, and no one means a comma to be part of a tag",
    ),
    Row(
        "ends at the joiner of an emoji",
        "#👨‍👩",
        "tag:👨‍👩",
        found=False,
        here=True,
        why="the emoji is one character to people",
    ),
    Row("is no number", "#1984", "tag:1984", found=False),
    Row("may begin with a digit", "#1984y", "tag:1984y", found=True),
    Row("needs a character that is no digit", "#y1984", "tag:y1984", found=True),
    Row("which may be a hyphen", "#2024-01", "tag:2024-01", found=True),
    Row("which may be a slash", "#1/2", "tag:1/2", found=True),
    Row("nests below a number too", "#1/2", "tag:1", found=True),
    Row("ignores case", "#Work", "tag:wORK", found=True),
    Row("nests", "#work/urgent", "tag:work", found=True),
    Row("nests by whole parts", "#workshop", "tag:work", found=False),
    Row("is not found by the end of its path", "#x/a", "tag:a", found=False),
    Row("counts in a task", "- [ ] do #t", "tag:t", found=True),
    Row("counts in a quote", "> say #t", "tag:t", found=True),
    Row("counts in a callout", "> [!note] #t\n> x", "tag:t", found=True),
    Row("counts not in a code block", "```\n#t\n```", "tag:t", found=False),
    Row("counts not in inline code", "`#t`", "tag:t", found=False),
    Row("a heading is none", "# t", "tag:t", found=False),
    Row("escaped is none", r"\#t", "tag:t", found=False),
    Row("counts not in an HTML comment", "<!-- #t -->", "tag:t", found=False),
    Row("counts not in a comment block", "%%\n#t\n%%", "tag:t", found=False),
    Row(
        "counts in an inline comment",
        "a %% #t %%",
        "tag:t",
        found=True,
    ),
    Row("counts not in a formula", "$#t$", "tag:t", found=False),
    Row("counts not in an address", "https://a.b/#t", "tag:t", found=False),
    Row("follows a space", "a #t", "tag:t", found=True),
    Row("does not follow a letter", "a#t", "tag:t", found=False),
    Row(
        "does not follow punctuation",
        "(#t)",
        "tag:t",
        found=False,
        here=True,
        why="people put tags in brackets and emphasis",
    ),
    Row(
        "does not follow a mark",
        "==#t==",
        "tag:t",
        found=False,
        here=True,
        why="people put tags in brackets and emphasis",
    ),
    Row(
        "does not end before emphasis does",
        "_#t_u_",
        "tag:t_u",
        found=False,
        here=True,
        why="people put tags in brackets and emphasis",
    ),
    Row("does not follow a single sign", "a=#t", "tag:t", found=False),
    Row("in front matter is a list", front("tags: [t, u]"), "tag:u", found=True),
    Row("in front matter may be a list of dashes", front("tags:\n  - t"), "tag:t", found=True),
    Row("in front matter may have a hash", front('tags: ["#t"]'), "tag:t", found=True),
    Row("in front matter may be one text", front("tags: t"), "tag:t", found=True),
    Row("in front matter is no text of several", front("tags: t, u"), "tag:u", found=False, here=True, why=ALL_READ),
    Row("in front matter is no number", front("tags: [1984, x]"), "tag:1984", found=False),
    Row("in front matter has no space", front("tags: [a b, x]"), 'tag:"a b"', found=False, here=True, why=ALL_READ),
    Row("in front matter has any case of the name", front("TAGS: [t]"), "tag:t", found=True),
    Row("in front matter has no singular", front("tag: t"), "tag:t", found=False, here=True, why=ALL_READ),
    Row("in another property is none", front('about: "#t"'), "tag:t", found=False),
]

PROPERTIES = [
    Row("a text", front("status: draft"), "[status:draft]", found=True),
    Row("a list", front("status: [draft, old]"), "[status:old]", found=True),
    Row("a number", front("n: 5"), "[n:5]", found=True),
    Row("a checkbox", front("done: true"), "[done:true]", found=True),
    Row("a date", front("due: 2020-08-21"), "[due:2020-08-21]", found=True),
    Row("a date and time", front("due: 2020-08-21T10:30:00"), "[due:2020-08-21T10:30]", found=True),
    Row("ignores the case of its name", front("Status: draft"), "[status:draft]", found=True),
    Row("ignores the case of its value", front("status: Draft"), "[status:dRAFT]", found=True),
    Row("yes is text", front("a: yes"), "[a:yes]", found=True),
    Row("off is no checkbox", front("a: off"), "[a:false]", found=False),
    Row("without a value is null", front("a:"), "[a:null]", found=True),
    Row("without a value exists", front("a:"), "[a]", found=True),
    Row("null is null", front("a: null"), "[a:null]", found=True),
    Row("no tags is null", front("tags:"), "[tags:null]", found=True),
    Row("no tags exist", front("tags: []"), "[tags]", found=True),
    Row("no aliases is null", front("Aliases:\n  - "), "[aliases:null]", found=True),
    Row("tags are not null", front("tags: t"), "[tags:null]", found=False),
    Row("a year before a date", front("due: 2020-08-21"), "[due:>2019]", found=True),
    Row("the year of a date", front("due: 2020-08-21"), "[due:>2020]", found=False),
    Row(
        "an empty text is not null",
        front('a: ""'),
        "[a:null]",
        found=False,
        here=True,
        why="people look for what has no value yet",
    ),
    Row(
        "an empty list is not null",
        front("a: []"),
        "[a:null]",
        found=False,
        here=True,
        why="people look for what has no value yet",
    ),
    Row("a value is not null", front("a: b"), "[a:null]", found=False),
    Row("a missing one is not null", front("b: c"), "[a:null]", found=False),
    Row("JSON between the lines is read", front('{"a": "b", "tags": ["t"]}'), "[a:b]", found=True),
    Row("begins on the first line", "\n---\na: b\n---\n", "[a:b]", found=False),
    Row("ends at a line of three hyphens", "---\na: b\n---\nc: d", "[c]", found=False),
    Row(
        "does not end at three dots",
        "---\na: b\n...\nc",
        "[a:b]",
        found=False,
        here=True,
        why="YAML ends so, and Pandoc reads it",
    ),
    Row("aliases are a list", front("aliases: [x, y]"), "[aliases:y]", found=True),
    Row("alias is old", front("alias: [x]"), "[aliases:x]", found=False, here=True, why=ALL_READ),
    Row(
        "a text of several aliases is no list",
        front("aliases: x, y"),
        "[aliases:y]",
        found=False,
        here=True,
        why=ALL_READ,
    ),
    Row(
        "a double name: no property",
        front("a: b\na: c"),
        "[a:c]",
        found=False,
        here=True,
        why="the last value is what most YAML readers keep",
    ),
    Row("broken YAML: no property", front("a: [b"), "[a]", found=False),
    Row("broken YAML: still text", front("a: [bird"), "bird", found=True),
    Row(
        "text with YAML's signs: no property",
        front("a: b: c"),
        '[a:"b: c"]',
        found=False,
        here=True,
        why="it can only be meant as text",
    ),
    Row("a nested value is kept", front("a:\n  b: c"), "[a]", found=True),
    Row("a nested value is not searched", front("a:\n  b: c"), "[b:c]", found=False),
]

TEXT = (
    "alpha beta\ngamma Delta\n\n# One\nmoss fern\n- [ ] open task\n- [x] done task\n- [?] asked task\n# Two\nfern oak"
)
OPERATORS = [
    Row("words next to each other: both", TEXT, "alpha fern", found=True),
    Row("words next to each other: both", TEXT, "alpha none", found=False, here=True, why=RANKED),
    Row("a word in the name", TEXT, "Some", found=True),
    Row("a word in the path", TEXT, "dir", found=True),
    Row("a part of a word", TEXT, "lph", found=True),
    Row("OR", TEXT, "none OR fern", found=True),
    Row("AND binds tighter than OR", TEXT, "none alpha OR beta nowhere", found=False),
    Row("AND binds tighter than OR", TEXT, "nowhere elsewhere OR beta alpha", found=True),
    Row("brackets", TEXT, "(none OR beta) alpha", found=True),
    Row("brackets", TEXT, "(nowhere OR elsewhere) alpha", found=False),
    Row("or in lower case is a word", TEXT, "nowhere or elsewhere", found=False),
    Row("not", TEXT, "alpha -fern", found=False),
    Row("not", TEXT, "alpha -none", found=True),
    Row("not", TEXT, "-none", found=True),
    Row("not both", TEXT, "alpha -(fern none)", found=True),
    Row("not both", TEXT, "alpha -(fern oak)", found=False),
    Row(
        "not a part of a word",
        TEXT,
        "alpha -lph",
        found=False,
        here=True,
        why="an exclusion that is too wide would hide notes unseen; a phrase excludes parts too",
    ),
    Row("a phrase", TEXT, '"gamma delta"', found=True),
    Row("a phrase", TEXT, '"delta gamma"', found=False),
    Row("a phrase with a quote in it", 'say "hi" now', r'"say \"hi\""', found=True),
    Row("a pattern", TEXT, "/g.m+a/", found=True),
    Row("a pattern", TEXT, "/g.m+b/", found=False),
    Row("a pattern in a path", TEXT, "path:/^dir.*te/", found=True),
    Row("a pattern in a path", TEXT, "path:/^te/", found=False),
    Row("file:", TEXT, "file:note", found=True),
    Row("file: with the extension", TEXT, "file:.md", found=True),
    Row("file: not in the folder", TEXT, "file:dir", found=False),
    Row("path:", TEXT, 'path:"dir/some"', found=True),
    Row("content:", TEXT, "content:alpha", found=True),
    Row("content: not the name", TEXT, "content:some", found=False),
    Row("match-case:", TEXT, "match-case:Delta", found=True),
    Row("match-case:", TEXT, "match-case:delta", found=False),
    Row("ignore-case:", TEXT, "match-case:(Delta ignore-case:ALPHA)", found=True),
    Row("tag: without a hash", "#a/b", "tag:a", found=True),
    Row("tag: with a hash", "#a/b", "tag:#a/b", found=True),
    Row("line:", TEXT, "line:(alpha beta)", found=True),
    Row("line:", TEXT, "line:(alpha gamma)", found=False),
    Row("line: with OR", TEXT, "line:(alpha (none OR beta))", found=True),
    Row("line: with a phrase", TEXT, 'line:("gamma delta" -alpha)', found=True),
    Row("line: with not", TEXT, "line:(alpha -beta)", found=False),
    Row("no line has it", TEXT, "alpha -line:fern", found=False),
    Row("no line has both", TEXT, "alpha -line:(alpha fern)", found=True),
    Row("block:", TEXT, "block:(alpha delta)", found=True),
    Row("block:", TEXT, "block:(alpha fern)", found=False),
    Row("section:", TEXT, "section:(moss open)", found=True),
    Row("section:", TEXT, "section:(moss oak)", found=False),
    Row("section: with OR", TEXT, "section:(moss (oak OR asked))", found=True),
    Row("task:", TEXT, "task:asked", found=True),
    Row("task:", TEXT, "task:moss", found=False),
    Row("task-todo:", TEXT, "task-todo:open", found=True),
    Row("task-todo:", TEXT, "task-todo:done", found=False),
    Row("task-done: any sign but a space", TEXT, "task-done:asked", found=True),
    Row("task-done:", TEXT, "task-done:open", found=False),
    Row("any task", TEXT, 'task:""', found=True),
    Row("[p]", front("p: v"), "[p]", found=True),
    Row("[p]", front("q: v"), "[p]", found=False),
    Row("-[p]", front("q: v"), "-[p]", found=True),
    Row("[p:v]", front("p: v"), "[p:w]", found=False),
    Row("[p:v] with OR", front("status: Draft"), "[status:Draft OR Published]", found=True),
    Row("[p:v] with brackets", front("p: a or b"), "[p:(a b)]", found=True),
    Row("[p:v] with a phrase", front("p: a b"), '[p:"a b"]', found=True),
    Row("[p:v] with a pattern", front("p: abc"), "[p:/^a.c$/]", found=True),
    Row("[p:v] with a phrase for the name", front("my p: v"), '["my p":v]', found=True),
    Row("[p:v] with OR for the name", front("state: v"), "[status OR state:v]", found=True),
    Row("[p] with OR for the name", front("state: v"), "[(status OR state)]", found=True),
    Row("[p] with OR for the name", front("other: v"), "[status OR state]", found=False),
    Row(
        "[p:v] with a pattern for the name",
        front("due1: v"),
        "[/^due/:v]",
        found=True,
        here=False,
        why="names are few and known; a notice names similar ones",
    ),
    Row("[p:<5]", front("p: 4"), "[p:<5]", found=True),
    Row("[p:<5]", front("p: 5"), "[p:<5]", found=False),
    Row("[p:>5]", front("p: 10"), "[p:>5]", found=True),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, None])
@pytest.mark.parametrize("row", [*TAGS, *PROPERTIES, *OPERATORS], ids=lambda row: f"{row.rule}: {row.query}")
def test_a_row_is_as_in_obsidian_or_differs_for_a_reason(tmp_path, row, mode):
    engine = Engine(write(tmp_path, f"--- dir/Some Note.md\n{row.text}\n--- Other.md\nunlike"))
    expected = row.found if row.here is None else row.here
    assert ("dir/Some Note.md" in ask(engine, row.query, mode=mode)) == expected
    assert bool(row.why) == (row.here is not None and row.here != row.found)
    rank = engine.explain(Query(text=row.query, mode=mode), "dir/Some Note.md").rank
    assert (rank is not None) == expected


EXCLUDED = [  # an entry of Obsidian's excluded files, and the notes that it leaves out
    ("old/", {"old/a.md"}),
    ("old", {"old/a.md", "older/b.md", "old note.md"}),
    ("OLD/", {"old/a.md"}),
    ("o*d/", set()),
    ("a.md", set()),
    ("/b\\.md$/", {"older/b.md"}),
    ("/^old.*b/", {"older/b.md"}),
    ("/(/", set()),
    ("", set()),
]
NOTES = "--- old/a.md\nword\n--- older/b.md\nword\n--- old note.md\nword\n--- new/c.md\nword\n--- .hidden/d.md\nword"


@pytest.mark.parametrize(("entry", "left_out"), EXCLUDED)
def test_excluded_files_are_prefixes_of_paths_or_patterns_and_no_globs(tmp_path, entry, left_out):
    settings = json.dumps({"userIgnoreFilters": [entry]})
    engine = Engine(write(tmp_path, f"{NOTES}\n--- .obsidian/app.json\n{settings}"))
    everything = {"old/a.md", "older/b.md", "old note.md", "new/c.md"}
    assert set(ask(engine, "word", mode=Mode.KEYWORD)) == everything - left_out


@pytest.mark.parametrize("text", ['{"userIgnoreFilters": null}', "{}", "null", "{"])
def test_without_a_list_of_excluded_files_all_notes_are_found(tmp_path, text):
    engine = Engine(write(tmp_path, f"{NOTES}\n--- .obsidian/app.json\n{text}"))
    assert len(ask(engine, "word", mode=Mode.KEYWORD)) == 4


DAILY = [  # Obsidian's settings for daily notes, and today's note
    ("{}", "2024-01-10.md"),
    ('{"folder": "Journal"}', "Journal/2024-01-10.md"),
    ('{"folder": "/Journal/"}', "Journal/2024-01-10.md"),
    ('{"format": "DD.MM.YYYY"}', "10.01.2024.md"),
    ('{"folder": "Log", "format": "YYYY/MM/YYYY-MM-DD"}', "Log/2024/01/2024-01-10.md"),
    ('{"format": "", "template": "x", "autorun": true}', "2024-01-10.md"),
]


@pytest.mark.parametrize(("settings", "note"), DAILY)
def test_daily_notes_are_those_of_obsidians_settings(tmp_path, settings, note):
    root = write(tmp_path, f"--- {note}\nrain\n--- other.md\nsun\n--- .obsidian/daily-notes.json\n{settings}")
    for file in root.rglob("*.md"):
        os.utime(file, (0, 0))
    now = datetime(2024, 1, 10, 12, tzinfo=UTC).timestamp()
    engine = Engine(root, understand=Understanding(lexicon(), zone=UTC), now=lambda: now)
    assert ask(engine, "today", mode=Mode.KEYWORD) == [note]
