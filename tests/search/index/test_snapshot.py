"""An engine that begins with a snapshot answers as one that reads the whole vault."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kit.engines import many

import search as search_package
from search.cache.folder import snapshot_path
from search.engine import Engine
from search.ids import NoteId
from search.index.snapshot import _code_files, load_snapshot
from search.query import Mode, Query
from search.settings import Settings
from search.vault.markdown import parse_note
from search.vault.note_bytes import pack_notes, unpack_note
from search.vault.packed import PackedGroup
from search.vault.settings import VaultSettings
from vaults import ids, search, write

_LONG_AGO = 1_600_000_000

WORDS = [
    "oak",
    "running",
    "runs",
    "shutterTimeout",
    "retry_count",
    "知識",
    "Straße",
    "der und die das",
    "#elm",
    "[[a]]",
]
NAMES = ["a.md", "b.md", "x/a.md", "x/Ünï.md", "y/c d.md"]
TEXTS = st.lists(st.sampled_from([*WORDS, "# Oak", "![[b]]", "up:: [[x/a|A]]", "\n"]), max_size=12).map(" ".join)
VAULTS = st.dictionaries(st.sampled_from(NAMES), TEXTS)
QUERIES = ["oak", "run", "shutter", "知識", "oka", "tag:elm", "path:x", '"oak runs"', "strasse", "retry count", "c d"]


@pytest.fixture(autouse=True)
def every_note_counts(monkeypatch):
    """Small vaults get a snapshot too."""
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)


def lay_out(root, texts):
    """Make the vault hold exactly these notes, written long ago; a note with the same text is not touched."""
    root.mkdir(exist_ok=True)
    for path in list(root.rglob("*.md")):
        if path.relative_to(root).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (_LONG_AGO, _LONG_AGO))
    return root


def opened(root, snapshot=None, **options):
    options = {"mode": Mode.KEYWORD, "enable_semantic": False, **options}
    return Engine(root, Settings(**options), snapshot=snapshot)


def saved(root, snapshot, **options):
    """Read the vault and write its snapshot; return the engine."""
    engine = opened(root, snapshot, **options)
    engine.refresh()
    engine.save_snapshot()
    return engine


def n_read(engine, monkeypatch):
    """Refresh; return how many files were read."""
    loaded = []
    load = engine._vault._load
    monkeypatch.setattr(engine._vault, "_load", lambda note: loaded.append(note) or load(note))
    engine.refresh()
    return len(loaded)


def everything(engine):
    """What an engine says of its vault, in a form that can be compared."""
    answers = []
    for text in QUERIES:
        result = engine.search(Query(text=text))
        answers.append([(found.hit.id, round(found.hit.score, 9), found.snippets) for found in result.hits])
    corpus, library = engine.indexer.corpus, engine.library()
    return {
        "answers": answers,
        "notes": dict(library.notes),
        "symbols": engine.symbols("a"),
        "related": {note: {near.found.hit.id for near in engine.related(note).notes} for note in library.notes},
        "backlinks": {note: corpus.links.backlinks(note) for note in library.notes},
        "languages": {note: corpus.languages.of(note) for note in library.notes},
        "folders": dict(corpus.notes_per_folder),
        "skipped": dict(engine.status().skipped),
        "notices": engine.status().notices,
    }


@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=VAULTS, after=VAULTS, is_searched=st.booleans())
def test_after_any_changes_the_answers_are_those_of_a_vault_that_was_read_anew(
    tmp_path_factory, before, after, is_searched
):
    folder = tmp_path_factory.mktemp("law")
    first = saved(lay_out(folder / "v", before), folder / "snapshot")
    if is_searched:  # the stems are in the snapshot then
        search(first, "running oak")
        first.indexer._n_unsaved = len(before)
        first.save_snapshot()
    root = lay_out(folder / "v", after)
    again = opened(root, folder / "snapshot")
    assert everything(again) == everything(opened(root))
    again.save_snapshot()  # from a snapshot and changes, one that is as good
    assert everything(opened(root, folder / "snapshot")) == everything(opened(root))


def test_only_what_changed_is_read(tmp_path, monkeypatch):
    root = lay_out(tmp_path / "v", {f"n{n}.md": f"oak {n}" for n in range(20)})
    saved(root, tmp_path / "s")
    assert n_read(opened(root, tmp_path / "s"), monkeypatch) == 0
    lay_out(root, {f"n{n}.md": f"oak {n}" if n > 2 else f"elm {n}" for n in range(21)})
    engine = opened(root, tmp_path / "s")
    assert n_read(engine, monkeypatch) == 4
    assert len(search(engine, "elm").hits) == 3


def rewritten(path):
    """Other text of the same size, with the same time."""
    with path.open("r+") as file:
        file.write("elm")
    os.utime(path, (_LONG_AGO, _LONG_AGO))


def replaced(path):
    """Another file of the same size and time in its place."""
    other = path.with_name("other")
    other.write_text("elm")
    os.utime(other, (_LONG_AGO, _LONG_AGO))
    other.replace(path)


def restored(path):
    """The folder's older copy in its place, as from a backup."""
    backup = path.parent.with_name("backup")
    shutil.copytree(path.parent, backup)
    (backup / path.name).write_text("elm")
    shutil.rmtree(path.parent)
    backup.rename(path.parent)
    os.utime(path, (_LONG_AGO, _LONG_AGO))


