"""`textDocument/hover`: a link's target, a tag's notes, notes related to a section, likely targets of a broken link.

Anywhere else there is no hover. The setting `hover` can turn off each kind.
"""

import re
from collections.abc import Collection, Sequence

from lsprotocol import types as lsp

from lsp_server.features.cursor import Pointed, at_cursor, range_on
from lsp_server.features.hover_card import Card, CardLink, as_markdown, as_plain_text
from lsp_server.server import VaultseekServer
from search.answer.result import FoundNote, Snippet
from search.ids import IMAGE, NoteId, has_lines_of_file, other_type
from search.query import Linked
from search.vault.lines import split_lines
from search.vault.note import Link, Note, page_fragment, page_lines, section_lines
from search.vault.paths import is_attachment

N_RELATED = 5
N_TAGGED = 15
N_NEAREST = 5
_PATH = re.compile(r"(?<=\S)#(?=\S)")  # in `#A#B`, but not in `C#` or `I use #tags`
_PAGE = re.compile(r"page=([1-9][0-9]{0,5})(?![0-9])")
_N_NAMES = 20  # names to look at for the nearest notes, since a note can have several names


async def hover(ls: VaultseekServer, params: lsp.HoverParams) -> lsp.Hover | None:
    """Answer with what is at the position."""
    return await at_cursor(ls, params, lambda at: _hover(ls, at))


def _hover(ls: VaultseekServer, at: Pointed) -> lsp.Hover | None:
    kinds = ls.session.options_of(at.vault).hover
    span = at.span
    if span is None or span.link is None or at.library.resolve_link(at.note.id, span.link) is None:
        at.wait_for_notes()
    if span is None:
        card = _of_heading(at) if "headings" in kinds else None
        start, end = 0, len(at.line)
    else:
        card = _of_tag(at, span.tag) if span.tag and "tags" in kinds else None
        if span.link is not None:
            card = _of_link(at, span.link, kinds)
        start, end = span.start, span.end
    if card is None:
        return None
    return lsp.Hover(_content(ls, card), range_on(at.line, at.shown_number, start, end, ls.encoding))


def _content(ls: VaultseekServer, card: Card) -> lsp.MarkupContent:
    """The card in Markdown, or in plain text if the client prefers that or supports nothing else."""
    document = ls.client_capabilities.text_document
    formats = (document.hover.content_format if document and document.hover else None) or [lsp.MarkupKind.Markdown]
    if formats[0] == lsp.MarkupKind.PlainText:
        return lsp.MarkupContent(lsp.MarkupKind.PlainText, as_plain_text(card))
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, as_markdown(card))


def _of_link(at: Pointed, link: Link, kinds: Sequence[str]) -> Card | None:
    library = at.library
    target = library.resolve_link(at.note.id, link)
    note = None if target is None else library.notes.get(target)
    if note is None:
        is_sure = bool(link.target) and library.is_complete and not is_attachment(link.target)
        return _of_broken_link(at, link) if is_sure and "unresolved" in kinds else None
    if "links" not in kinds:
        return None
    lines = split_lines(library.text(note.id))
    page = _page_of(note, link)
    section = page_lines(note, page) if page else library.section_of(note, link)
    is_unread_page = not note.pages and _PAGE.match(link.heading) is not None
    is_missing = section is None and bool(link.heading or link.block) and not is_unread_page
    heading = f"page {page}" if page else "" if section is None else _PATH.sub(" › ", link.heading)
    first, last = section or (note.body_line, len(lines))
    if section and link.heading.startswith("[^"):
        lines[first] = lines[first].partition("]:")[2].strip()
    named = {
        item.line for item in note.headings if item.text == note.title or (section and not page and item.line == first)
    }
    return Card(
        head=CardLink(
            f"{note.title} › {heading}" if heading else note.title,
            _uri(at, note.id, first if section else 0, page_fragment(page)),
            note.id,
        ),
        hint=f"This note has no {_place(link)}." if is_missing else _size(note),
        lines=_below(lines, max(first, note.body_line), last, named),
        caption="Related:",
        links=_related(at, note.id, section if heading else None),
    )


