"""The vault's snapshot: files, saves by renaming, deletions, open buffers, exclusions."""

import os
import threading
from pathlib import Path

import pytest

from search.budget import Budget, Cancelled
from search.errors import ConfigError, VaultError
from search.ids import NoteId
from search.vault import file
from search.vault.settings import VaultSettings
from search.vault.vault import Vault, VaultChanges


def lay_out(root: Path, vault: str) -> Path:
    """Write the files of a vault given as one text, in which `--- path` begins each file."""
    for part in vault.split("--- ")[1:]:
        name, _, text = part.partition("\n")
        path = root / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


def update(vault: Vault) -> VaultChanges:
    """Sweep, and read the changed notes."""
    changes = vault.sweep()
    vault.read(changes.to_read)
    return changes


def test_notes_are_in_the_snapshot_after_a_sweep_and_a_read(tmp_path):
    vault = Vault(lay_out(tmp_path, "--- a.md\n# Oak\n--- b/c.markdown\n[[a]] #tree\n"))
    update(vault)
    assert {note.id: note.title for note in vault.notes.values()} == {"a.md": "Oak", "b/c.markdown": "c"}
    assert vault.notes[NoteId("b/c.markdown")].tags == ("tree",)
    assert vault.text(NoteId("a.md")) == "# Oak\n"
    assert vault.sweep() == VaultChanges()


A, B = NoteId("a.md"), NoteId("b.md")
TWO = "--- a.md\n# Oak\n--- b.md\n# Elm\n"


