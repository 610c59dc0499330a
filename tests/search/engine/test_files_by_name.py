"""Files without text that is read, such as images, are entries that are found by name, path and the links to them."""

import pytest

from search.engine import Engine
from search.errors import ConfigError
from search.ids import NoteId
from search.query import Query
from search.settings import Settings
from search.vault.settings import VaultSettings
from vaults import ask, search, write

NOTES = """
--- Trip.md
# Our trip
The ticket is ![[ticket 2024.rtf]] and the map [here](img/Old%20map.png).
--- Oak.md
An oak on an old map.
--- log/a.md
See ![[Old map.png]].
"""
FILES = ["ticket 2024.rtf", "img/Old map.png", "img/Pasted image 1.png", "talk.mp3", "data.bin", "Makefile", "a.tar.gz"]


def vault(folder, notes=NOTES, files=FILES):
    write(folder, notes)
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\x89\0acorn secret")
    return folder


@pytest.fixture
def engine(tmp_path):
    opened = Engine(vault(tmp_path))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ticket 2024.rtf", "ticket 2024.rtf"),
        ("talk", "talk.mp3"),
        ("makefile", "Makefile"),
        ("pasted", "img/Pasted image 1.png"),
        ("file:*.rtf", "ticket 2024.rtf"),
        ("type:document", "ticket 2024.rtf"),
        ("type:image old", "img/Old map.png"),
        ("type:audio", "talk.mp3"),
        ("type:archive", "a.tar.gz"),
        ("type:file data", "data.bin"),
        ("path:img pasted", "img/Pasted image 1.png"),
    ],
)
def test_every_file_is_found_by_its_name_path_and_type(engine, query, expected):
    assert ask(engine, query)[0] == expected


def test_what_is_in_such_a_file_is_not_read(engine):
    assert ask(engine, "acorn") == []


def test_a_file_is_shown_with_the_lines_that_link_to_it(engine):
    (shown,) = search(engine, "type:image file:old").hits
    assert [snippet.text for snippet in shown.snippets] == [
        "Our trip: The ticket is ![[ticket 2024.rtf]] and the map [here](img/Old%20map.png).",
        "a: See ![[Old map.png]].",
    ]
    (start, end), *_ = shown.snippets[1].highlights
    assert shown.snippets[1].text[start:end] == "![[Old map.png]]"
    assert shown.title == "Old map.png"


def test_links_lead_to_files_but_do_not_connect_notes_through_them(engine):
    engine.refresh()
    links = engine.indexer.corpus.links
    assert links.resolve(NoteId("Trip.md"), "ticket 2024.rtf") == "ticket 2024.rtf"
    assert links.backlinks(NoteId("img/Old map.png")) == {"Trip.md", "log/a.md"}
    assert links.outlinks(NoteId("Trip.md")) == ()


def test_related_notes_of_a_file_are_those_that_link_to_it_and_no_file_is_related(engine):
    related = engine.related(NoteId("ticket 2024.rtf"))
    assert related.notes[0].found.hit.id == "Trip.md"
    assert not any(near.found.hit.id.endswith((".png", ".rtf")) for near in engine.related(NoteId("Trip.md")).notes)


@pytest.mark.parametrize("query", ["old map", "map", "oak map"])
def test_notes_with_the_same_words_come_first(tmp_path, query):
    engine = Engine(vault(tmp_path, files=["Old map.png", "old/map.jpg", "map.rtf", "oak.zip"]))
    found = ask(engine, query)
    assert found.index("Oak.md") < min(at for at, name in enumerate(found) if not name.endswith(".md"))


def test_files_do_not_change_the_order_of_notes_or_the_rarity_of_words(tmp_path):
    notes = "".join(f"--- n{i}.md\nsnow {'fox ' * (i % 3)}lair{i % 5}\n" for i in range(12))
    plain = Engine(vault(tmp_path / "plain", notes, []))
    files = [f"pics/snow {i}.png" for i in range(300)] + [f"fox {i}.rtf" for i in range(9)]
    full = Engine(vault(tmp_path / "full", notes, files))
    for text in ("snow fox", "fox lair3", "lair1 snow", "foxx"):
        expected, found = (
            opened.search(Query(text=text, limit=100, include_terms=True)).hits for opened in (plain, full)
        )
        ranked = [one for one in found if one.hit.id.endswith(".md")]
        assert ranked
        assert [one.hit.id for one in ranked] == [one.hit.id for one in expected]
        assert [one.hit.trail[0] for one in ranked] == [one.hit.trail[0] for one in expected]


