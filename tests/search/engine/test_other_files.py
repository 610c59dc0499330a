"""Files of other types than Markdown are found, linked, related and filtered like notes, and come after them."""

import json
import os

import pytest

from search.engine import Engine
from search.errors import ConfigError
from search.ids import FILE_TYPES, NoteId
from search.query import Mode, Query
from search.settings import Settings
from search.vault.settings import VaultSettings
from vaults import ask, codes, ids, search, write

BOARD = json.dumps(
    {
        "nodes": [
            {"type": "text", "text": "# Acorns\nWhere jays hide acorns, see [[Oak]]."},
            {"type": "file", "file": "plants/Elm.md"},
        ],
        "edges": [{"label": "feeds"}],
    }
)
VAULT = f"""
--- Oak.md
# Oak
Its acorns are on [[Board.canvas]].
--- plants/Elm.md
An elm has no acorns.
--- Board.canvas
{BOARD}
--- data/yields.csv
tree,acorns
oak,9000
--- page.html
<title>Squirrels</title><script>acorns()</script><h1>Winter store</h1><p>Nuts and <a href="Oak.md">oaks</a></p>
--- book.ipynb
{{"cells": [{{"cell_type": "code", "source": "plot(germination)", "outputs": [{{"text": "acorns"}}]}}]}}
"""


@pytest.fixture
def engine(tmp_path):
    opened = Engine(write(tmp_path, VAULT))
    yield opened
    opened.close()


def test_files_of_every_type_are_found_by_what_a_reader_sees(engine):
    assert set(ask(engine, "acorns")) == {"Oak.md", "plants/Elm.md", "Board.canvas", "data/yields.csv"}
    assert ask(engine, "germination") == ["book.ipynb"]
    assert ask(engine, "feeds") == ["Board.canvas"]
    assert ask(engine, "squirrels") == ["page.html"]


def test_an_excerpt_of_a_canvas_has_the_text_and_the_heading_of_its_card(engine):
    (board,) = (found for found in search(engine, "jays").hits if found.hit.id == "Board.canvas")
    assert [snippet.text for snippet in board.snippets] == ["Where jays hide acorns, see [[Oak]]."]
    assert [section.heading_path for section in board.sections] == [("Acorns",)]


def test_links_lead_both_ways(engine):
    engine.refresh()
    links = engine.indexer.corpus.links
    assert links.outlinks(NoteId("Board.canvas")) == ("plants/Elm.md", "Oak.md")
    assert links.backlinks(NoteId("Board.canvas")) == {"Oak.md"}
    assert links.backlinks(NoteId("Oak.md")) == {"Board.canvas", "page.html"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("acorns type:canvas", {"Board.canvas"}),
        ("acorns -type:canvas -type:csv", {"Oak.md", "plants/Elm.md"}),
        ("type:md", {"Oak.md", "plants/Elm.md"}),
        ("(type:csv OR type:html)", {"data/yields.csv", "page.html"}),
        ("file:.canvas", {"Board.canvas"}),
        ("section:(jays acorns)", {"Board.canvas"}),
        ("-type:md file:b", {"Board.canvas", "book.ipynb"}),
    ],
)
def test_filters_work_on_the_type_and_on_parts_of_any_file(engine, query, expected):
    assert set(ask(engine, query)) == expected


