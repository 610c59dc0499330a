"""A watched vault is swept when something changed, and not otherwise."""

import sys
import threading

import pytest

from search.engine import Engine
from search.query import Mode
from search.settings import Settings
from search.vault.watch import Watch, is_of_vault, remote_file_system
from vaults import ids, search, write

_WAIT_S = 20  # for an event; it takes 30 ms


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):  # noqa: D102
        self.now += 0.001  # later at each look, so that no two moments are the same
        return self.now


@pytest.fixture
def watched(tmp_path):
    """An engine over a watched vault, and a function that waits until it has been told of a change."""
    engines = []

    def open_vault(vault):
        root, clock = write(tmp_path / "v", vault), Clock()
        engine = Engine(root, Settings(mode=Mode.KEYWORD, enable_semantic=False), watches=True, clock=clock)
        engines.append(engine)
        engine.refresh()
        wait_until(lambda: engine.indexer._watch.since is not None)
        engine.indexer.request_sweep()
        engine.refresh()  # from here on, no change can be missed
        return engine, root, clock

    yield open_vault
    for engine in engines:
        engine.close()


def wait_until(is_so):
    waiting = threading.Event()
    for _ in range(_WAIT_S * 100):
        if is_so():
            return
        waiting.wait(0.01)
    pytest.fail("nothing happened")


def sweeps(engine, monkeypatch):
    """Count the sweeps from now on."""
    counted = []
    sweep = engine._vault.sweep
    monkeypatch.setattr(engine._vault, "sweep", lambda budget: counted.append(1) or sweep(budget))
    return counted


def test_a_vault_that_does_not_change_is_swept_once_a_minute(watched, monkeypatch):
    engine, _, clock = watched("--- a.md\noak")
    counted = sweeps(engine, monkeypatch)
    for _ in range(5):
        clock.now += 10.0
        search(engine, "oak")
    assert counted == []
    clock.now += 10.0
    search(engine, "oak")
    assert counted == [1]


def saved(root):
    (root / "a.md").write_text("elm")


def made(root):
    (root / "new.md").write_text("elm")


def renamed(root):
    (root / "elm").mkdir()
    (root / "a.md").rename(root / "elm" / "b.md")


def deep(root):
    (root / "x" / "y").mkdir(parents=True)
    (root / "x" / "y" / "elm.md").write_text("elm")


def replaced(root):
    (root / ".a.md.swp").write_text("elm")
    (root / ".a.md.swp").replace(root / "a.md")


@pytest.mark.parametrize("change", [saved, made, renamed, deep, replaced])
def test_a_change_is_found_without_a_clock(watched, change):
    engine, root, _ = watched("--- a.md\noak\n--- x/b.md\nash")
    change(root)
    wait_until(lambda: engine.indexer._is_due)
    found = ids(search(engine, "elm"))
    assert len(found) == 1
    assert ("oak" in (root / found[0]).read_text()) == (change is renamed)


def test_a_change_in_a_folder_made_since_is_found_too(watched):
    engine, root, _ = watched("--- a.md\noak")
    (root / "x").mkdir()
    wait_until(lambda: engine.indexer._is_due)
    engine.refresh()  # watches the new folder from now on
    wait_until(lambda: engine.indexer._watch.since is not None)
    engine.refresh()
    (root / "x" / "b.md").write_text("elm")
    wait_until(lambda: engine.indexer._is_due)
    assert ids(search(engine, "elm")) == ["x/b.md"]


def test_a_change_of_obsidians_excluded_files_counts(watched):
    engine, root, _ = watched("--- a.md\noak\n--- x/b.md\noak\n--- .obsidian/app.json\n{}")
    (root / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["x/"]}')
    wait_until(lambda: engine.indexer._is_due)
    assert ids(search(engine, "oak")) == ["a.md"]


@pytest.mark.parametrize(
    ("below", "counts"),
    [
        ("a.md", True),
        ("x/.a.md.swp", False),
        (".git/index", False),
        (".obsidian/workspace.json", False),
        (".obsidian/app.json", True),
    ],
)
def test_changes_that_no_note_has_do_not_count(below, counts):
    assert is_of_vault(f"/home/me/.notes/{below}", "/home/me/.notes") == counts
    assert is_of_vault(f"/private/home/me/.notes/{below}", "/home/me/.notes")  # the system names the vault otherwise


@pytest.mark.skipif(sys.platform != "linux", reason="only there a watch would follow links")
def test_no_folder_outside_is_watched(watched, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "link").symlink_to(outside)
    engine, root, _ = watched("--- a.md\noak")
    (outside / "x.md").write_text("elm")
    (root / "last.md").write_text("fir")  # events come in order
    wait_until(lambda: engine.indexer._is_due)
    assert engine._vault.folders == ("",)


def test_a_folder_that_cannot_be_watched_is_swept_each_second(tmp_path, monkeypatch):
    monkeypatch.setattr("search.vault.watch.remote_file_system", lambda _root: "nfs4")
    clock = Clock()
    root = write(tmp_path / "v", "--- a.md\noak")
    engine = Engine(root, Settings(mode=Mode.KEYWORD, enable_semantic=False), watches=True, clock=clock)
    search(engine, "oak")
    write(root, "--- b.md\nelm")
    clock.now += 2.0
    assert ids(search(engine, "elm")) == ["b.md"]
    assert "nfs4" in engine.indexer._watch.problem


def test_a_watch_that_fails_says_why_and_tells_nothing(tmp_path, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", full)
    watch = Watch(str(tmp_path), lambda: None)
    watch.watch(("",))
    wait_until(lambda: watch.problem)
    assert (watch.problem, watch.since) == ("OS file watch limit reached", None)


@pytest.mark.parametrize(
    ("root", "kind"),
    [("/mnt/nas/notes", "nfs4"), ("/mnt/nas x/v", "cifs"), ("/home/me/notes", ""), ("/mnt/nasty", ""), ("/", "")],
)
def test_remote_file_systems_are_known_by_their_mounts(tmp_path, root, kind):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nnas:/x /mnt/nas nfs4 rw 0 0\n//nas/y /mnt/nas\\040x cifs rw 0 0\nbroken\n"
    )
    assert remote_file_system(root, mounts) == kind
    assert remote_file_system(root, tmp_path / "none") == ""