def test_a_save_by_renaming_a_deletion_and_a_new_file_are_noticed(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    before = (tmp_path / "a.md").stat()
    (tmp_path / "tmp").write_text("# Ash\n")
    os.utime(tmp_path / "tmp", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tmp_path / "tmp").rename(tmp_path / "a.md")
    (tmp_path / "b.md").unlink()
    (tmp_path / "c.md").write_text("[[never written]]")
    changes = update(vault)
    assert set(changes.to_read) == {"a.md", "c.md"}
    assert changes.removed == (B,)
    assert {note.title for note in vault.notes.values()} == {"Ash", "c"}
    assert vault.text(A) == "# Ash\n"
    assert vault.text(B) == ""


def test_a_second_write_within_a_clock_tick_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("search.vault.vault.may_change_unseen", lambda _: True)  # however slow the machine is
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    before = (tmp_path / "a.md").stat()
    with (tmp_path / "a.md").open("r+") as file:
        file.write("# Ash")
    os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    vault._read[A] = vault._read[A]._replace(ctime_ns=(tmp_path / "a.md").stat().st_ctime_ns)
    assert update(vault).to_read == (A,)
    assert vault.notes[A].title == "Ash"


def test_the_newest_notes_are_read_first(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    os.utime(tmp_path / "a.md", (1, 1))
    assert vault.sweep().to_read == (B, A)
    os.utime(tmp_path / "b.md", (0, 0))
    assert vault.sweep().to_read == (A, B)


def test_a_notes_mapping_never_changes_and_the_generation_grows(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    notes, generation = vault.notes, vault.generation
    (tmp_path / "a.md").unlink()
    update(vault)
    assert set(notes) == {A, B}
    assert set(vault.notes) == {B}
    assert vault.generation > generation
    update(vault)
    assert vault.generation == generation + 1


def test_a_buffer_replaces_its_file_until_it_is_closed(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    assert vault.open_buffer(A, "# Typed\n").note.title == "Typed"
    (tmp_path / "a.md").write_text("# Saved elsewhere\n")
    assert update(vault) == VaultChanges()
    assert (vault.notes[A].title, vault.text(A)) == ("Typed", "# Typed\n")
    assert [parsed.note.title for parsed in vault.read([A, B])] == ["Elm"]
    assert vault.notes[A].title == "Typed"
    (tmp_path / "a.md").unlink()
    assert update(vault) == VaultChanges()
    assert A in vault.notes
    (tmp_path / "a.md").write_text("# Saved\n")
    assert vault.close_buffer(A) == VaultChanges(to_read=(A,))
    assert update(vault).to_read == (A,)
    assert vault.text(A) == "# Saved\n"
    assert vault.close_buffer(A) == VaultChanges()


@pytest.mark.parametrize("is_read", [False, True])
def test_a_buffer_has_the_time_of_its_file_until_it_is_edited(tmp_path, monkeypatch, is_read):
    """This also holds for a buffer opened before the first sweep; a buffer without a file has the current time."""
    monkeypatch.setattr("search.vault.vault.time.time", lambda: 5000.0)
    vault = Vault(lay_out(tmp_path, "--- a.md\nold\n"))
    os.utime(tmp_path / A, (0, 1000))
    if is_read:
        update(vault)
    times = [vault.open_buffer(A, text).note.modified for text in ("old\n", "old\n", "typed\n")]
    assert times == [1000.0, 1000.0, 5000.0]
    assert vault.open_buffer(NoteId("new.md"), "x").note.modified == 5000.0
    update(vault)
    assert {note.id: note.modified for note in vault.notes.values()} == {A: 5000.0, "new.md": 5000.0}
    vault.close_buffer(A)
    update(vault)
    assert vault.notes[A].modified == 1000.0


def test_a_note_that_was_never_saved_is_removed_when_its_buffer_is_closed(tmp_path):
    vault = Vault(tmp_path)
    vault.open_buffer(A, "new \ud800")
    update(vault)
    assert list(vault.notes) == [A]
    assert vault.close_buffer(A) == VaultChanges(removed=(A,))
    assert vault.sweep() == VaultChanges(removed=(A,))
    assert not vault.notes
    with pytest.raises(ValueError, match="not the path"):
        vault.open_buffer(NoteId("../a.md"), "")


def test_marking_a_note_or_folder_as_changed_has_it_read_again(tmp_path):
    vault = Vault(lay_out(tmp_path, "--- a.md\nx\n--- d/b.md\ny\n"))
    update(vault)
    vault.mark_changed(["d", "nothing"])
    assert update(vault).to_read == ("d/b.md",)
    vault.mark_changed(["a.md"])
    assert update(vault).to_read == (A,)


def test_a_note_deleted_before_it_is_read_counts_as_removed(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    vault.mark_changed([A, B])
    changes = vault.sweep()
    (tmp_path / "a.md").unlink()
    assert [parsed.note.id for parsed in vault.read(changes.to_read)] == [B]
    assert set(vault.notes) == {B}
    assert vault.sweep() == VaultChanges(removed=(A,))
    (tmp_path / "b.md").unlink()
    vault._texts.drop(B)
    assert vault.text(B) == ""
    assert vault.sweep() == VaultChanges(removed=(B,))


def test_some_of_the_changed_notes_can_be_read_and_the_next_sweep_returns_the_rest(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO))
    order = vault.sweep().to_read
    assert [parsed.note.id for parsed in vault.read(order[:1])] == list(order[:1])
    assert vault.sweep().to_read == order[1:]
    with pytest.raises(Cancelled):
        vault.sweep(Budget(is_cancelled=lambda: True))


def test_a_note_that_cannot_be_read_is_reported_and_others_are_read(tmp_path, monkeypatch):
    vault = Vault(lay_out(tmp_path, TWO))
    real = file.read_bytes

    def read_bytes(path, **options):
        if path.endswith("a.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, **options)

    monkeypatch.setattr(file, "read_bytes", read_bytes)
    update(vault)
    assert set(vault.notes) == {B}
    assert dict(vault.skipped) == {"a.md": "the note cannot be read (no permission to read it)"}
    assert [(notice.code, notice.subject) for notice in vault.notices] == [("unreadable", "a.md")]
    assert vault.sweep() == VaultChanges()
    monkeypatch.setattr(file, "read_bytes", real)
    vault.mark_changed([A])
    update(vault)
    assert (set(vault.notes), dict(vault.skipped), vault.notices) == ({A, B}, {}, ())


def test_notices_follow_every_change_and_are_cached_between_changes(tmp_path, monkeypatch):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    assert vault.notices == ()
    (tmp_path / "a.md").write_bytes(b"caf\xe9")
    update(vault)
    assert [notice.subject for notice in vault.notices] == ["a.md"]
    assert vault.notices is vault.notices
    vault.sweep()
    assert [notice.subject for notice in vault.notices] == ["a.md"]
    vault.open_buffer(A, "café")
    assert vault.notices == ()


def test_large_and_damaged_notes_are_read_as_far_as_possible_and_have_notices(tmp_path):
    lay_out(tmp_path, "--- big.md\n---\ntitle: Big\n---\n" + "word " * 1000)
    (tmp_path / "old.md").write_bytes("größer".encode() + b"\xff")
    vault = Vault(tmp_path, VaultSettings(max_note_bytes=1024))
    update(vault)
    assert vault.notes[NoteId("big.md")].title == "Big"
    assert len(vault.text(NoteId("big.md"))) == 1024
    assert [(notice.code, notice.subject) for notice in vault.notices] == [
        ("note-too-large", "big.md"),
        ("encoding", "old.md"),
    ]
    (tmp_path / "big.md").unlink()
    vault.sweep()
    assert [notice.subject for notice in vault.notices] == ["old.md"]


def test_notes_excluded_by_settings_or_by_obsidian_are_skipped_with_the_reason(tmp_path):
    lay_out(tmp_path, "--- n/a.md\nx\n--- n/private/b.md\nx\n--- n/tmp.md\nx\n--- n/t.md\n#secret/x\n--- other.md\nx\n")
    lay_out(tmp_path, '--- .obsidian/app.json\n{"userIgnoreFilters": ["n/tmp", "/(/", 3]}\n')
    vault = Vault(tmp_path, VaultSettings(include=("n",), exclude=("n/private", "#secret")))
    update(vault)
    assert set(vault.notes) == {"n/a.md"}
    assert dict(vault.skipped) == {
        "n/private": "the folder is excluded by the setting `exclude`",
        "n/tmp.md": "excluded by Obsidian's settings (excluded files)",
        "n/t.md": "excluded by the setting `exclude`: one of its tags",
        "other.md": "not matched by the setting `include`",
    }
    assert [notice.code for notice in vault.notices] == ["ignore-filter-unusable"]
    assert vault.sweep() == VaultChanges()
    vault.open_buffer(NoteId("n/private/b.md"), "x")
    vault.open_buffer(NoteId("n/t.md"), "x")
    assert set(vault.notes) == {"n/a.md", "n/t.md"}
    (tmp_path / ".obsidian/app.json").unlink()
    assert update(vault).to_read == ("n/tmp.md",)


def test_a_withheld_note_is_neither_read_nor_skipped_nor_named_in_a_notice(tmp_path):
    broken = "---\na: [\n---\n"  # makes a notice
    lay_out(tmp_path, f"--- n/a.md\nx\n--- n/own/b.md\n{broken}\n--- n/t.md\n{broken}#secret/x\n--- other.md\nx\n")
    vault = Vault(tmp_path, VaultSettings(allow=("/n/",), deny=("/n/own/", "#secret")))
    update(vault)
    assert set(vault.notes) == {"n/a.md"}
    assert dict(vault.skipped) == {}
    assert vault.notices == ()
    assert vault.sweep() == VaultChanges()
    assert vault.text(NoteId("n/t.md")) == ""
    for path in ("n/own/b.md", "n/t.md", "other.md"):
        vault.open_buffer(NoteId(path), f"{broken}#secret")
    assert set(vault.notes) == {"n/a.md"}
    assert vault.notices == ()
    (tmp_path / "n/t.md").write_text("now without")
    vault.close_buffer(NoteId("n/t.md"))
    update(vault)
    assert set(vault.notes) == {"n/a.md", "n/t.md"}


def test_a_note_that_gets_an_excluded_tag_counts_as_removed(tmp_path):
    vault = Vault(lay_out(tmp_path, TWO), VaultSettings(exclude=("#no",)))
    update(vault)
    (tmp_path / "a.md").write_text("now with #no")
    update(vault)
    assert set(vault.notes) == {B}
    assert vault.sweep().removed == (A,)


def test_notes_can_be_included_by_tag(tmp_path):
    vault = Vault(
        lay_out(tmp_path, "--- a.md\n#yes/x\n--- b.md\n#no\n--- c.md\nx\n"), VaultSettings(include=("#yes", "c"))
    )
    update(vault)
    assert set(vault.notes) == {A, "c.md"}
    assert dict(vault.skipped) == {"b.md": "not matched by the setting `include`"}


@pytest.mark.parametrize("text", ["{", "[]", '{"userIgnoreFilters": 3}', "[" * 100_000, ""])
def test_unreadable_obsidian_settings_exclude_no_file_and_have_a_notice(tmp_path, text):
    lay_out(tmp_path, f"--- a.md\nx\n--- .obsidian/app.json\n{text}")
    vault = Vault(tmp_path)
    update(vault)
    assert list(vault.notes) == [A]
    assert [notice.code for notice in vault.notices] == ["app-json-unreadable"]
    assert list(Vault(tmp_path, VaultSettings(honour_obsidian_ignore=False)).sweep().to_read) == [A]


def test_a_symbolic_link_is_followed_only_while_it_leads_into_the_vault(tmp_path):
    lay_out(tmp_path, "--- vault/real.txt\n# Inside\n--- secret.md\n# Outside\n")
    root = tmp_path / "vault"
    (root / "link.md").symlink_to("real.txt")
    vault = Vault(root)
    update(vault)
    assert [note.title for note in vault.notes.values()] == ["Inside"]
    (root / "link.md").unlink()
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    assert vault.read([NoteId("link.md"), NoteId("../secret.md")]) == []


def test_a_vault_that_is_not_a_folder_is_refused_with_its_name(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(VaultError, match="nowhere: no such folder"):
        Vault(tmp_path / "nowhere")
    with pytest.raises(VaultError, match="a file, not a folder"):
        Vault(tmp_path / "file")


def test_if_the_vault_disappears_a_sweep_raises_and_the_snapshot_stays(tmp_path):
    root = lay_out(tmp_path / "vault", TWO)
    vault = Vault(root)
    update(vault)
    vault.mark_changed([A])
    root.rename(tmp_path / "elsewhere")
    with pytest.raises(VaultError, match="vault: no such folder"):
        vault.sweep()
    assert set(vault.notes) == {A, B}
    (tmp_path / "elsewhere").rename(root)
    assert vault.sweep().to_read == (A,)


def test_the_text_cache_stays_within_its_limit(tmp_path):
    lay_out(tmp_path, f"--- a.md\n{'x' * 600}\n--- b.md\n{'y' * 600}\n")
    vault = Vault(tmp_path, VaultSettings(text_cache_bytes=1000))
    update(vault)
    assert vault.text(A).startswith("x")
    assert vault.text(A).startswith("x")
    assert list(vault._texts._texts) == [A]
    vault.text(B)
    assert list(vault._texts._texts) == [B]
    assert vault._texts._n_bytes <= 1000


def test_notes_can_be_used_while_another_thread_reads(tmp_path):
    for n in range(300):
        (tmp_path / f"{n}.md").write_text(f"# Oak {n}")
    vault = Vault(tmp_path)
    reader = threading.Thread(target=update, args=(vault,))
    reader.start()
    sizes = []
    while reader.is_alive():
        notes = vault.notes
        sizes.append(sum(1 for note in notes.values() if vault.text(note.id).startswith("# Oak")))
    reader.join()
    assert sizes == sorted(sizes)
    assert len(vault.notes) == 300


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_note_bytes", 10),
        ("max_note_bytes", True),
        ("text_cache_bytes", -1),
        ("text_cache_bytes", "1"),
        ("include", "notes"),
        ("exclude", (1,)),
        ("allow", "notes"),
        ("deny", (1,)),
        ("honour_obsidian_ignore", "yes"),
    ],
)
def test_an_error_names_the_setting_that_is_out_of_range(field, value):
    with pytest.raises(ConfigError, match=f"^{field}: "):
        VaultSettings(**{field: value})


def test_a_file_read_just_after_a_write_is_compared_once_more_and_then_trusted(tmp_path, monkeypatch):
    vault = Vault(lay_out(tmp_path, TWO))
    update(vault)
    monkeypatch.setattr(file.time, "time_ns", lambda: 2 * 10**18)
    vault._recent = {A: 0}
    assert vault.sweep().to_read == (A,)
    assert vault._recent == {}
    assert vault.sweep().to_read == (A,)
    assert update(vault).to_read == (A,)
    assert vault.sweep() == VaultChanges()


def test_closing_the_buffer_of_an_excluded_note_changes_nothing(tmp_path):
    vault = Vault(tmp_path, VaultSettings(exclude=("private",)))
    private = NoteId("private/a.md")
    vault.open_buffer(private, "x")
    assert not vault.notes
    assert vault.close_buffer(private) == VaultChanges()


@pytest.mark.parametrize("path", [".trash/a.md", ".obsidian/plugins/p/README.md", "web/node_modules/p/README.md"])
def test_a_buffer_in_an_ignored_folder_is_not_searched(tmp_path, path):
    vault = Vault(lay_out(tmp_path, f"--- {path}\nx\n"))
    vault.open_buffer(NoteId(path), "typed")
    assert not vault.notes
    assert vault.skipped[path] == "in a folder that is never read"
    assert vault.close_buffer(NoteId(path)) == VaultChanges()
    assert vault.sweep() == VaultChanges()


def test_other_errors_are_reported_in_the_words_of_the_operating_system(tmp_path, monkeypatch):
    def scandir(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(VaultError, match="Input/output error"):
        Vault(tmp_path)
