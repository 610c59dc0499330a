"""Parses a note's text into a `Note`: front matter, headings, tags and links.

It has its own line scanner, because the whole vault is read before the first complete answer: a note of 2 KB takes 100
to 200 microseconds, 0.3 to 0.4 of the time of tree-sitter's parser alone (`tests/bench/bench_parse.py`). `blocks` cuts
the text into blocks, and `inline` scans the blocks that contain a sign of a tag or link. Never raises.
"""

from collections.abc import Callable, Iterable, Sequence

from attrs import define, field, frozen

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vault.blocks import BlockKind, scan_blocks
from search.vault.embedded_data import drop_embedded_data
from search.vault.frontmatter import FrontMatter, body_start, interpret, read_properties
from search.vault.inline import MAX_DEFINITIONS, Inlines
from search.vault.limits import (
    LONG,
    MAX_HEADINGS,
    MAX_LINES,
    MAX_LINKS,
    MAX_TAGS,
    First,
    FirstTags,
    Full,
    in_pieces,
    left_out,
    used_front,
    used_front_lines,
    while_time,
)
from search.vault.lines import to_lf
from search.vault.note import Heading, Note, file_name


@frozen
class ParsedNote:
    """A note, its searchable text, and notices about reading it.

    `body` is the text after the front matter, with LF line breaks and without embedded data. Its lines are those of the
    file: its first line is the file's line `note.body_line`.
    """

    note: Note
    body: str
    notices: tuple[Notice, ...] = ()


_FIRST_OPAQUE = BlockKind.CODE  # from this kind on, nothing in a block is a tag or a link
_HEADING, _TABLE, _COMMENT = BlockKind.HEADING, BlockKind.TABLE, BlockKind.COMMENT  # enum look-ups are slow
_NO_FRONT_MATTER = FrontMatter()

_PLUGIN_HEADINGS = frozenset({"Excalidraw Data"})  # a plugin writes it in every drawing, so it is not a title
_OLD_PLUGIN_HEADINGS = frozenset({"Text Elements", "Drawing"})  # its earlier versions wrote these instead


def parse_note(
    note_id: NoteId, text: str, *, modified: float = 0.0, size_bytes: int = 0, budget: Budget = UNLIMITED
) -> ParsedNote:
    """The note in `text`.

    The title is that of the front matter, else the first level-1 heading, else the file name. Invalid YAML in the front
    matter is searched as text, with a notice. Removed embedded data also has a notice, and so has what exceeds the
    limits of a note.

    Raises:
        TooSlow: the text is long, and the deadline of `budget` has passed.
    """
    text = to_lf(text.removeprefix("\ufeff"))
    text, n_dropped = drop_embedded_data(text)
    is_long = len(text) > LONG
    lost: list[str] = []
    lines = text.split("\n", MAX_LINES)
    n_lines = len(lines)
    notices: list[Notice] = []
    if n_lines > MAX_LINES:
        n_lines += lines.pop().count("\n")
        lost += left_out(n_lines, MAX_LINES, "lines, for tags, links and headings,")
    if n_dropped:
        message = f"{note_id}: {n_dropped:,} characters of drawing or binary data are not searched"
        notices.append(Notice(NoticeKind.SKIPPED, "machine-block", message, note_id))
    start = body_line = body_start(lines)
    front = _NO_FRONT_MATTER
    if start:
        front_lines: Sequence[str] = lines[1 : start - 1]
        if is_long:
            used = used_front_lines(front_lines)
            lost += left_out(len(front_lines), len(used), "lines of front matter")
            front_lines = used
        found = read_properties(front_lines)
        if found is None:
            body_line = 0
            message = f"{note_id}: the front matter is not valid YAML; it is searched as text"
            notices.append(Notice(NoticeKind.DEGRADED, "front-matter-invalid", message, note_id))
        else:
            front = interpret(found)
            if is_long:
                front, lost_front = used_front(front)
                lost += lost_front
    body = text[sum(map(len, lines[:body_line])) + body_line :] if body_line else text
    headings, inlines, stop = scan_lines(lines, start, has_references="]:" in text, is_long=is_long, budget=budget)
    tags = unique_tags(front.tags, inlines.tags)
    if is_long:
        lost += [stop] if stop else []
        if inlines.has_more_definitions:
            lost.append(f"definitions of links after the first {MAX_DEFINITIONS:,} are not used")
        lost += left_out(len(tags), MAX_TAGS, "tags")
        tags = tags[:MAX_TAGS]
        from search.vault.token_limit import searched_length  # noqa: PLC0415 - only long notes need numpy here

        n_searched = searched_length(body, budget)
        lost += left_out(len(body), n_searched, "characters of text")
        body = body[:n_searched]
    if lost:
        message = f"{note_id}: {'; '.join(lost)}"
        notices.append(Notice(NoticeKind.TRUNCATED, "note-limits", message, note_id))
    note = Note(
        id=note_id,
        title=front.title or _first_title(front, headings) or file_name(note_id),
        aliases=front.aliases,
        tags=tags,
        properties=front.properties,
        headings=tuple(headings),
        links=front.links + tuple(filter(None, inlines.resolve())),
        n_lines=n_lines,
        body_line=body_line,
        modified=modified,
        size_bytes=size_bytes,
    )
    return ParsedNote(note, body, tuple(notices))


