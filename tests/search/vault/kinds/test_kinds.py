"""What is read of each type of file: text, title, headings, links and tags."""

import json

import pytest

from search.ids import NoteId
from search.vault.file import parse_text


def parsed(path, text):
    return parse_text(NoteId(path), text, modified=0.0, size_bytes=len(text))


def canvas(*nodes, edges=()):
    return json.dumps({"nodes": list(nodes), "edges": list(edges)})


def card(text):
    return {"type": "text", "text": text}


def headings(found):
    return [(heading.level, heading.text) for heading in found.note.headings]


def links(found):
    return [(link.target, link.heading or link.block, link.kind.value) for link in found.note.links]


CANVAS = canvas(
    card("# Oak\nGrows by [[river|water]] #tree\n## Bark"),
    {"type": "group", "label": "Forest"},
    {"type": "file", "file": "notes/Elm.md", "subpath": "#Leaves"},
    card("- [ ] **Plant** an ash"),
    {"type": "link", "url": "https://example.org/trees"},
    edges=[{"fromNode": "1", "toNode": "2", "label": "shades"}, {"fromNode": "1"}],
)


def test_a_canvas_is_its_labels_and_then_its_cards():
    found = parsed("b/Woods.canvas", CANVAS)
    assert found.body.split("\n\n") == [
        "Forest\nnotes/Elm.md#Leaves\nhttps://example.org/trees\nshades",
        "# Oak\nGrows by [[river|water]] #tree\n## Bark",
        "- [ ] **Plant** an ash",
    ]
    assert found.note.title == "Woods"
    assert found.note.tags == ("tree",)


def test_cards_are_sections_of_one_level_with_their_heading_or_first_words():
    found = parsed("Woods.canvas", CANVAS)
    assert headings(found) == [(2, "Oak"), (3, "Bark"), (2, "Plant an ash")]
    assert [section.heading_path for section in found.note.sections] == [
        (),
        ("Oak",),
        ("Oak", "Bark"),
        ("Plant an ash",),
    ]


def test_cards_with_files_are_embeds_and_addresses_are_no_links():
    assert links(parsed("Woods.canvas", CANVAS)) == [("notes/Elm.md", "Leaves", "embed"), ("river", "", "wiki")]


@pytest.mark.parametrize("path", ["a#b|c.md", "50%20.md", "[x].md"])
def test_signs_in_the_path_of_a_card_have_no_meaning(path):
    assert links(parsed("x.canvas", canvas({"type": "file", "file": path}))) == [(path, "", "embed")]


@pytest.mark.parametrize("opened", ["```\ncode", "%% comment", "<!-- comment", "$$ x", "~~~"])
def test_what_one_card_leaves_open_hides_nothing_of_the_next(opened):
    found = parsed("x.canvas", canvas(card(opened), card("# Elm\n[[ash]] #tree")))
    assert links(found) == [("ash", "", "wiki")]
    assert found.note.tags == ("tree",)
    assert (2, "Elm") in headings(found)


def test_a_long_first_line_is_a_heading_by_its_first_words():
    found = parsed("x.canvas", canvas(card("oak " * 100)))
    assert headings(found) == [(2, " ".join(["oak"] * 20) + "…")]


@pytest.mark.parametrize(
    ("n_unknown", "said"),
    [(1, "1 card of an unknown type is not used"), (3, "3 cards of unknown types are not used")],
)
def test_cards_of_unknown_types_are_counted(n_unknown, said):
    unknown = [{"type": "sketch", "text": "elm"}, {}, {"type": ["text"]}][:n_unknown]
    found = parsed("x.canvas", canvas(card("oak"), *unknown, {"label": "Trees"}))
    assert found.body == "Trees\n\noak"
    assert [notice.message for notice in found.notices] == [f"x.canvas: {said}"]


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"nodes": [], "edges": []}'])
def test_an_empty_canvas_is_no_problem(text):
    found = parsed("x.canvas", text)
    assert (found.body, found.notices) == ("", ())


NOTEBOOK = {
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Rings\n", "See [elm](elm.md) and #dating."]},
        {"cell_type": "code", "source": "count = 3  # not [[a link]]", "outputs": [{"text": "secret output"}]},
        {"cell_type": "raw", "source": []},
    ],
}


def test_a_notebook_is_its_cells_without_outputs():
    found = parsed("x.ipynb", json.dumps(NOTEBOOK))
    assert found.body == ("# Rings\nSee [elm](elm.md) and #dating.\n\n```python\ncount = 3  # not [[a link]]\n```")
    assert (found.note.title, found.note.tags, links(found)) == ("Rings", ("dating",), [("elm.md", "", "markdown")])


def test_code_with_fences_stays_one_block():
    cells = [
        {"cell_type": "code", "source": 'x = "```"\n```\n# no heading'},
        {"cell_type": "markdown", "source": "# Y"},
    ]
    assert headings(parsed("x.ipynb", json.dumps({"cells": cells}))) == [(1, "Y")]


