"""The findings of `vaultseek doctor`."""

import os
import socket

import pytest
from kit.attachments import pdf

from lsp_server.cli import doctor, main
from lsp_server.cli.installation import Installation
from search.errors import StoreError
from search.providers.endpoint import Endpoint
from search.providers.health_check import check_health
from vaults import write

LONG_AGO = 1_600_000_000


@pytest.fixture
def examined(tmp_path, monkeypatch, capsys):
    """Run the command over a small vault; gives the exit code and one tuple per finding."""
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))

    def run(vault="--- a.md\noak\n--- .obsidian/app.json\n{}\n", *options):
        root = write(tmp_path / "vault", vault)
        code = main.main(["doctor", "--vault", str(root), "--color", "never", *options])
        lines = capsys.readouterr().out.splitlines()
        return code, [tuple(part.strip() for part in (line[:5], line[5:18], line[18:])) for line in lines]

    return run


@pytest.fixture
def port():
    """A socket that listens and receives nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        yield listener


def named(lines, what):
    return [(verdict, text) for verdict, name, text in lines if name == what]


def test_a_healthy_vault_gives_0(examined, tmp_path):
    code, lines = examined()
    assert code == 0
    assert named(lines, "vault") == [("ok", f"{tmp_path / 'vault'}, an Obsidian vault")]
    assert named(lines, "notes") == [("ok", "1 read, 2 distinct words")]
    assert len(named(lines, "installed")) == 1
    assert named(lines, "endpoints") == [("ok", "none: no data leaves this computer")]
    assert named(lines, "skipped") == [("ok", "no file")]
    ((verdict, text),) = named(lines, "vectors")
    assert (verdict, "0 vectors; names and openings: 0 of 1; whole text: 0 of 1;" in text) == ("note", True)
    assert named(lines, "speed")[0][1].startswith("1 keyword searches: p50 ")


def test_a_damaged_pdf_is_named_with_its_reason(examined, tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)  # on a busy computer too
    path = write(tmp_path / "vault", "--- a.md\noak\n") / "scan.pdf"
    path.write_bytes(pdf("oak")[:99])
    os.utime(path, (LONG_AGO, LONG_AGO))
    _, lines = examined()
    assert named(lines, "notice") == [("note", "scan.pdf: it is damaged or no PDF; it is found by its name only")]


@pytest.mark.parametrize(("is_known", "verdict"), [(True, "ok"), (False, "note")])
def test_an_unknown_installation_is_no_problem(examined, monkeypatch, is_known, verdict):
    found = Installation("by somebody", is_known=is_known)
    monkeypatch.setattr("lsp_server.cli.installation.installation", lambda: found)
    code, lines = examined()
    assert (code, named(lines, "installed")) == (0, [(verdict, "by somebody")])


def test_skipped_files_are_listed_with_their_reason(examined):
    notes = "".join(f"--- drafts/{n}.md\nx\n" for n in range(3))
    code, lines = examined(
        notes + '--- a.md\n---\n{\n---\n--- .obsidian/app.json\n{"userIgnoreFilters": ["drafts/"]}\n'
    )
    assert code == 0
    ((verdict, text),) = named(lines, "skipped")
    assert (verdict, "drafts" in text, "excluded by Obsidian" in text) == ("note", True, True)
    assert "front matter" in named(lines, "notice")[0][1]


def test_fifos_are_listed_as_skipped(examined, vault):
    for name in ("a.md", "b.md", "c.md"):
        os.mkfifo(vault / name)
    code, lines = examined("--- d.md\noak\n")
    assert code == 0
    assert named(lines, "skipped") == [("note", "3 files, the first a.md: a FIFO, not a regular file")]


def test_an_unreadable_folder_is_listed_once_as_bad(examined, monkeypatch):
    """The vault's own notice about the folder adds nothing to the reason, so it is left out."""
    scandir = os.scandir

    def closed(path):
        if str(path).rstrip("/").endswith("private"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", closed)
    code, lines = examined("--- a.md\noak\n--- private/b.md\nelm\n")
    assert code == 1
    assert named(lines, "skipped") == [("bad", "private: the folder cannot be read (Permission denied)")]
    assert named(lines, "notice") == []


def test_a_long_list_of_reasons_is_cut():
    found = list(doctor._skipped({f"{n}.md": f"reason {n % 10}" for n in range(30)}))
    assert (len(found), found[0].text) == (9, "3 files, the first 0.md: reason 0")
    assert found[-1].text == "more files, for 2 other reasons"
    (unreadable,) = doctor._skipped({"a.md": "it cannot be read: no"})
    assert unreadable.verdict is doctor.Verdict.BAD


@pytest.mark.parametrize(
    ("vault", "read"),
    [("--- a.png\n", "0 read, 1 distinct words; 1 files by name only"), ("", "0 read, 0 distinct words")],
)
def test_a_folder_without_notes_is_bad(examined, tmp_path, vault, read):
    (tmp_path / "vault").mkdir()
    code, lines = examined(vault)
    assert code == 1
    assert named(lines, "vault")[0][0] == "note"
    assert named(lines, "notes") == [("bad", read)]
    assert named(lines, "speed") == [("note", "there is nothing to search")]


def test_a_missing_folder_is_the_only_finding(capsys, tmp_path):
    assert main.main(["doctor", "--vault", str(tmp_path / "nowhere")]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "the folder does not exist" in line


def test_a_listening_endpoint_is_reported_and_receives_nothing(examined, monkeypatch, port):
    monkeypatch.setenv("MY_KEY", "secret-key-value")
    address = f"http://127.0.0.1:{port.getsockname()[1]}/v1"
    options = ["--endpoint", address, "--chat-model", "small", "--key-variable", "MY_KEY"]
    code, lines = examined("--- .obsidian/app.json\n{}\n--- a.md\noak\n", *options)
    assert code == 0
    assert named(lines, "chat") == [("ok", "MY_KEY contains a key"), ("ok", f"small at {address}, listening")]
    assert "secret" not in str(lines)
    connection, _ = port.accept()
    with connection:
        assert connection.recv(100) == b""


def test_an_unreachable_endpoint_and_a_missing_key_are_bad(examined, port):
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


def test_an_endpoint_without_a_key_variable_is_reported(examined, port):
    options = ["--endpoint", f"http://127.0.0.1:{port.getsockname()[1]}/v1", "--chat-model", "m"]
    _, lines = examined("--- a.md\noak\n", *options)
    assert named(lines, "chat")[0] == ("note", "no key is sent: no key variable is set")


def test_an_endpoint_that_does_not_answer_is_reported(monkeypatch):
    def slow(*_):
        raise TimeoutError

    monkeypatch.setattr("socket.create_connection", slow)
    endpoint = Endpoint(base_url="https://nowhere.example/v1", model="m")
    assert check_health(endpoint) == "nowhere.example:443 does not answer within 3 s"


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("http://models.example/v1", ("models.example", 80)),
        ("https://models.example/v1", ("models.example", 443)),
        ("http://models.example:11434/v1", ("models.example", 11434)),
        ("http://[::1]:8080/v1", ("::1", 8080)),
    ],
)
def test_an_endpoint_s_default_port_is_that_of_its_scheme(monkeypatch, base_url, address):
    tried = []

    def refuse(address, timeout_s):
        tried.append((address, timeout_s))
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.create_connection", refuse)
    reason = check_health(Endpoint(base_url=base_url, model="m"), timeout_s=0.5)
    assert reason == f"{address[0]}:{address[1]} cannot be reached: Connection refused"
    assert tried == [(address, 0.5)]


