"""Notes, from their text to all that is shown of them: excerpts, hovers, related notes, symbols, links and tags."""

import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from hypothesis import strategies as st

from lsp_server.features import hover
from lsp_server.features.cursor import Pointed
from lsp_server.features.hover_card import MAX_CHARS, Card, CardLink, as_markdown, as_plain_text
from lsp_server.wire.plain_text import plain
from search.answer.trail import replay
from search.budget import UNLIMITED
from search.engine import Engine
from search.ids import NoteId
from search.query import Query
from search.vault.hidden import hidden_ranges
from search.vault.lines import to_lf
from search.vault.markdown import parse_note
from search.vault.note import Note
from search.vault.note_bytes import pack_notes, unpack_note
from search.vault.packed import PackedGroup
from search.vault.reader import decode
from search.vault.spans import Span, spans_on
from search.vectors.chunk import chunks
from tests.fuzz.target import MAX_INPUT, Target, built_of, corpus, data_of, mutated, text_of
from tests.kit.hostile_notes import AFTER, BEFORE, UNITS
from tests.kit.rendered import targets
from vaults import write

VAULT = """
--- note.md
--- other.md
# Other note
[[note]] [[note#Oak]] [[note#^b]] oak #tree
--- third.md
---
up: "[[note]]"
tags: [tree, a/b]
---
# Oak
[[other]] and oak elm fir
"""
NOTE = NoteId("note.md")
MARK = "zyzzogeton"
_KINDS = ("links", "tags", "headings", "unresolved")
_N_POINTED = 8  # links, tags and headings of a note that are hovered
_TOKENS = 40

FRONT = (
    *("---\n", "---\n", "...\n", "tags: ", "aliases:\n", "  - ", "title: ", "up: ", "[[other]]", '"', "'", "["),
    *("]", "{", "}"),
    *(", ", ": ", "&a ", "*a", "|\n", ">\n", "# ", "!!python/object:x ", "2024-01-05", "true", "~", "<<: ", "? "),
    *("- - ",),
)
BODY = (
    *("# Oak\n", "## Oak\n", "Oak\n===\n", "oak", " oak elm ", "#tree", "#a/b", "^b\n", "[[other]]"),
    *("[[other#Other note|x]]",),
    *("[[nothing]]", "![[third]]", "[o](other.md#a%20b)", "[o][r]", "\n[r]: other.md\n", "[^1]", "\n[^1]: x\n"),
    *("- [ ] ", "- [x] "),
    *("\n- ", "\n  1. ", "\n> ", "\n> [!note] x\n", "\n```js\n", "\n```\n", "`", "$$", "%%", "<!--", "-->", "<b>"),
    *("</b>",),
    *("| a | b |\n|---|---|\n", "key:: value\n", "(key:: [[other]])", "https://e.example/x", "==", "**", "_"),
    *("\\", "\n\n", "\t"),
    *("知識", "é", "\u0301", "\u200d", "\u202e", "\0", "\r\n", "\r", "\u2028", "\x0c", "\ufeff", "\udcff", "ŉ", "İ"),
    *("ﬃ", "\U0001f600"),
)
PIECES = (*BODY, *UNITS, *BEFORE, *AFTER[1:])
SEEDS = tuple(data_of(f"{before}{unit * 20}{AFTER[1]}") for before in BEFORE for unit in UNITS[::12])