@pytest.mark.parametrize("change", [rewritten, replaced, restored])
def test_a_file_changed_behind_its_size_and_time_is_read(tmp_path, change):
    root = lay_out(tmp_path / "v", {"a.md": "oak", "b.md": "ash"})
    saved(root, tmp_path / "s")
    change(root / "a.md")
    engine = opened(root, tmp_path / "s")
    assert ids(search(engine, "elm")) == ["a.md"]
    assert ids(search(engine, "oak")) == []


def test_a_file_written_in_the_last_tick_is_read_again(tmp_path, monkeypatch):
    root = lay_out(tmp_path / "v", {"a.md": "oak", "b.md": "ash"})
    monkeypatch.setattr("search.vault.vault.may_change_unseen", lambda stat: stat.size == 3 and stat is not None)
    saved(root, tmp_path / "s")
    assert n_read(opened(root, tmp_path / "s"), monkeypatch) == 2


def test_an_open_buffer_is_not_saved_and_survives_the_start(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "oak", "b.md": "ash"})
    first = opened(root, tmp_path / "s")
    first.open_buffer(NoteId("a.md"), "fir")
    first.open_buffer(NoteId("never saved.md"), "fir")
    first.refresh()
    first.save_snapshot()
    again = opened(root, tmp_path / "s")
    again.open_buffer(NoteId("b.md"), "yew")
    assert ids(search(again, "oak")) == ["a.md"]
    assert ids(search(again, "fir")) == []
    assert ids(search(again, "yew")) == ["b.md"]
    assert ids(search(again, "ash")) == []
    again.close_buffer(NoteId("b.md"))
    assert ids(search(again, "ash")) == ["b.md"]


@pytest.mark.parametrize(
    "changed",
    [
        {"exclude": ("a.md",)},
        {"exclude": ("#elm",)},
        {"include": ("b.md",)},
        {"deny": ("a.md",)},
        {"deny": ("#elm",)},
        {"allow": ("b.md",)},
        {"max_note_bytes": 2048},
    ],
)
def test_other_settings_do_not_use_the_snapshot(tmp_path, changed):
    root = lay_out(tmp_path / "v", {"a.md": "oak #elm", "b.md": "oak"})
    saved(root, tmp_path / "s")
    vault = VaultSettings(**changed)
    assert everything(opened(root, tmp_path / "s", vault=vault)) == everything(opened(root, vault=vault))


def test_other_code_does_not_use_the_snapshot(tmp_path, monkeypatch):
    root = lay_out(tmp_path / "v", {"a.md": "oak"})
    saved(root, tmp_path / "s")
    monkeypatch.setattr("search.index.snapshot._code_files", lambda: (("markdown.py", 1, 2),))
    assert n_read(opened(root, tmp_path / "s"), monkeypatch) == 1


def test_the_code_that_a_snapshot_depends_on_has_the_types_of_files_and_their_readers():
    files = {Path(path).relative_to(Path(search_package.__file__).parent).as_posix() for path, _, _ in _code_files()}
    assert {"ids.py", "vault/kinds/canvas.py", "vault/markdown.py", "index/corpus.py"} <= files


def test_obsidians_excluded_files_count_as_they_are_now(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "oak", "x/b.md": "oak"})
    saved(root, tmp_path / "s")
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["x/"]}')
    assert ids(search(opened(root, tmp_path / "s"), "oak")) == ["a.md"]