@pytest.mark.parametrize("query", ["-tag:x", "folder:img", "-type:csv"])
def test_a_filter_that_does_not_ask_for_files_lists_notes(engine, query):
    assert not {name for name in ask(engine, query) if not name.endswith(".md")}


def test_palettes_find_files_after_notes_and_list_only_notes_without_letters(engine):
    assert [symbol.note for symbol in engine.symbols("old map")][:1] == ["img/Old map.png"]
    assert {symbol.note for symbol in engine.symbols("")} == {"Trip.md", "Oak.md", "log/a.md"}


def test_files_count_apart_from_notes(engine):
    engine.refresh()
    assert (engine.status().n_notes, engine.status().n_files) == (3, len(FILES))


def test_changes_of_files_are_found(tmp_path):
    engine = Engine(vault(tmp_path))
    assert ask(engine, "talk") == ["talk.mp3"]
    (tmp_path / "talk.mp3").rename(tmp_path / "speech.mp3")
    engine.mark_changed(["talk.mp3"])
    assert ask(engine, "talk") == []
    assert ask(engine, "speech") == ["speech.mp3"]


def test_what_systems_and_editors_leave_behind_is_no_file_of_the_vault(tmp_path):
    left = ["a.md~", "~$a.docx", "#a.md#", "Thumbs.db", "desktop.ini", "x.tmp", ".DS_Store", "film.crdownload"]
    engine = Engine(vault(tmp_path, files=left))
    assert ask(engine, "type:file OR type:document") == []


def test_a_file_is_listed_without_being_opened_and_links_among_files_are_not_followed(tmp_path):
    engine = Engine(vault(tmp_path, files=["a.png"]))
    (tmp_path / "a.png").chmod(0)
    (tmp_path / "b.png").symlink_to(tmp_path / "a.png")
    assert ask(engine, "type:image") == ["a.png"]
    assert engine.status().notices == ()


def test_the_setting_chooses_the_types_of_files(tmp_path):
    vault(tmp_path)
    only = Engine(tmp_path, Settings(vault=VaultSettings(file_types=("image",))))
    assert set(ask(only, "type:image OR type:document OR type:file")) == {"img/Old map.png", "img/Pasted image 1.png"}
    rest = Engine(tmp_path, Settings(vault=VaultSettings(file_types=("file",))))
    assert set(ask(rest, "type:image OR type:file")) == {"data.bin", "Makefile"}


def test_a_snapshot_has_the_files(tmp_path):
    folder = vault(tmp_path / "v", files=[f"{i} pic.png" for i in range(300)])
    snapshot = tmp_path / "snapshot"
    first = Engine(folder, snapshot=snapshot)
    expected = ask(first, "type:image")
    first.save_snapshot()
    assert snapshot.exists()
    again = Engine(folder, snapshot=snapshot)
    assert ask(again, "type:image") == expected
    assert again.indexer.corpus.links.backlinks(NoteId("1 pic.png")) == frozenset()


def test_an_option_of_the_query_chooses_the_types(engine):
    def found(text, *types):
        return {one.hit.id for one in engine.search(Query(text=text, types=types)).hits}

    assert found("old map", "md") == {"Oak.md", "log/a.md", "Trip.md"}
    assert found("old map", "image", "document") == {"img/Old map.png"}
    assert found("", "document") == {"ticket 2024.rtf"}
    with pytest.raises(ConfigError, match="types"):
        Query(text="a", types=("pictures",))


def test_files_count_no_word_as_common_in_strengths(tmp_path):
    opened = Engine(vault(tmp_path, "--- a.md\nacorn\n--- b.md\nelm\n", [f"acorn {i}.png" for i in range(9)]))
    best = search(opened, "acorn").hits[0]
    assert best.hit.id == "a.md"
    assert [word.idf > 0 for word in best.derivation.words] == [True]
