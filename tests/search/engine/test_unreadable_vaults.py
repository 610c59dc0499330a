"""Vaults and notes that cannot be read, change or vanish: one bad note never costs the others."""

import pytest
from kit.engines import engine_of, many

from search.engine import Engine
from search.errors import VaultError
from search.ids import NoteId
from search.query import Query
from search.vault import file
from search.vault.markdown import parse_note
from vaults import ask, codes, ids, write


def test_a_vault_that_vanishes_raises_and_is_searched_again_when_it_returns(tmp_path):
    root, away = tmp_path / "vault", tmp_path / "away"
    engine = engine_of(root, "--- a.md\noak", clock=iter(range(0, 100, 2)).__next__)
    assert ask(engine, "oak") == ["a.md"]
    root.rename(away)
    for _ in range(2):
        with pytest.raises(VaultError, match=f"^{root}: no such folder$"):
            ask(engine, "oak")
    assert engine.status().n_notes == 1
    away.rename(root)
    assert ask(engine, "oak") == ["a.md"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "no such folder"), ("file.md", "a file, not a folder"), ("file.md/x", "not a folder")],
)
def test_a_vault_must_be_a_folder(tmp_path, name, reason):
    write(tmp_path, "--- file.md\nx")
    with pytest.raises(VaultError, match=reason) as caught:
        Engine(tmp_path / name)
    assert caught.value.path == str(tmp_path / name)


def test_a_vault_without_permission_raises_and_says_so(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(VaultError, match="no permission"):
        Engine(tmp_path)


def test_an_unreadable_note_is_reported_and_the_others_are_found(tmp_path, monkeypatch):
    read = file.read_bytes

    def refuse(path, **options):
        if path.endswith("locked.md"):
            raise PermissionError(13, "Permission denied")
        return read(path, **options)

    monkeypatch.setattr(file, "read_bytes", refuse)
    engine = engine_of(tmp_path, "--- a.md\noak\n--- locked.md\noak")
    assert ask(engine, "oak") == ["a.md"]
    assert list(engine.status().skipped) == ["locked.md"]
    assert engine.explain(Query(text="oak"), NoteId("locked.md")).step == "excluded"


def test_explain_names_the_excluded_folder_above_a_note(tmp_path):
    (tmp_path / "outside/x").mkdir(parents=True)
    (tmp_path / "outside/x/evil.md").write_text("oak")
    engine = engine_of(tmp_path / "vault", "--- a.md\noak")
    (tmp_path / "vault/out").symlink_to(tmp_path / "outside")
    reason = engine.explain(Query(text="oak"), NoteId("out/x/evil.md"))
    assert (reason.step, reason.sentence) == ("excluded", "Its folder out is not searched: a link out of the vault.")
    assert engine.explain(Query(text="oak"), NoteId("in/x/evil.md")).step == "missing"


def test_a_note_deleted_before_it_is_shown_is_left_out(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak\n--- b.md\noak")
    ask(engine, "elm")
    (tmp_path / "b.md").unlink()
    assert ask(engine, "oak") == ["a.md"]


@pytest.mark.parametrize("vault", ["", "--- empty.md\n", "--- blank.md\n\n\n", "--- front.md\n---\n---\n"])
def test_a_vault_without_words_gives_an_empty_answer(tmp_path, vault):
    engine = engine_of(tmp_path, vault)
    result = engine.search(Query(text="oak"))
    assert (ids(result), result.total, result.is_complete) == ([], 0, True)


def test_a_shown_note_with_a_guessed_encoding_has_a_notice(tmp_path):
    engine = engine_of(tmp_path, many(2))
    (tmp_path / "old.md").write_bytes("oak caf\xe9".encode("latin-1"))
    (tmp_path / "elm.md").write_bytes("elm caf\xe9".encode("latin-1"))
    notices = engine.search(Query(text="oak")).notices
    assert [(notice.code, notice.subject) for notice in notices] == [("encoding", "old.md")]


def test_a_note_that_breaks_the_parser_is_reported_and_the_others_are_found(tmp_path, monkeypatch):
    def broken(note_id, text, **more):
        if note_id == "bad.md":
            raise RecursionError
        return parse_note(note_id, text, **more)

    monkeypatch.setattr("search.vault.file.parse_note", broken)
    write(tmp_path, "--- bad.md\nthe oak\n--- good.md\n# Oak\nthe oak")
    answer = Engine(tmp_path).search(Query(text="oak"))
    assert sorted(ids(answer)) == ["bad.md", "good.md"]
    assert ("degraded", "unparsed", "bad.md") in [(n.kind, n.code, n.subject) for n in answer.notices]


def test_a_folder_without_notes_has_a_notice(tmp_path):
    assert codes(Engine(tmp_path).search(Query(text="oak"))) == ["empty-vault"]


def test_a_note_that_changed_since_the_last_sweep_is_searched_again(tmp_path):
    """Sweeps are a second apart, but the notes about to be shown are checked each time."""
    write(tmp_path, "--- a.md\nthe oak\n--- b.md\nthe oak")
    engine = Engine(tmp_path, clock=lambda: 0.0)
    assert sorted(ids(engine.search(Query(text="oak")))) == ["a.md", "b.md"]
    (tmp_path / "a.md").rename(tmp_path / "c.md")
    (tmp_path / "b.md").write_text("an elm", encoding="utf-8")
    assert ids(engine.search(Query(text="oak"))) == ["c.md"]