def test_an_unknown_host_is_reported_in_the_system_s_words(monkeypatch):
    def unknown(*_):
        raise OSError("no such host")

    monkeypatch.setattr("socket.create_connection", unknown)
    endpoint = Endpoint(base_url="http://nowhere.example/v1", model="m")
    assert check_health(endpoint) == "nowhere.example:80 cannot be reached: no such host"


def test_problems_with_the_store_are_reported(examined, tmp_path):
    """A damaged store is reported once, by the process that opens it first; an unwritable one is reported each time."""
    main.main(["index", "--vault", str(write(tmp_path / "vault", "--- a.md\noak\n"))])
    (path,) = (tmp_path / "cache").glob("*/vectors*")
    path.write_bytes(b"no store\n")
    assert "nothing in it can be read" in named(examined()[1], "vectors")[-1][1]
    assert len(named(examined()[1], "vectors")) == 1
    (path.parent / "writer.lock").unlink()
    (path.parent / "writer.lock").mkdir()
    verdict, text = named(examined()[1], "vectors")[-1]
    assert (verdict, text.startswith("nothing is stored in ")) == ("note", True)
    assert "choose another folder for vectors (VAULTSEEK_CACHE" in text


def test_unreadable_vectors_are_bad(examined, monkeypatch):
    def fail(_self):
        raise StoreError("vectors.jsonl", 3, "damaged")

    monkeypatch.setattr("search.semantic.vector_storage.VectorStorage.open_without_request", fail)
    code, lines = examined()
    assert code == 1
    assert named(lines, "vectors")[0][0] == "bad"


def test_a_vault_on_a_network_drive_cannot_be_watched(examined, monkeypatch):
    monkeypatch.setattr("search.vault.watch.remote_file_system", lambda _root: "nfs4")
    _, lines = examined()
    ((verdict, text),) = named(lines, "changes")
    assert (verdict, "nfs4" in text) == ("note", True)