def test_cells_of_old_notebooks_are_read():
    cells = [{"cell_type": "heading", "level": 2, "source": ["Bark"]}, {"cell_type": "code", "input": ["beech = 1"]}]
    found = parsed("x.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert found.body == "## Bark\n\n```\nbeech = 1\n```"


HTML = """<!DOCTYPE html>
<html><head><title>Oak &amp; elm</title><style>p { color: red }</style></head>
<body onload="if (a > b) go()"><!-- hidden --><h1>The <b>oak</b></h1>
<p>An acorn, <a href="trees/ash%20tree.html?x=1#Bark">the ash</a>, <a href='https://example.org'>web</a>,
1 < 2<script>if (a < b) { evil() }</script></p>
<table><tr><th>name</th><th>age</th></tr><tr><td>old</td><td>900</td></tr></table>
<pre>x
  y</pre></body></html>"""


def test_a_web_page_is_what_its_reader_sees():
    found = parsed("x.html", HTML)
    assert found.body == "The oak\nAn acorn, the ash, web, 1 < 2\nname age\nold 900\nx\n  y"
    assert found.note.title == "Oak & elm"
    assert headings(found) == [(1, "The oak")]
    assert links(found) == [("trees/ash tree.html", "Bark", "markdown")]


def test_org_headlines_links_and_tags():
    text = """#+TITLE: Woods
#+FILETAGS: :forest:
* DONE [#A] Oak :old:wet:
[[file:elm.org::*Bark][the elm]] [[https://example.org][web]] [[*Ash]]
#+BEGIN_SRC sh
* no headline
#+END_SRC
** Bark"""
    found = parsed("x.org", text)
    assert (found.body, found.note.title) == (text, "Woods")
    assert found.note.tags == ("forest", "old", "wet")
    assert [(heading.level, heading.text, heading.line) for heading in found.note.headings] == [
        (1, "Oak", 2),
        (2, "Bark", 7),
    ]
    assert links(found) == [("elm.org", "Bark", "markdown")]


def test_rst_headings_and_links():
    text = """=====
Woods
=====

Oaks and `elms <elm.rst>`_, :doc:`ash`, :doc:`old beech <beech>`, `web <https://example.org>`_.

Bark
----

.. image:: bark.png

====  ====
oak   3
====  ====
"""
    found = parsed("x.rst", text)
    assert (found.note.title, headings(found)) == ("Woods", [(1, "Woods"), (2, "Bark")])
    assert links(found) == [
        ("elm.rst", "", "markdown"),
        ("ash.rst", "", "markdown"),
        ("beech.rst", "", "markdown"),
        ("bark.png", "", "embed"),
    ]


def test_adoc_titles_and_links():
    text = """= Woods

== Oak
link:elm.adoc[elms] <<ash.adoc#bark,ashes>> <<own>> image::oak.png[] https://example.org[web]
----
== no title
----
"""
    found = parsed("x.adoc", text)
    assert (found.note.title, headings(found)) == ("Woods", [(1, "Woods"), (2, "Oak")])
    assert links(found) == [
        ("elm.adoc", "", "markdown"),
        ("oak.png", "", "embed"),
        ("ash.adoc", "bark", "markdown"),
    ]


def test_a_base_is_its_text_with_its_views_as_headings():
    text = """filters:
  and:
    - file.hasTag("tree")
properties:
  name:
    displayName: Species
views:
  - type: table
    name: "All trees"
  - type: cards
    name: Old ones
"""
    found = parsed("x.base", text)
    assert (found.body, headings(found)) == (text, [(2, "All trees"), (2, "Old ones")])
    assert found.note.links == found.note.tags == ()


def test_a_table_is_its_rows_and_has_no_markup():
    text = "name,note\noak,#1 [[x]]\n# elm,y\n"
    found = parsed("x.csv", text)
    assert (found.body, headings(found), links(found), found.note.tags) == (text, [], [], ())


def test_plain_text_is_read_as_a_note():
    found = parsed("x.txt", "# Oak\n[[elm]] #tree")
    assert (found.note.title, links(found), found.note.tags) == ("Oak", [("elm", "", "wiki")], ("tree",))


@pytest.mark.parametrize("heading", ["# Text Elements", "# Excalidraw Data\n\n## Text Elements"])
def test_a_drawing_is_its_texts_and_not_its_data(heading):
    text = f"""---
excalidraw-plugin: parsed
---
{heading}
an acorn ^abcd1234

%%
# Drawing
```compressed-json
N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZAHoFAc0JRJQgEYA6bGwC2CgF7N6hbEcK
```
%%"""
    found = parsed("Sketch.excalidraw.md", text)
    assert found.note.title == "Sketch.excalidraw"
    assert "an acorn" in found.body
    assert "N4KAkARALgngDgUw" not in found.body


@pytest.mark.parametrize("tag", ['<a data-href="a.md" href="oak.md">', "<a title='href=a.md' HREF = oak.md>"])
def test_a_link_of_a_web_page_is_its_href_and_no_other_attribute(tag):
    assert links(parsed("x.html", f"{tag}oak</a>")) == [("oak.md", "", "markdown")]


@pytest.mark.parametrize("name", ["script", "style"])
def test_code_without_an_end_is_not_text(name):
    assert parsed("x.html", f"<p>oak<{name}>elm()").body == "oak"


def test_a_carriage_return_written_as_a_number_is_a_line_break():
    found = parsed("x.html", "<pre>oak&#13;elm</pre><h1>ash</h1>")
    assert found.body == "oak\nelm\nash"
    assert [heading.line for heading in found.note.headings] == [2]


def test_an_indented_block_of_org_is_code():
    assert links(parsed("x.org", "- list\n  #+begin_src sh\n  [[a.b]]\n  #+end_src\n  [[elm.org]]")) == [
        ("elm.org", "", "markdown")
    ]
