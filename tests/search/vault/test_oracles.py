"""The line scanner compared with two Markdown parsers, on generated text and on real notes.

Where our rules differ on purpose, the results of the other parsers are converted first:

* we read no headings in quotes and list items, and no empty underlined ones;
* we leave out external links, and links whose target is empty;
* we find links in HTML blocks and after an HTML tag, so we may find more of them;
* `[[x]](y)` is a wikilink for us, and a Markdown link around `[x]` for them;
* if a quote's paragraph continues on lines without the mark, we read two blocks, and no link or code span covers both;
* `---` on the first line may begin front matter, which they do not know;
* in a list, an item with any number begins an item; for them, one as deep as the text above only if its number is 1;
* an item that is nested too deeply is an item for us, and text of the item above for them; neither reads code;
* for us, comments (`%%`) and formulas (`$`) hide what is inside, and they know neither.
"""

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tree_sitter import Language, Node, Parser
from tree_sitter_markdown import language

from search.ids import NoteId
from search.vault.blocks import BlockKind, scan_blocks
from search.vault.frontmatter import body_start
from search.vault.inline import markdown_link
from search.vault.lines import split_lines
from search.vault.markdown import parse_note
from search.vault.note import LinkKind

pytestmark = pytest.mark.slow

_COMMONMARK = MarkdownIt("commonmark").enable("table")
_GRAMMAR = Parser(Language(language()))
_OURS_ALONE = re.compile(r"%%|<pre|<script")
_DEFINED_WIKILINKS = re.compile(r"^\[[^\]]+\]: ", re.MULTILINE)
# Notes with items indented by less than their parent's text and deeper lines after them, which are code for markdown-it
# and items for us.
_OUTDENTED_LISTS = {"community.events.office-hours.2022.02.16.md", "dendron.topic.publish-legacy.advanced.md"}
_EMPTY_HEADING = re.compile(r"^#+[ \t]*$", re.MULTILINE)
_DEEP_NUMBER = re.compile(r"^[ >]+1984\.", re.MULTILINE)
_LAZY = re.compile(r"^>.*\n(?!>|[ \t]*$)", re.MULTILINE)
VAULTS = ["foam", "obsidian-tasks", "kepano", "dendron-site"]

WORDS = st.sampled_from(["oak", "elm", "#t", "`c`", "[a](b.md)", "[a](<c d>)", "*e*", "1984.", "[x", "](y)", "\\", "é"])
PROSE = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
LINES = st.one_of(
    PROSE,
    PROSE.map("# {}".format),
    PROSE.map("### {} ##".format),
    PROSE.map("- {}".format),
    PROSE.map("  {}".format),
    PROSE.map("    {}".format),
    PROSE.map("> {}".format),
    PROSE.map("1. {}".format),
    st.sampled_from(["", "", "", "---", "===", "```", "~~~", "````", "    ", "***", "-", "#", "> ```", "\t"]),
)
TEXTS = st.lists(LINES, max_size=10).map("\n".join)


def our_headings(text: str) -> list[tuple[int, int]]:
    return [(heading.level, heading.line) for heading in parse_note(NoteId("a.md"), text).note.headings]


