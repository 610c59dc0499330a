"""Inputs that broke other products: machine-made giants, odd front matter, links between similar names."""

import pytest

from search.engine import Engine
from search.query import Query
from vaults import ask, write


def test_a_drawing_is_found_by_name_and_its_data_is_skipped_with_a_notice(tmp_path):
    small = "".join(f"--- small {n}.md\nneedle number {n}\n" for n in range(5))
    line = "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZ"
    block = "\n".join([line * 3] * 4000)
    fence = f"%%\n## Drawing\n```compressed-json\n{block}\n```\n%%"
    drawing = f"---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nlabel ^x1\n{fence}"
    engine = Engine(write(tmp_path, f"{small}--- Map.excalidraw.md\n{drawing}"))
    assert len(ask(engine, "needle")) == 5
    assert ask(engine, "map")[0] == "Map.excalidraw.md"
    assert ask(engine, line) == []
    assert [notice.subject for notice in engine.status().notices] == ["Map.excalidraw.md"]
    assert engine.status().n_words < 100


@pytest.mark.parametrize(
    ("front", "query", "is_found"),
    [
        ("tags: 2024", "tag:2024", False),
        ("tags: 2024", "body", True),
        ("tags:", "body", True),
        ("tags: a, b", "tag:a", True),
        ("tags: a, b", "tag:b", True),
        ("tags: [x, null, 3]", "tag:x", True),
        ("tags: [x, null, 3]", "tag:null", False),
        ("tags: {a: 1}", "body", True),
        ("aliases: Foo, Bar", "Bar", True),
        ("aliases: Foo, Bar", "Foo", True),
        ("aliases: 7", "7", True),
        ("aliases: [x, null, [y]]", "x", True),
        ("tags: [a", "body", True),
        ("tags: [a", '"tags"', True),
        ("author: John Doe", "doe", True),
        ("status: draft", '"status"', False),
        ("priority: 1", '"1"', True),
        ("done: true", "true", True),
        ("date: 2024-01-05", "2024-01-05", True),
        ("nested: {deep: buried}", "buried", False),
    ],
)
def test_broken_front_matter_never_loses_the_note(tmp_path, front, query, is_found):
    engine = Engine(write(tmp_path, f"--- a.md\n---\n{front}\n---\nbody\n--- other.md\nother"))
    assert ask(engine, query) == (["a.md"] if is_found else [])


AMBIGUOUS = """
--- todo.md
subject
--- another-todo.md
subject
--- a/b/todo.md
subject
"""


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[[todo]]", "todo.md"),
        ("[[a/b/todo|t]]", "a/b/todo.md"),
        ("[t](./todo.md#h)", "todo.md"),
        ("[[another-todo#x|y]]", "another-todo.md"),
        ("![[todo]]", "todo.md"),
        ("[[TODO]]", "todo.md"),
    ],
)
def test_a_link_counts_only_for_its_target(tmp_path, link, target):
    engine = Engine(write(tmp_path, f"{AMBIGUOUS}--- linker.md\nsubject {link}"))
    hits = engine.search(Query(text="subject")).hits
    linked = {
        found.hit.id: graph.backlinks for found in hits if (graph := found.hit.evidence.graph) and graph.backlinks
    }
    assert linked == {target: 1}


def test_a_link_to_a_missing_note_creates_no_note(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\nsee [[never written]]"))
    assert ask(engine, "never written") == ["a.md"]
    assert engine.status().n_notes == 1