def _size(note: Note) -> str:
    """The size of a picture, as far as it is known; "" for any other file."""
    sides = dict(note.properties) if other_type(note.id) == IMAGE else {}
    if "width" not in sides or "height" not in sides:
        return ""
    return f"{sides['width'][0]} × {sides['height'][0]} pixels, {max(1, round(note.size_bytes / 1000)):,} kB"


def _below(lines: Sequence[str], first: int, last: int, headings: Collection[int]) -> Sequence[str]:
    """Some lines of a note, without a heading at their beginning that the head of the card names already."""
    while first < last and (first in headings or not lines[first].strip()):
        first += 1
    return lines[first:last]


def _place(link: Link) -> str:
    if link.block:
        return f"block ^{link.block}"
    return f"{'footnote' if link.heading.startswith('[^') else 'heading'} {_PATH.sub(' › ', link.heading)}"


def _of_broken_link(at: Pointed, link: Link) -> Card:
    name = link.target.rstrip("/").rpartition("/")[2]
    symbols = at.engine.symbols(name, limit=_N_NAMES, with_headings=False)
    nearest = dict.fromkeys((*at.library.similar_names(name, limit=N_NEAREST), *(item.note for item in symbols)))
    links = [_link(at, note) for id_ in list(nearest)[:N_NEAREST] if (note := at.library.notes.get(id_))]
    return Card(head=f"There is no note {link.target}", caption="Similar names:" if links else "", links=links)


def _of_tag(at: Pointed, tag: str) -> Card:
    notes = at.library.tagged(tag)
    count = "1 note" if len(notes) == 1 else f"{len(notes)} notes"
    return Card(head=f"#{tag}: {count}", links=[_link(at, note) for note in notes[:N_TAGGED]])


def _of_heading(at: Pointed) -> Card | None:
    if at.heading is None:
        return None
    links = _related(at, at.note.id, section_lines(at.note, at.heading), has_reasons=True)
    return Card(head=f"Related to {at.heading.text}", links=links) if links else None


def _related(at: Pointed, note: NoteId, lines: tuple[int, int] | None, *, has_reasons: bool = False) -> list[CardLink]:
    """The best related notes, those first that are not linked already; without the note that the cursor is in."""
    found = at.engine.related(
        note, lines=lines, linked=Linked.LAST, limit=N_RELATED + 1, budget=at.budget, patience_s=0.0
    )
    others = [item.found for item in found.notes if item.found.hit.id != at.note.id]
    return [
        CardLink(
            item.title,
            _uri_of_match(at, item),
            item.hit.id,
            item.sentence if has_reasons else "",
        )
        for item in others[:N_RELATED]
    ]


def _uri_of_match(at: Pointed, found: FoundNote) -> str:
    """The link to the first excerpt of a found note, or to its beginning."""
    shown = next(iter(found.snippets), Snippet("", 0))
    return _uri(at, found.hit.id, shown.line, page_fragment(shown.page))


def _page_of(note: Note, link: Link) -> int:
    """The page of a file that a link such as `[[paper.pdf#page=3]]` names, from 1; 0 if it names none that exists."""
    match = _PAGE.match(link.heading)
    page = int(match[1]) if match else 0
    return page if page <= len(note.pages) else 0


def _uri(at: Pointed, note: NoteId, line: int, fragment: str = "") -> str:
    """The link to a line of a note, counted from 0; to the note itself for its first line.

    A file whose own lines no reader sees has the fragment instead.
    """
    where = f"L{line + 1}" if line and has_lines_of_file(note) else fragment
    return f"{at.vault.uri_of(note)}#{where}" if where else at.vault.uri_of(note)


def _link(at: Pointed, note: Note) -> CardLink:
    return CardLink(note.title, at.vault.uri_of(note.id), note.id)
