"""Makes a note of what a kind of file read, within the limits of a note.

Each Markdown part is scanned by itself, so an unclosed fence or comment in one never hides the next.
"""

from attrs import evolve

from search.budget import Budget
from search.ids import NoteId, other_type
from search.notice import Notice, NoticeKind
from search.vault.kinds.reading import MarkdownPart, Read, Reading
from search.vault.kinds.registry import read_with
from search.vault.limits import (
    LONG,
    MAX_HEADINGS,
    MAX_LINKS,
    MAX_SIGNS,
    MAX_TAGS,
    left_out,
    require_time,
    signs_in,
    while_time,
)
from search.vault.lines import split_lines
from search.vault.markdown import ParsedNote, first_title, scan_lines, unique_tags
from search.vault.note import Heading, Link, Note, file_name


def parse_other(
    read: Read, note_id: NoteId, text: str, *, modified: float, size_bytes: int, budget: Budget
) -> ParsedNote:
    """The note in the text of a file that is not Markdown.

    Raises:
        TooSlow: the deadline of `budget` has passed.
    """
    reading = read_with(read, text)
    require_time(budget)
    lost = list(reading.lost)
    headings, links, tags, stop = _scan(reading, budget)
    lost += [stop] if stop else []
    lost += [f"headings after the first {MAX_HEADINGS:,} are not used"] if len(headings) > MAX_HEADINGS else []
    lost += [f"links after the first {MAX_LINKS:,} are not used"] if len(links) > MAX_LINKS else []
    lost += left_out(len(tags), MAX_TAGS, "tags")
    headings, links, tags = headings[:MAX_HEADINGS], links[:MAX_LINKS], tags[:MAX_TAGS]
    body = reading.text
    if len(body) > LONG:
        from search.vault.token_limit import searched_length  # noqa: PLC0415 - only long notes need numpy here

        n_searched = searched_length(body, budget)
        lost += left_out(len(body), n_searched, "characters of text")
        body = body[:n_searched]
    notices = []
    if reading.problem:
        message = f"{note_id}: {reading.problem}; it is found by its name only"
        notices.append(Notice(NoticeKind.DEGRADED, "file-unread", message, note_id))
    if lost:
        notices.append(Notice(NoticeKind.TRUNCATED, "note-limits", f"{note_id}: {'; '.join(lost)}", note_id))
    own = first_title(headings) if other_type(note_id) == "ipynb" else ""
    note = Note(
        id=note_id,
        title=reading.title or own or file_name(note_id),
        tags=tags,
        headings=tuple(headings),
        links=tuple(links),
        properties=reading.properties,
        pages=reading.pages,
        n_lines=reading.text.count("\n") + 1,
        modified=modified,
        size_bytes=size_bytes,
    )
    return ParsedNote(note, body, tuple(notices))


def _scan(reading: Reading, budget: Budget) -> tuple[list[Heading], list[Link], tuple[str, ...], str]:
    """Headings, links and tags of the reading and of its Markdown; and what was left out, or ""."""
    headings, links, tags = list(reading.headings), list(reading.links), [reading.tags]
    lines = split_lines(reading.text) if reading.markdown else []
    n_left, stop = MAX_SIGNS, ""
    for part in while_time(reading.markdown, budget):
        own = lines[part.start : part.end]
        text = "\n".join(own)
        n_left -= signs_in(text)
        if n_left < 0:
            stop = f"after {MAX_SIGNS:,} signs of markup, tags, links and headings are not used"
            break
        found, inlines, _ = scan_lines(own, 0, has_references="]:" in text, is_long=len(text) > LONG, budget=budget)
        headings += _moved(found, part)
        links += (evolve(link, line=link.line + part.start) for link in inlines.resolve() if link)
        tags.append(tuple(inlines.tags))
    headings.sort(key=lambda heading: heading.line)
    return headings, links, unique_tags(*tags), stop


def _moved(headings: list[Heading], part: MarkdownPart) -> list[Heading]:
    shift = part.top - headings[0].level if part.top and headings else 0
    lowest = part.top or 1
    return [
        Heading(min(6, max(lowest, heading.level + shift)), heading.text, heading.line + part.start)
        for heading in headings
    ]