def test_words_with_type_in_front_stay_words_unless_a_type_of_file_follows(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\n---\ntype: guide\n---\noak\n--- b.md\nelm"))
    result = search(engine, "type:guide")
    assert "type: takes one of md, canvas, base" in result.notices[0].message
    assert ask(engine, "[type:guide]") == ["a.md"]


@pytest.mark.parametrize("query", ["acorns", '"hidden acorns"', "squirrel acorns"])
def test_of_files_with_the_same_text_the_note_comes_first(tmp_path, query):
    text = "hidden acorns of a squirrel"
    files = "".join(f"--- same.{kind}\n{text}\n" for kind in ("adoc", "csv", "md", "txt"))
    engine = Engine(write(tmp_path, files))
    for path in tmp_path.iterdir():
        os.utime(path, (1_600_000_000, 1_600_000_000))
    assert ask(engine, query) == ["same.md", "same.adoc", "same.csv", "same.txt"]


def test_a_misspelled_word_of_a_note_is_corrected_whatever_other_files_have_it(tmp_path):
    notes = "".join(f"--- {number}.md\nwe receive mail\n" for number in range(60))
    files = "".join(f"--- copy {number}.txt\nrecieve\n" for number in range(4))
    engine = Engine(write(tmp_path, f"{notes}--- wrong.md\nrecieve\n{files}"))
    assert "0.md" in [hit.hit.id for hit in search(engine, "recieve").hits]


def test_a_folder_counts_its_markdown_notes(tmp_path):
    root = write(tmp_path, "--- oaks/a.md\noak\n--- oaks/b.csv\noak\n--- oaks/c.png\n--- d.txt\noak\n")
    engine = Engine(root)
    engine.refresh()
    assert engine.indexer.corpus.notes_per_folder == {"oaks": 1}
    (root / "oaks/a.md").unlink()
    engine.mark_changed(())
    engine.refresh()
    assert engine.indexer.corpus.notes_per_folder == {}


def test_a_name_without_extension_is_that_of_the_note(tmp_path):
    files = f"--- Board.md\noak\n--- Board.canvas\n{BOARD}\n--- a.md\n[[Board]]\n--- b.md\n[[Board.canvas]]\n"
    engine = Engine(write(tmp_path, files))
    engine.refresh()
    links = engine.indexer.corpus.links
    assert links.outlinks(NoteId("a.md")) == ("Board.md",)
    assert links.outlinks(NoteId("b.md")) == ("Board.canvas",)
    assert engine.find_note("Board") == "Board.md"
    assert ask(engine, "Board")[0] == "Board.md"


def test_related_and_symbols_have_other_files(engine):
    assert "Board.canvas" in {near.found.hit.id for near in engine.related(NoteId("Oak.md")).notes}
    assert engine.related(NoteId("Board.canvas")).notes[0].found.hit.id == "Oak.md"
    assert [(symbol.name, symbol.note) for symbol in engine.symbols("winter store")] == [("Winter store", "page.html")]


def test_references_to_a_note_include_cards_and_web_pages(engine):
    library = engine.library()
    found = list(library.links_to(library.notes["Oak.md"]))
    assert [(item.note, item.text[item.span.start : item.span.end]) for item in found] == [
        ("Board.canvas", "Oak"),
        ("page.html", "Nuts and oaks"),
    ]


def test_an_open_text_replaces_the_file_and_is_shown_as_read(engine):
    card = {"nodes": [{"type": "text", "text": "magpies"}]}
    engine.open_buffer(NoteId("Board.canvas"), json.dumps(card))
    assert ask(engine, "magpies") == ["Board.canvas"]
    assert engine.library().text(NoteId("Board.canvas")) == "magpies"
    engine.close_buffer(NoteId("Board.canvas"))
    assert ask(engine, "magpies") == []


def test_a_changed_file_is_read_again(engine, tmp_path):
    assert ask(engine, "magpies") == []
    (tmp_path / "data/yields.csv").write_text("bird\nmagpies\n", encoding="utf-8")
    engine.mark_changed(["data/yields.csv"])
    assert ask(engine, "magpies") == ["data/yields.csv"]


def test_one_bad_file_is_named_and_stops_nothing(tmp_path):
    (tmp_path / "latin.csv").write_bytes("Bäume;größer\n".encode("cp1252"))
    (tmp_path / "wide.html").write_bytes("<h1>Bäume</h1>".encode("utf-16"))
    (tmp_path / "Bäume.canvas").write_bytes(b'{"nodes": [\xff')
    engine = Engine(tmp_path)
    result = search(engine, "bäume")
    assert set(ids(result)) == {"latin.csv", "wide.html", "Bäume.canvas"}
    assert "file-unread" in codes(result)


def test_a_file_beyond_the_limit_of_size_is_found_by_its_beginning(tmp_path):
    (tmp_path / "long.csv").write_bytes(b"oak,1\n" * 2_000 + b"elm,2\n")
    engine = Engine(tmp_path, Settings(vault=VaultSettings(max_note_bytes=1_024)))
    result = search(engine, "oak")
    assert (ids(result), codes(result)) == (["long.csv"], ["note-too-large"])
    assert ask(engine, "elm") == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_out_of_the_vault_is_not_followed(tmp_path):
    vault, outside = tmp_path / "vault", tmp_path / "outside.csv"
    outside.write_text("secret acorns", encoding="utf-8")
    write(vault, "--- a.md\nacorns\n")
    (vault / "b.csv").symlink_to(outside)
    (vault / "c.canvas").symlink_to("/dev/zero")
    os.mkfifo(vault / "d.html")
    engine = Engine(vault)
    assert ask(engine, "acorns") == ["a.md"]
    assert set(engine.status().skipped) == {"b.csv", "d.html"}


def test_the_setting_chooses_the_types(tmp_path):
    write(tmp_path, VAULT)
    none = Engine(tmp_path, Settings(vault=VaultSettings(file_types=())))
    assert set(ask(none, "acorns")) == {"Oak.md", "plants/Elm.md"}
    none.open_buffer(NoteId("data/yields.csv"), "acorns")
    assert set(ask(none, "acorns")) == {"Oak.md", "plants/Elm.md"}
    some = Engine(tmp_path, Settings(vault=VaultSettings(file_types=("csv",))))
    assert set(ask(some, "acorns -type:md")) == {"data/yields.csv"}
    assert set(VaultSettings().file_types) == set(FILE_TYPES)
    with pytest.raises(ConfigError, match=r"one of canvas, base.*did you mean canvas"):
        VaultSettings(file_types=("canvass",))


def test_an_excluded_folder_or_type_is_not_found(tmp_path):
    engine = Engine(write(tmp_path, VAULT), Settings(vault=VaultSettings(exclude=("data", "*.canvas"))))
    assert set(ask(engine, "acorns")) == {"Oak.md", "plants/Elm.md"}


def test_a_canvas_whose_tags_cannot_be_read_is_withheld_with_a_denied_tag(tmp_path):
    files = "--- a.canvas\n{\n--- b.canvas\n" + json.dumps({"nodes": [{"type": "text", "text": "oak #secret"}]})
    engine = Engine(write(tmp_path, files), Settings(vault=VaultSettings(deny=("#secret",))))
    result = search(engine, "a")
    assert (ids(result), codes(result), dict(engine.status().skipped)) == ([], ["empty-vault"], {})
    assert ask(engine, "oak") == []


def test_a_snapshot_of_other_types_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)
    snapshot, vault = tmp_path / "snapshot", write(tmp_path / "vault", VAULT)
    for path in vault.rglob("*.*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    first = Engine(vault, snapshot=snapshot)
    answer = [(found.hit.id, found.snippets) for found in search(first, "acorns").hits]
    first.save_snapshot()
    again = Engine(vault, snapshot=snapshot)
    monkeypatch.setattr(again._vault, "read", lambda ids: pytest.fail("read again") if [*ids] else [])
    assert [(found.hit.id, found.snippets) for found in search(again, "acorns").hits] == answer
    fewer = Engine(vault, Settings(vault=VaultSettings(file_types=("csv",))), snapshot=snapshot)
    assert "Board.canvas" not in ask(fewer, "acorns")


def test_a_context_has_passages_of_other_files(engine):
    found = engine.context(Query(text="jays hide"))
    (passage,) = (passage for passage in found.passages if passage.note == "Board.canvas")
    assert "# Acorns\nWhere jays hide acorns, see [[Oak]]." in passage.text


def test_signs_of_markdown_hide_nothing_in_other_files(tmp_path):
    files = {
        "a.html": "<title>&lt;script&gt;</title><p>&lt;script&gt; acorns() &lt;/script&gt;",
        "b.csv": "x,<acorns id=1>",
        "c.org": "%% acorns\nelm %%",
    }
    engine = Engine(write(tmp_path, "".join(f"--- {name}\n{text}\n" for name, text in files.items())))
    write(tmp_path, "--- d.md\nacorns\n--- e.md\n<acorns id=1>\n")
    assert set(ask(engine, "acorns")) == {"a.html", "b.csv", "c.org", "d.md"}
    assert set(ask(engine, "acorns()")) >= {"a.html"}
    assert ask(engine, "script") == ["a.html"]


def test_a_large_table_does_not_change_which_note_comes_first(tmp_path):
    files = f"--- short.md\nacorns {'elm ' * 20}\n--- long.md\nacorns acorns {'elm ' * 400}\n"
    alone = Engine(write(tmp_path / "alone", files))
    table = "--- table.csv\n" + "elm,ash\n" * 50_000
    together = Engine(write(tmp_path / "together", files + table))
    for engine in (alone, together):
        assert ids(search(engine, "acorns", mode=Mode.KEYWORD)) == ["short.md", "long.md"]
