"""The vault as known at one moment: files, rename-saves, deletions, open buffers."""

from pathlib import Path

from search.ids import NoteId
from search.vault.snapshot import Changes, Vault


def lay_out(root: Path, vault: str) -> Path:
    """A vault as one text: `--- path` begins each file."""
    for part in vault.split("--- ")[1:]:
        name, _, text = part.partition("\n")
        path = root / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


def update(vault: Vault) -> Changes:
    """A sweep, and a reading of what it names."""
    changes = vault.sweep()
    for _ in vault.read(changes.to_read):
        pass
    return changes


def test_notes_are_known_after_a_sweep_and_a_read(tmp_path):
    vault = Vault(lay_out(tmp_path, "--- a.md\n# Oak\n--- b/c.markdown\n[[a]] #tree\n"))
    update(vault)
    assert {note.id: note.title for note in vault.notes.values()} == {"a.md": "Oak", "b/c.markdown": "c"}
    assert vault.notes[NoteId("b/c.markdown")].tags == ("tree",)
    assert vault.text(NoteId("a.md")) == "# Oak\n"
    assert vault.sweep() == Changes()