def test_notices_about_notes_are_kept(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "oak"})
    (root / "b.md").write_bytes(b"caf\xe9 oak")
    os.utime(root / "b.md", (_LONG_AGO, _LONG_AGO))
    expected = saved(root, tmp_path / "s").status().notices
    again = opened(root, tmp_path / "s")
    again.refresh()
    assert expected
    assert again.status().notices == expected


def test_nothing_is_kept_of_few_notes_or_without_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 30)
    root = write(tmp_path / "v", many(29))
    saved(root, tmp_path / "s")
    assert not (tmp_path / "s").exists()
    write(root, "--- one more.md\noak")
    saved(root, tmp_path / "s")
    assert (tmp_path / "s").exists()


def test_a_few_changes_do_not_write_it_again_and_many_do(tmp_path):
    root = lay_out(tmp_path / "v", {f"n{n}.md": "oak" for n in range(64)})
    saved(root, tmp_path / "s")
    before = (tmp_path / "s").read_bytes()
    lay_out(root, {f"n{n}.md": "oak" if n > 2 else "elm" for n in range(64)})
    saved(root, tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == before
    lay_out(root, {f"n{n}.md": "oak" if n > 3 else "elm" for n in range(64)})
    saved(root, tmp_path / "s")
    assert (tmp_path / "s").read_bytes() != before


def test_a_folder_that_cannot_be_written_changes_no_answer(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "oak"})
    (tmp_path / "file").write_text("no folder")
    assert ids(search(saved(root, tmp_path / "file" / "s"), "oak")) == ["a.md"]


def test_a_server_writes_it_by_itself_when_no_note_has_been_read_for_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._QUIET_S", 0.0)
    root = lay_out(tmp_path / "v", {f"n{n}.md": "oak" for n in range(100)})
    engine = opened(root, tmp_path / "s")
    engine.refresh()
    while not (tmp_path / "s").exists():
        pass
    assert load_snapshot(tmp_path / "s", opened(root).indexer.corpus, opened(root)._vault)
    engine.close()


def test_a_closed_engine_writes_nothing_more(tmp_path):
    root = lay_out(tmp_path / "v", {f"n{n}.md": "oak" for n in range(100)})
    engine = opened(root, tmp_path / "s")
    engine.refresh()
    saver = engine.indexer._saver
    engine.close()
    if saver is not None:
        saver.join(20)
    assert not (tmp_path / "s").exists()


@given(
    st.text(st.characters(codec=None), max_size=80),
    st.sampled_from(["", "---\naliases: [x, y]\ntags: [a/b]\nup: '[[z]]'\n---\n"]),
)
def test_a_note_comes_back_as_it_was(text, front):
    note = parse_note(NoteId("x/n\udcff.md"), f"{front}# {text}\n![[{text}#h|s]] {text} [a](b%20c.md#x)").note
    assert PackedGroup(pack_notes([note, note]), unpack_note).transient_values() == [note, note]


def test_the_words_of_a_name_do_not_keep_the_note_in_memory(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "# Oak", "b.md": "# Elm"})
    saved(root, tmp_path / "s")
    engine = opened(root, tmp_path / "s")
    engine.refresh()
    corpus = engine.indexer.corpus
    corpus.captions_of(NoteId("a.md"))
    assert corpus.notes.transient(NoteId("a.md")) is not corpus.notes.transient(NoteId("a.md"))


def test_clearing_deletes_it(tmp_path):
    root = lay_out(tmp_path / "v", {"a.md": "oak"})
    engine = saved(root, tmp_path / "s")
    engine.clear_snapshot()
    assert not (tmp_path / "s").exists()
    engine.clear_snapshot()


def test_clearing_deletes_those_of_all_who_read_the_vault_and_of_no_other_vault(tmp_path):
    cache, root = tmp_path / "cache", lay_out(tmp_path / "v.x", {"a.md": "oak"})
    paths = [snapshot_path(cache, root, rules) for rules in ((), ("-/a/",), ("+/a/",))]
    other = snapshot_path(cache, tmp_path / "w")
    cache.mkdir()
    for path in (*paths, other):
        path.touch()
    opened(root, paths[1]).clear_snapshot()
    assert list(cache.iterdir()) == [other]
