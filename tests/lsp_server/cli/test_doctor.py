"""What `vaultseek doctor` finds."""

import os
import socket

import pytest

from lsp_server.cli import doctor, main
from search.errors import StoreError
from search.providers.endpoint import Endpoint
from search.providers.reach import obstacle
from vaults import write


@pytest.fixture
def examined(tmp_path, monkeypatch, capsys):
    """Runs the command over a vault of a few files; its exit code, and a line for each finding."""
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))

    def run(vault="--- a.md\noak\n--- .obsidian/app.json\n{}\n", *options):
        root = write(tmp_path / "vault", vault)
        code = main.main(["doctor", "--vault", str(root), "--color", "never", *options])
        lines = capsys.readouterr().out.splitlines()
        return code, [tuple(part.strip() for part in (line[:5], line[5:18], line[18:])) for line in lines]

    return run


@pytest.fixture
def port():
    """Of somebody who listens and hears nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        yield listener


def named(lines, what):
    return [(verdict, told) for verdict, name, told in lines if name == what]


def test_a_vault_in_order_gives_0(examined, tmp_path):
    code, lines = examined()
    assert code == 0
    assert named(lines, "vault") == [("ok", f"{tmp_path / 'vault'}, an Obsidian vault")]
    assert named(lines, "notes") == [("ok", "1 read, 2 distinct words")]
    assert named(lines, "endpoints") == [("ok", "none: nothing leaves this computer")]
    assert named(lines, "passed over") == [("ok", "no file")]
    ((verdict, told),) = named(lines, "vectors")
    assert (verdict, "0 vectors, 1 of 1 notes without" in told) == ("note", True)
    assert named(lines, "speed")[0][1].startswith("of 1 queries by words: p50 ")


def test_what_is_passed_over_is_told_with_its_reason(examined):
    notes = "".join(f"--- drafts/{n}.md\nx\n" for n in range(3))
    code, lines = examined(
        notes + '--- a.md\n---\n{\n---\n--- .obsidian/app.json\n{"userIgnoreFilters": ["drafts/"]}\n'
    )
    assert code == 0
    ((verdict, told),) = named(lines, "passed over")
    assert (verdict, "drafts" in told, "excluded by Obsidian" in told) == ("note", True, True)
    assert "front matter" in named(lines, "notice")[0][1]


def test_what_cannot_be_read_is_told_of_once_and_is_bad(examined, monkeypatch):
    """The vault has a notice of it too, which says no more than the reason."""
    scandir = os.scandir

    def closed(path):
        if str(path).rstrip("/").endswith("private"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", closed)
    code, lines = examined("--- a.md\noak\n--- private/b.md\nelm\n")
    assert code == 1
    assert named(lines, "passed over") == [("bad", "private: the folder cannot be read (Permission denied)")]
    assert named(lines, "notice") == []


def test_many_reasons_are_cut():
    found = list(doctor._passed_over({f"{n}.md": f"reason {n % 10}" for n in range(30)}))
    assert (len(found), found[0].told) == (9, "3 files, the first 0.md: reason 0")
    assert found[-1].told == "for 2 more reasons"
    (unreadable,) = doctor._passed_over({"a.md": "it cannot be read: no"})
    assert unreadable.verdict is doctor.Verdict.BAD


@pytest.mark.parametrize("vault", ["--- a.txt\n", ""])
def test_a_folder_without_notes_is_bad(examined, tmp_path, vault):
    (tmp_path / "vault").mkdir()
    code, lines = examined(vault)
    assert code == 1
    assert named(lines, "vault")[0][0] == "note"
    assert named(lines, "notes") == [("bad", "0 read, 0 distinct words")]
    assert named(lines, "speed") == [("note", "there is nothing to be found")]


def test_a_folder_that_is_not_there_is_bad_and_nothing_else_is_looked_at(capsys, tmp_path):
    assert main.main(["doctor", "--vault", str(tmp_path / "nowhere")]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "the folder does not exist" in line


def test_an_endpoint_that_listens_is_told_and_hears_nothing(examined, monkeypatch, port):
    monkeypatch.setenv("MY_KEY", "secret-key-value")
    address = f"http://127.0.0.1:{port.getsockname()[1]}/v1"
    options = ["--endpoint", address, "--chat-model", "small", "--key-variable", "MY_KEY"]
    code, lines = examined("--- .obsidian/app.json\n{}\n--- a.md\noak\n", *options)
    assert code == 0
    assert named(lines, "chat") == [("ok", "a key is in MY_KEY"), ("ok", f"small at {address}, listening")]
    assert "secret" not in str(lines)
    connection, _ = port.accept()
    with connection:
        assert connection.recv(100) == b""


def test_an_endpoint_that_is_down_and_a_key_that_is_missing_are_bad(examined, port):
    number = port.getsockname()[1]
    port.close()
    options = ["--endpoint", f"http://127.0.0.1:{number}/v1", "--embedding-model", "m", "--key-variable", "NO_SUCH_KEY"]
    code, lines = examined("--- a.md\noak\n", *options)
    assert code == 1
    missing, down = named(lines, "embedding")
    assert missing == ("bad", "no key: NO_SUCH_KEY is not set")
    assert down == (
        "bad",
        f"m at http://127.0.0.1:{number}/v1: 127.0.0.1:{number} cannot be reached: Connection refused",
    )


def test_without_a_key_s_name_that_is_told(examined, port):
    options = ["--endpoint", f"http://127.0.0.1:{port.getsockname()[1]}/v1", "--chat-model", "m"]
    _, lines = examined("--- a.md\noak\n", *options)
    assert named(lines, "chat")[0] == ("note", "no key is sent: none was named")


def test_an_endpoint_that_does_not_answer_is_told(monkeypatch):
    def slow(*_):
        raise TimeoutError

    monkeypatch.setattr("socket.create_connection", slow)
    endpoint = Endpoint(base_url="https://nowhere.example/v1", model="m")
    assert obstacle(endpoint) == "nowhere.example:443 does not answer within 3 s"


@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("http://models.example/v1", ("models.example", 80)),
        ("https://models.example/v1", ("models.example", 443)),
        ("http://models.example:11434/v1", ("models.example", 11434)),
        ("http://[::1]:8080/v1", ("::1", 8080)),
    ],
)
def test_an_endpoint_is_looked_for_at_its_own_port_or_that_of_its_scheme(monkeypatch, base_url, asked):
    looked = []

    def refuse(address, timeout_s):
        looked.append((address, timeout_s))
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.create_connection", refuse)
    told = obstacle(Endpoint(base_url=base_url, model="m"), timeout_s=0.5)
    assert told == f"{asked[0]}:{asked[1]} cannot be reached: Connection refused"
    assert looked == [(asked, 0.5)]


def test_a_name_that_nobody_knows_is_told_in_the_system_s_words(monkeypatch):
    def unknown(*_):
        raise OSError("no such host")

    monkeypatch.setattr("socket.create_connection", unknown)
    endpoint = Endpoint(base_url="http://nowhere.example/v1", model="m")
    assert obstacle(endpoint) == "nowhere.example:80 cannot be reached: no such host"


def test_what_is_wrong_with_the_store_is_told(examined, tmp_path):
    """Once, by whoever opens it first; that nobody can write it, each time."""
    main.main(["index", "--vault", str(write(tmp_path / "vault", "--- a.md\noak\n"))])
    (path,) = (tmp_path / "cache").glob("*/vectors*")
    path.write_bytes(b"no store\n")
    assert "nothing in it can be read" in named(examined()[1], "vectors")[-1][1]
    assert len(named(examined()[1], "vectors")) == 1
    (path.parent / "writer.lock").unlink()
    (path.parent / "writer.lock").mkdir()
    verdict, told = named(examined()[1], "vectors")[-1]
    assert (verdict, told.startswith("nothing is stored in ")) == ("note", True)
    assert "name another folder for vectors (VAULTSEEK_CACHE" in told


def test_vectors_that_cannot_be_read_are_bad(examined, monkeypatch):
    def fail(_self):
        raise StoreError("vectors.jsonl", 3, "damaged")

    monkeypatch.setattr("search.embeddings.Embeddings.open_unasked", fail)
    code, lines = examined()
    assert code == 1
    assert named(lines, "vectors")[0][0] == "bad"