@cache
def engine() -> Engine:
    """An engine over three notes; the note under test is an open buffer of it."""
    made = Engine(write(Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-")), VAULT))
    made.refresh()
    return made


def check_note(data: bytes) -> None:
    """A note is read, found, and shown with nothing live in it."""
    text = text_of(data[:MAX_INPUT])
    _check_parts(text)
    text = f"{text}\n\n{MARK}\n"
    engine().open_buffer(NOTE, text)
    _check_found(text)
    _check_shown()


def check_file(data: bytes) -> None:
    """Whatever the bytes of a file are, they become text that UTF-8 can encode or that a note can hold."""
    text = decode(data[:MAX_INPUT]).text
    _check_parts(text)


def _check_parts(text: str) -> None:
    """Every line number and column in a note is one of the text, and a note comes back from a snapshot as it was."""
    parsed = parse_note(NOTE, text)
    note, lines = parsed.note, to_lf(text.removeprefix("\ufeff")).split("\n")
    assert 0 <= note.body_line <= note.n_lines
    assert [heading.line for heading in note.headings] == sorted({heading.line for heading in note.headings})
    assert all(0 <= item.line < note.n_lines for item in (*note.headings, *note.links))
    assert all(1 <= heading.level <= 6 for heading in note.headings)
    assert all(start < end or start == note.n_lines for start, end in _sections(note)), _sections(note)
    assert PackedGroup(pack_notes([note]), unpack_note).transient_values() == [note]
    for span in spans_on(note, lines, range(len(lines))):
        assert 0 <= span.start < span.end <= len(lines[span.line]), span
        assert (span.link is None) is bool(span.tag), span
    ends = [at for hidden in hidden_ranges(text) for at in hidden]
    assert ends == sorted(ends)
    assert all(0 <= at <= len(text) for at in ends)
    for chunk in chunks(note, parsed.body, count_tokens=lambda part: 2 + len(part) // 3, max_tokens=_TOKENS):
        assert 0 <= chunk.start_line < chunk.end_line <= note.n_lines, chunk
        assert chunk.text.strip()


def _sections(note: Note) -> list[tuple[int, int]]:
    return [(section.start_line, section.end_line) for section in note.sections]


def _check_found(text: str) -> None:
    """A word on a line of its own finds the note, and every excerpt is a piece of the line that it names."""
    lines = to_lf(text.removeprefix("\ufeff")).split("\n")
    result = engine().search(Query(text=f'"{MARK}"'))
    assert [found.hit.id for found in result.hits] == [NOTE], result
    for query in ("oak", f'"{MARK}"', "tag:tree oak"):
        for found in engine().search(Query(text=query)).hits:
            for snippet in found.snippets if found.hit.id == NOTE else ():
                end = snippet.start_char + len(snippet.text)
                assert lines[snippet.line][snippet.start_char : end] == snippet.text, snippet
                assert all(0 <= a < b <= len(snippet.text) for a, b in snippet.highlights), snippet
    related = engine().related(NOTE, limit=5).notes
    assert all(item.found.hit.id != NOTE for item in related)
    assert all(replay(item.found.hit.trail) == item.found.hit.score for item in related)
    assert engine().symbols(engine().library().notes[NOTE].title[:3])


def _check_shown() -> None:
    """Hovers of the note and of its links, tags and headings hold no live target but notes of the vault."""
    notes = engine().library().notes
    for note in (NoteId("other.md"), NOTE):
        lines = engine().library().text(note).split("\n")
        spans = spans_on(notes[note], lines, range(len(lines)))
        for span in spans[:_N_POINTED]:
            _check_card(_hovered(notes[note], lines, span))
            _check_mentioned(notes[note], span)
        for heading in notes[note].headings[:_N_POINTED]:
            _check_card(hover._of_heading(_pointed(notes[note], lines, heading.line, heading=heading)))
    note = notes[NOTE]
    head = CardLink(note.title, _uri(NOTE), NOTE, note.title)
    _check_card(Card(head=head, lines=engine().library().text(NOTE).split("\n"), caption=note.title, links=[head]))


def _check_mentioned(note: Note, span: Span) -> None:
    """The references of what the cursor points at include the place of the cursor, unless a link is defined there."""
    library = engine().library()
    if span.tag:
        mentions = library.mentions_of(span.tag)
    else:
        target = library.resolve_link(note.id, span.link)
        if target is None or span.link not in note.links:
            return
        mentions = library.links_to(library.notes[target])
    assert (note.id, span) in [(mention.note, mention.span) for mention in mentions], span


def _hovered(note: Note, lines: list[str], span: Span) -> Card | None:
    at = _pointed(note, lines, span.line, span=span)
    if span.tag:
        return hover._of_tag(at, span.tag)
    assert span.link is not None
    spot = at.library.spot_of(note.id, span.link)
    assert spot is None or 0 <= spot.line < at.library.notes[spot.note].n_lines, spot
    return hover._of_link(at, span.link, _KINDS)


def _pointed(note: Note, lines: list[str], number: int, **what: object) -> Pointed:
    return Pointed(
        vault=SimpleNamespace(uri_of=_uri),
        engine=engine(),
        library=engine().library(),
        note=note,
        line=lines[number],
        number=number,
        shown_number=number,
        budget=UNLIMITED,
        **{"span": None, "heading": None, **what},
    )


def _uri(note: NoteId) -> str:
    return f"file:///vault/{note}"


def _check_card(card: Card | None) -> None:
    if card is None:
        return
    markdown = as_markdown(card)
    own = {_uri(note) for note in engine().library().notes}
    assert {target.partition("#L")[0] for target in targets(markdown)} <= own, markdown
    assert len(markdown) <= MAX_CHARS
    for text in (markdown, as_plain_text(card)):
        assert text == plain(text)


front = built_of(FRONT, most=12)
body = built_of(PIECES)
whole = st.builds(lambda front, body: b"---\n" + front + b"\n---\n" + body, front, body)
changed = mutated((*SEEDS, *corpus("notes")))
files = st.one_of(changed, mutated(corpus("files")), st.binary(max_size=400), body)
TARGETS = (
    Target("notes", check_note, st.one_of(body, whole, changed), PIECES, lambda: SEEDS, n_examples=150),
    Target("files", check_file, files, PIECES, lambda: corpus("notes"), n_examples=100),
)