def markdown_it_headings(text: str) -> list[tuple[int, int]]:
    return [
        (int(token.tag[1]), token.map[0])
        for token in _COMMONMARK.parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def our_code(text: str) -> set[int]:
    """The lines in code, without the opening and closing lines of fences."""
    lines = split_lines(text)
    raw = lines.copy()
    code: set[int] = set()
    for kind, start, end, _ in scan_blocks(lines, 0):
        if kind is BlockKind.CODE:
            code.update(n for n in range(start, end) if raw[n].strip() and "```" not in raw[n] and "~~~" not in raw[n])
    return code


def markdown_it_code(text: str) -> set[int]:
    raw = split_lines(text)
    code: set[int] = set()
    for token in _COMMONMARK.parse(text):
        if token.type in {"fence", "code_block"} and token.map:
            code.update(n for n in range(*token.map) if raw[n].strip() and "```" not in raw[n] and "~~~" not in raw[n])
    return code


def our_links(text: str) -> list[str]:
    links = parse_note(NoteId("a.md"), text).note.links
    return [f"{link.target}#{link.heading}" for link in links if link.kind is LinkKind.MARKDOWN]


def markdown_it_links(text: str) -> list[str]:
    found = []
    for token in _COMMONMARK.parse(text):
        for child in token.children or ():
            if child.type == "link_open" and child.markup != "autolink":
                link = markdown_link(str(child.attrs["href"]), "", 0, LinkKind.MARKDOWN)
                found += [f"{link.target}#{link.heading}"] if link else []
    return found


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_headings_code_and_links_agree_with_markdown_it(text):
    assume(body_start(split_lines(text)) == 0 and not _DEEP_NUMBER.search(text) and not _LAZY.search(text))
    assert our_headings(text) == markdown_it_headings(text)
    assert our_code(text) == markdown_it_code(text)
    assert our_links(text) == markdown_it_links(text)


def tree_sitter_headings(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []

    def visit(node: Node) -> None:
        for child in node.children:
            if child.type in {"atx_heading", "setext_heading"}:
                marker = next(part.type for part in child.children if part.type.endswith(("_marker", "_underline")))
                level = int(next(char for char in marker if char.isdigit()))
                found.append((level, child.start_point[0]))
            elif child.type == "section":
                visit(child)

    visit(_GRAMMAR.parse(text.encode()).root_node)
    return found


def real_notes(shared_dir: Path, name: str) -> list[tuple[str, str]]:
    folder = shared_dir / "eval" / "vaults" / name
    notes = [(str(path), path.read_text("utf-8", "replace")) for path in sorted(folder.rglob("*.md"))]
    bodies = [(path, split_lines(text)) for path, text in notes]
    return [(path, "\n".join(lines[body_start(lines) :])) for path, lines in bodies]


@pytest.mark.shared
@pytest.mark.parametrize("vault", VAULTS)
def test_headings_of_real_notes_agree_with_markdown_it(shared_dir, vault):
    notes = real_notes(shared_dir, vault)
    assert notes
    plain = [(path, text) for path, text in notes if "%%" not in text]
    assert [path for path, text in plain if our_headings(text) != markdown_it_headings(text)] == []


@pytest.mark.shared
@pytest.mark.parametrize("vault", VAULTS)
def test_code_of_real_notes_agrees_with_markdown_it(shared_dir, vault):
    plain = [(path, text) for path, text in real_notes(shared_dir, vault) if not _OURS_ALONE.search(text)]
    differ = [Path(path).name for path, text in plain if our_code(text) != markdown_it_code(text)]
    assert set(differ) <= _OUTDENTED_LISTS


@pytest.mark.shared
@pytest.mark.parametrize("vault", VAULTS)
def test_links_of_real_notes_agree_with_markdown_it(shared_dir, vault):
    """Leaves out links like `[[x]]` that Foam also defines as Markdown references."""
    plain = [(path, text) for path, text in real_notes(shared_dir, vault) if not _DEFINED_WIKILINKS.search(text)]
    assert [path for path, text in plain if our_links(text) != markdown_it_links(text)] == []


@pytest.mark.shared
@pytest.mark.parametrize("vault", VAULTS)
def test_headings_of_real_notes_agree_with_tree_sitter(shared_dir, vault):
    """Leaves out notes with an empty heading: tree-sitter's grammar reads it as the underline of the line before."""
    notes = [(path, text) for path, text in real_notes(shared_dir, vault) if not _EMPTY_HEADING.search(text)]
    plain = [(path, text) for path, text in notes if "%%" not in text]
    assert [path for path, text in plain if our_headings(text) != tree_sitter_headings(text)] == []