def scan_lines(
    lines: list[str],
    start: int,
    *,
    has_references: bool,
    is_long: bool,
    is_placed: bool = False,
    budget: Budget = UNLIMITED,
) -> tuple[list[Heading], Inlines, str]:
    """The headings, and the tags and links, from line `start` on; and what was left out, or "". Changes `lines`.

    Raises:
        TooSlow: the text is long, and the deadline of `budget` has passed.
    """
    headings: list[Heading] = First(MAX_HEADINGS, "headings") if is_long else []
    rest = _Rest(lines)
    inlines = Inlines(rest.hide_until, has_references, is_placed)
    scan = _limited(inlines, budget) if is_long else inlines.scan
    blocks = scan_blocks(lines, start)
    try:
        for kind, first, end, level in while_time(blocks, budget) if is_long else blocks:
            if kind >= _FIRST_OPAQUE and not (kind is _COMMENT and end == first + 1 and "<!--" not in lines[first]):
                continue
            rest.begin, rest.at = first, end
            text = lines[first] if end == first + 1 else "\n".join(lines[first:end])
            if kind is _HEADING:
                text = _heading_text(text)
                headings.append(Heading(level, " ".join(text.split()), first))
            elif level:  # an underlined heading; link definitions before it in its paragraph are not part of it
                text = text.rpartition("\n")[0]
                begin = inlines.define(text, first) if has_references else 0
                if heading := " ".join(text[begin:].split()):
                    headings.append(Heading(level, heading, first + text.count("\n", 0, begin)))
            if not ("[" in text or "#" in text or "%%" in text or "<!--" in text):
                continue
            if kind is _TABLE:
                for n, row in enumerate(text.split("\n"), start=first):  # no code span or comment extends over rows
                    scan(row, n)
            else:
                scan(text, first)
    except Full as full:
        return headings, inlines, f"after {full}, tags, links and headings from line {rest.begin + 1:,} on are not used"
    return headings, inlines, ""


def _limited(inlines: Inlines, budget: Budget) -> Callable[[str, int], None]:
    """Limit what is collected; return the method to scan a text with."""
    inlines.links = First(MAX_LINKS, "links")
    inlines.tags = First(MAX_LINKS, "places of tags") if inlines.is_placed else FirstTags()
    return in_pieces(inlines.scan, budget)


@define
class _Rest:
    """The lines that are not yet in a block, from `at` on."""

    lines: list[str]
    at: int = 0
    begin: int = 0  # the first line of the last block
    absent: set[str] = field(factory=set)

    def hide_until(self, closer: str) -> bool:
        """Blank everything up to and including the next `closer`; return whether there is one."""
        if closer in self.absent:
            return False
        for n in range(self.at, len(self.lines)):
            _, found, after = self.lines[n].partition(closer)
            if found:
                self.lines[self.at : n] = [""] * (n - self.at)
                self.lines[n] = after
                return True
        self.absent.add(closer)
        return False


def _heading_text(line: str) -> str:
    """The text of `## text ##`."""
    text = line.strip(" \t").lstrip("#").strip(" \t")
    if text[-1:] != "#":
        return text
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def unique_tags(*groups: Iterable[str]) -> tuple[str, ...]:
    """All tags in order, each once; of spellings that differ in case only, the first one stays."""
    first: dict[str, str] = {}
    for group in groups:
        for tag in group:
            first.setdefault(tag.casefold(), tag)
    return tuple(first.values())


def _first_title(front: FrontMatter, headings: list[Heading]) -> str:
    title = first_title(headings)
    is_by_plugin = title in _OLD_PLUGIN_HEADINGS and any(name == "excalidraw-plugin" for name, _ in front.properties)
    return "" if is_by_plugin else title


def first_title(headings: Iterable[Heading]) -> str:
    """The first heading of level 1 that a person wrote, or ""."""
    return next((h.text for h in headings if h.level == 1 and h.text and h.text not in _PLUGIN_HEADINGS), "")
