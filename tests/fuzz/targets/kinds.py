"""Files that are not Markdown, by their type: the first line of an input names it, the rest is the file's text."""

import json

from hypothesis import strategies as st

from search.ids import IMAGE, NoteId
from search.vault.file import parse_text
from search.vault.kinds.registry import READ, seen_text
from search.vault.note_bytes import pack_notes, unpack_note
from search.vault.packed import PackedGroup
from tests.fuzz.target import MAX_INPUT, Target, built_of, corpus, mutated, text_of

TYPES = (*sorted(set(READ) - {IMAGE}), "txt")
KNOWN = {"file-unread", "note-limits"}
"""Codes of notices that a file may have; `unparsed` would be a bug that was caught."""

JSON = (
    *("{", "}", "[", "]", ",", ":", '"', "\\", "null", "1e999", "-1", "[" * 300, '"nodes":', '"edges":', '"cells":'),
    *('"type":"text"', '"type":"file"', '"type":"link"', '"text":"', '"file":"other.md"', '"subpath":"#a^b"'),
    *('"label":"', '"url":"', '"id":"', '"worksheets":', '"source":', '"cell_type":"code"', '"cell_type":"heading"'),
    *('"level":', '"input":', '"metadata":{"language_info":{"name":"', "\\ud800", "\\u0000", "\\n", "\\u2028"),
    *(
        '"text": "',
        '", "title": "',
        '", "author": "',
        '"headings": [[1, "oak", 0]]',
        '"pages": [[0, ""]]',
        '"size": []',
    ),
)
MARKS = (
    *("* ", "** oak :a:b:\n", "#+TITLE: ", "#+FILETAGS: :a:", "#+BEGIN_SRC\n", "#+END_SRC\n", "[[", "][", "]]", "::"),
    *("===\n", "---\n", "`a <b.rst>`_", ":doc:`", ".. image:: ", ".. |a| include:: ", "`_"),
    *("= ", "== oak\n", "----\n", "````\n", "link:a.adoc[", "<<a.adoc#b,", ">>", "include::", "xref:"),
    *("<h1>", "</h1>", "<a href=", "<a href='x.html#y'>", "<pre>", "</pre>", "<title>", "<script>", "<svg>", "<!--"),
    *("-->", "<td>", "<p", ">", "'", '"', "&#99999999;", "&#xd800;", "&amp", "</a>", "<br>", "<?", "/>"),
    *("views:\n", "  - name: '", "name: ", ",", '""', "\t", " ", "\n", "\r", "\r\n", "\u2028", "\x0c", "\0", "\ufeff"),
    *("oak", "#tree", "é", "字", "\udcff", "[^1]", "[a]: b\n"),
)
PIECES = (*JSON, *MARKS, *(f"{kind}\n" for kind in TYPES))


def check_kind(data: bytes) -> None:
    """A file of any type is read, every place in it is one of the text that is shown, and a snapshot holds it."""
    kind, _, text = text_of(data[:MAX_INPUT]).partition("\n")
    path = f"oak.{kind if kind in TYPES else TYPES[len(kind) % len(TYPES)]}"
    parsed = parse_text(NoteId(path), text, modified=0.0, size_bytes=len(data))
    note, lines = parsed.note, seen_text(path, text).split("\n")
    if not path.endswith(".txt"):
        assert note.n_lines == len(lines)
        assert {notice.code for notice in parsed.notices} <= KNOWN, parsed.notices
    assert note.title
    assert all(0 <= part.line < note.n_lines for part in (*note.headings, *note.links))
    assert [heading.line for heading in note.headings] == sorted(heading.line for heading in note.headings)
    assert all(1 <= heading.level <= 6 for heading in note.headings)
    if path.endswith((".base", ".rst", ".adoc")):  # in others a heading may be shown without its markup
        assert all(heading.text in lines[heading.line] for heading in note.headings)
    assert all(0 <= line < note.n_lines for line, _ in note.pages)
    assert PackedGroup(pack_notes([note]), unpack_note).transient_values() == [note]


def _file(kind: str, text: bytes) -> bytes:
    return kind.encode() + b"\n" + text


def _in_json(kind: str, text: str) -> bytes:
    item = {
        "type": "text",
        "text": text,
        "file": text,
        "subpath": f"#{text}",
        "label": text,
        "source": [text],
        "id": text,
    }
    return _file(kind, json.dumps({"nodes": [item] * 3, "edges": [item], "cells": [item] * 3}).encode())


kinds = st.sampled_from(TYPES)
texts = st.lists(st.sampled_from(MARKS), max_size=20).map("".join)
inputs = st.one_of(
    st.builds(_file, kinds, built_of(MARKS)),
    st.builds(_file, st.sampled_from(("canvas", "ipynb", "pdf")), built_of(JSON)),
    st.builds(_in_json, st.sampled_from(("canvas", "ipynb")), texts),
    mutated(corpus("kinds")),
)
TARGETS = (Target("kinds", check_kind, inputs, PIECES, n_examples=300),)
