"""Files of each type made to be slow: reading one takes time that grows with its length, as for notes.

The texts are made of signs that begin something, and from the structure of the patterns that read the type.
"""

import json
import re
from inspect import getmodule

import pytest

from search.ids import EXTRACTED_TYPES, IMAGE, NoteId
from search.vault.attachments.extracted import MAX_PAGES, Extracted, to_json
from search.vault.file import parse_text
from search.vault.kinds.registry import READ
from tests.hostile.test_no_quadratic_pattern import found
from tests.hostile.test_slow_notes import too_slow
from tests.kit.adversarial import Attack, attacks_on
from tests.kit.hostile_notes import AFTER, BEFORE, UNITS


def cards(text):
    return json.dumps({"nodes": [{"type": "text", "text": text}]})


def many_cards(text):
    nodes = [{"id": text[at : at + 40], "type": "text", "text": text[at : at + 40]} for at in range(0, len(text), 40)]
    edges = [{"label": text[at : at + 40]} for at in range(0, len(text), 40)]
    return json.dumps({"nodes": [{"type": "file", "file": text, "subpath": f"#{text}"}, *nodes], "edges": edges})


def cells(text):
    return json.dumps({"cells": [{"cell_type": kind, "source": text} for kind in ("markdown", "code")]})


def many_cells(text):
    source = [text[at : at + 40] for at in range(0, len(text), 40)]
    one = [{"cell_type": "heading", "level": 1, "source": piece} for piece in source]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": source}, *one]})


def attachment(text):
    text = text.encode("utf-8", "replace").decode()
    pieces = list(enumerate(text[at : at + 40] for at in range(0, len(text), 40)))[:MAX_PAGES]
    headings = tuple((1, piece, at) for at, piece in pieces)
    return to_json(Extracted(text=text, title=text, author=text, headings=headings, pages=tuple(pieces), problem=text))


def as_it_is(text):
    return text


FORMS = [  # a type, how a text stands in such a file, and what may stand before it
    ("canvas", as_it_is, ["", '{"nodes": [', '{"nodes": [{"text": "']),
    ("canvas", cards, BEFORE),
    ("canvas", many_cards, [""]),
    ("ipynb", as_it_is, ["", '{"cells": [', '{"cells": [{"source": ["']),
    ("ipynb", cells, BEFORE),
    ("ipynb", many_cells, [""]),
    ("base", as_it_is, ["", "views:\n", 'views:\n- name: "']),
    ("org", as_it_is, ["", "* ", "#+TITLE: ", "#+BEGIN_SRC\n", "[[a]["]),
    ("rst", as_it_is, ["", "a\n=", "`", ".. |", ":doc:`"]),
    ("adoc", as_it_is, ["", "= ", "----\n", "link:a[", "<<"]),
    ("html", as_it_is, ["", "<pre>", "<title>", "<script>", "<a href=", '<a href="', "<h1>"]),
    ("csv", as_it_is, ["", '"', "a,b\n"]),
    ("pdf", attachment, [""]),
]
OWN = {  # signs that only these types know
    "org": ["* a :b:\n", "* ", "[[a][", "]]", "#+TITLE: a\n", "#+BEGIN_SRC\n", ":a", "[[file:a.b::"],
    "rst": ["a\n===\n", "===\n", "===\na\n===\n", ".. ", ".. image:: a\n", ":doc:`a`", "`a <b>`_ ", "`_", "<"],
    "adoc": ["= a\n", "== ", "----\n", "link:", "link:a[", "<<a,", "<<", "include::a[]\n", "xref:"],
    "html": [
        *(
            "<!",
            "<?",
            "<a>",
            "<a href=",
            "<a '\">",
            "<p>",
            "</p>",
            "<h1>",
            "<td>",
            "<pre>",
            "</pre>",
            "<svg>",
            "<svg/>",
        ),
        *("<script>", "</script", "<title>", "<textarea>", "<p a='", '<p a="', "&#1;", "&a", "<svg/>"),
    ],
    "base": ["views:\n", "- name: a\n", "name: '", 'name: "', "  - "],
    "csv": ["a,", '"a","b"\n', '"', ",\n"],
}
IS_IN_JSON = {cards, many_cards, cells, many_cells}
IDS = [f"{kind} {form.__name__}" for kind, form, _ in FORMS]


def read(kind):
    def work(text):
        parse_text(NoteId(f"a.{kind}"), text, modified=0.0, size_bytes=len(text), clock=lambda: 0.0)

    return work


def attacks(kind, befores):
    """Texts of signs, each in one of the places, and those made from the patterns of the type."""
    own = OWN.get(kind, ())
    yield from (Attack(befores[at % len(befores)], (unit,), AFTER[at % 2]) for at, unit in enumerate(UNITS))
    yield from (Attack(before, (unit,), AFTER[at % 2]) for unit in own for at, before in enumerate(befores))
    module = getmodule(READ[kind]).__name__
    for name, (pattern, _) in found().items():
        if name.startswith(module):
            yield from attacks_on(pattern.pattern, pattern.flags)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "form", "befores"), FORMS, ids=IDS)
def test_a_file_takes_time_that_grows_with_its_length(kind, form, befores):
    is_markdown = form in IS_IN_JSON  # takes longer, and `test_slow_notes` tries more of it
    sizes, quick_s = ((1_000, 12_000), 8e-6) if is_markdown else ((1_000, 60_000), 1e-6)
    for attack in dict.fromkeys(attacks(kind, befores)):

        def text_of(size, attack=attack):
            return form(attack.text(size))

        assert too_slow(read(kind), text_of, sizes=sizes, quick_s=quick_s) is None, attack


def test_every_type_that_has_a_reader_is_tried():
    assert {READ[kind] for kind, _, _ in FORMS} == set(READ.values())
    assert {kind for kind, _, _ in FORMS} == set(READ) - {*EXTRACTED_TYPES, IMAGE} | {"pdf"}


def test_an_attachment_is_read_and_not_refused():
    assert parse_text(NoteId("a.pdf"), attachment("oak " * 100), modified=0.0, size_bytes=0).body.startswith("oak")


def test_a_reader_that_looks_through_the_rest_at_each_sign_is_too_slow():
    def work(text):
        for at in range(len(text)):
            re.compile("[^\\w<]").search(text, at)

    assert too_slow(work, lambda size: "<" * size, sizes=(300,), quick_s=1e-8) is not None
