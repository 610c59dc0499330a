"""Listing the notes in a folder."""

import os
import socket
from contextlib import contextmanager

from search.ids import NoteId
from search.vault.walk import walk
from tests.kit.platforms import needs_named_pipes


def touch(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_notes_are_found_and_temporary_files_are_ignored(tmp_path):
    touch(
        tmp_path, "a.md", "B.MD", "c/d.markdown", "c/e f/é.md", "x.txt", "md", ".hidden.md", ".#a.md", "a.md~", "#a.md#"
    )
    touch(tmp_path, ".obsidian/a.md", ".trash/b.md", "node_modules/c.md", "c/.git/d.md")
    (tmp_path / "folder.md").mkdir()
    touch(tmp_path, "folder.md/in.md")
    walked = walk(str(tmp_path))
    assert sorted(walked.stats) == ["B.MD", "a.md", "c/d.markdown", "c/e f/é.md", "folder.md/in.md"]
    assert walked.stats[NoteId("a.md")].size == 1
    assert walked.skipped == {}


@needs_named_pipes
def test_what_is_no_regular_file_is_skipped_with_its_kind(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket.markdown"))
        walked = walk(str(tmp_path))
    assert (walked.stats, walked.skipped) == (
        {},
        {"pipe.md": "a FIFO, not a regular file", "socket.markdown": "a socket, not a regular file"},
    )


def test_a_pipe_that_is_deleted_while_it_is_listed_is_not_reported(tmp_path, monkeypatch):
    class Gone:
        name = "pipe.md"
        is_file = is_dir = is_symlink = staticmethod(lambda **_: False)

        def stat(self, **_):
            raise FileNotFoundError

    @contextmanager
    def scandir(_):
        yield [Gone()]

    monkeypatch.setattr("os.scandir", scandir)
    assert walk(str(tmp_path)).skipped == {}


def test_symbolic_links_never_lead_outside_or_in_circles_and_each_file_occurs_once(tmp_path):
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    touch(vault, "a.md", "b/c.md", "real.txt", ".secret/s.txt")
    touch(outside, "evil.md")
    (vault / "alias.md").symlink_to("a.md")
    (vault / "text1.md").symlink_to("real.txt")
    (vault / "text2.md").symlink_to("real.txt")
    (vault / "secret.md").symlink_to(".secret/s.txt")
    (vault / "dangling.md").symlink_to("nowhere")
    (vault / "dangling2.md").symlink_to("nowhere.txt")
    (vault / "round.md").symlink_to("round.md")
    (vault / "dir.md").symlink_to("b")
    (vault / "b/loop").symlink_to("..")
    (vault / "out").symlink_to(outside)
    (vault / "out.md").symlink_to(outside / "evil.md")
    walked = walk(str(vault))
    assert sorted(walked.stats) == ["a.md", "b/c.md", "text1.md"]
    assert walked.links == {"text1.md"}
    assert walked.skipped == {"out": "a link out of the vault", "out.md": "a link out of the vault"}


def test_file_names_that_are_not_valid_text_do_not_crash(tmp_path):
    (tmp_path / os.fsdecode(b"\xff.md")).touch()
    (note_id,) = walk(str(tmp_path)).stats
    assert os.fsencode(note_id) == b"\xff.md"


def test_skipped_files_and_folders_are_reported_and_skipped_folders_not_entered(tmp_path):
    touch(tmp_path, "a.md", "no/b.md", "c/no/d.md", "c/e.md")
    paths = []

    def why_skip_file(path):
        paths.append(path)
        return "why" if path == "a.md" else ""

    walked = walk(str(tmp_path), why_skip_file=why_skip_file, why_skip_folder=lambda path: "no" * path.endswith("no"))
    assert sorted(walked.stats) == ["c/e.md"]
    assert walked.skipped == {"a.md": "why", "no": "no", "c/no": "no"}
    assert sorted(paths) == ["a.md", "c/e.md"]


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path, monkeypatch):
    touch(tmp_path, "a.md", "locked/b.md")
    real = os.scandir

    def scandir(path):
        if path.endswith("locked/"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    walked = walk(str(tmp_path))
    assert list(walked.stats) == ["a.md"]
    assert walked.skipped == {"locked": "the folder cannot be read (Permission denied)"}


def test_a_note_deleted_while_its_folder_is_listed_is_ignored(tmp_path, monkeypatch):
    touch(tmp_path, "a.md", "b.md")
    real = os.scandir

    @contextmanager
    def scandir(path):
        with real(path) as entries:
            listed = list(entries)
        (tmp_path / "b.md").unlink()
        yield listed

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(walk(str(tmp_path)).stats) == ["a.md"]


def test_other_folders_are_still_walked_if_one_is_skipped(tmp_path):
    touch(tmp_path, "a/x/1.md", "a/y/2.md", "b/x/3.md", "c.md")
    walked = walk(str(tmp_path), why_skip_folder=lambda path: "no" if path == "a/x" else "")
    assert sorted(walked.stats) == ["a/y/2.md", "b/x/3.md", "c.md"]
    assert walked.skipped == {"a/x": "no"}
