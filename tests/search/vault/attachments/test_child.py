"""The child process reads one file after the other, within limits; a file that ends it costs only itself."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from kit.attachments import docx, pdf

from search.vault.attachments import child as child_module
from search.vault.attachments.child import Child, NoChildError

ROOT = Path(__file__).parents[4]
FRAMES = "search.vault.attachments.frames"
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


@pytest.fixture
def child():
    opened = Child()
    yield opened
    opened.close()


def ask(child, file_type, data):
    answer = child.extract(file_type, len(data), lambda: [data[:10], data[10:]])
    return json.loads(answer.text)


def with_code(monkeypatch, code):
    """Has every new child process first run this code, where it would read its first file."""
    plain = child_module._START
    monkeypatch.setattr(child_module, "_START", plain.replace("main()", f"exec({code!r}); main()"))


REPLACE = "import search.vault.attachments.worker as w\ndef extract(kind, data):\n    {}\nw.extract = extract"


def test_one_process_reads_many_files(child):
    assert ask(child, "pdf", pdf("oak"))["text"] == "oak"
    first = child._process.pid
    assert ask(child, "docx", docx("elm"))["text"] == "elm"
    assert child._process.pid == first


def test_a_file_that_is_too_large_for_the_pipe_is_read(child):
    assert ask(child, "docx", docx("elm " * 200_000))["text"].count("elm") == 200_000


def test_after_a_rest_another_process_is_started(child):
    ask(child, "pdf", pdf("oak"))
    process = child._process
    child.rest()
    assert process.poll() is not None
    assert ask(child, "pdf", pdf("elm"))["text"] == "elm"


@pytest.mark.skipif(os.name == "nt", reason="the program is a script")
def test_a_standalone_program_starts_itself(child, monkeypatch, tmp_path):
    """Its first file is run by this Python here, and decides by its argument alone what it is."""
    program = tmp_path / "vaultseek"
    start = ROOT / ".ci/standalone/start.py"
    code = f"import runpy, sys\nsys.path[:] = {[str(ROOT), *sys.path]}\nrunpy.run_path({str(start)!r})\n"
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    assert ask(child, "docx", docx("oak"))["text"] == "oak"
    assert ask(child, "pdf", pdf("elm"))["text"] == "elm"


def test_a_standalone_program_imports_nothing_before_it_knows_what_it_is():
    lines = (ROOT / ".ci/standalone/start.py").read_text(encoding="utf-8").partition("if sys.argv")[0]
    loaded = f'{lines}\nprint(*(name for name in sys.modules if name.startswith(("search", "lsp", "numpy"))))'
    ran = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) <= {"search", "search.vault", "search.vault.attachments", FRAMES}


def test_after_a_crash_the_next_file_is_read(child, monkeypatch):
    with monkeypatch.context() as patch:
        with_code(patch, REPLACE.format("import os; os.abort()"))
        assert ask(child, "pdf", pdf("oak"))["problem"] == "its parser crashed or needs too much memory"
    assert ask(child, "pdf", pdf("elm"))["text"] == "elm"


def test_a_file_is_not_blamed_for_a_process_that_an_earlier_one_damaged(child, monkeypatch):
    code = "if data == b'elm': signal.raise_signal(signal.SIGSEGV)\n    return w.failed(data.decode())"
    with monkeypatch.context() as patch:
        with_code(patch, "import signal\n" + REPLACE.format(code))
        assert ask(child, "pdf", b"oak")["problem"] == "oak"
        first = child._process.pid
    assert ask(child, "pdf", b"elm")["problem"] == "it is damaged or no PDF"
    assert child._process.pid != first


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("signal", "is_final"), [("SIGKILL", False), ("SIGTERM", False), ("SIGSEGV", True)])
def test_a_file_whose_process_is_ended_from_outside_is_tried_another_time(child, monkeypatch, signal, is_final):
    with_code(monkeypatch, "import signal\n" + REPLACE.format(f"signal.raise_signal(signal.{signal})"))
    answer = child.extract("pdf", 3, lambda: [b"oak"])
    assert (json.loads(answer.text)["problem"], answer.is_final) == (
        "its parser crashed or needs too much memory",
        is_final,
    )


def test_a_file_that_takes_too_long_is_given_up(child, monkeypatch):
    monkeypatch.setattr(child_module, "PATIENCE_S", 1.0)
    with_code(monkeypatch, REPLACE.format("while True: pass"))
    answer = child.extract("pdf", 3, lambda: [b"oak"])
    assert (json.loads(answer.text)["problem"], answer.is_final) == ("reading it takes more than 1 s", False)


@ON_LINUX
def test_computing_time_is_limited(child, monkeypatch):
    with_code(monkeypatch, REPLACE.format("while True: pass") + "\nw.CPU_S = 0")
    assert ask(child, "pdf", b"oak")["problem"] == "reading it takes more than 60 s of computing time"


@ON_LINUX
def test_memory_is_limited(child, monkeypatch):
    with_code(monkeypatch, REPLACE.format("bytearray(2 * w.MAX_MEMORY)"))
    assert ask(child, "pdf", b"oak")["problem"] == "its parser crashed or needs too much memory"


@ON_LINUX
@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/hostname')",
        "open('{folder}/made', 'w')",
        "import socket; socket.socket()",
    ],
)
def test_a_parser_opens_no_file_and_no_connection(child, monkeypatch, tmp_path, attempt):
    code = "try:\n        {}\n    except OSError as e:\n        return w.failed(f'refused: {{type(e).__name__}}')"
    code += "\n    return w.failed('it was let')"
    with_code(monkeypatch, "import socket, os\n" + REPLACE.format(code.format(attempt.format(folder=tmp_path))))
    assert "refused" in ask(child, "pdf", b"oak")["problem"]
    assert not list(tmp_path.iterdir())


def test_the_process_has_no_environment_and_no_code_from_the_current_folder(child, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "oak")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zipfile.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.syspath_prepend("")
    with_code(monkeypatch, REPLACE.format("import os; return w.failed(str(dict(os.environ)))"))
    assert "oak" not in ask(child, "pdf", b"oak")["problem"]


@pytest.mark.parametrize("sent", ["x\\n", "-1\\n", "99999999999\\n", "5\\nab", "2\\n\\xff\\xff", ""])
def test_an_answer_of_another_form_counts_as_a_crash(child, monkeypatch, sent):
    code = f"import sys; sys.stdout.buffer.write(b'ready\\n' b'{sent}'); sys.stdout.flush(); sys.stdin.readline()"
    monkeypatch.setattr(child_module, "_END_S", 0.5)
    with_code(monkeypatch, code + "; sys.exit()")
    assert ask(child, "pdf", b"oak")["problem"] == "its parser crashed or needs too much memory"


TAKEN_OVER = {
    "lists": "b'[' + b'[],' * 5_000_000",
    "depth": "b'[' * 15_000_000",
    "numbers": "b'[' + b'0,' * 8_000_000",
    "objects": "b'{\"a\":' * 3_000_000",
    "words": "b'[\"ab\"' + b',\"ab\"' * 3_000_000",
    "wide": 'b\'{"text": "\' + b"x" * 15_000_000 + "\\U0001f333".encode()',
}


@ON_LINUX
@pytest.mark.parametrize("data", TAKEN_OVER.values(), ids=TAKEN_OVER)
def test_what_a_parser_that_was_taken_over_sends_takes_little_memory(child, monkeypatch, data):
    monkeypatch.setattr(child_module, "_END_S", 0.5)
    with_code(monkeypatch, f"import search.vault.attachments.worker as w; b = {data}; w._extracted = lambda *_: b")
    loads, decoded = json.loads, []
    monkeypatch.setattr("json.loads", lambda text: decoded.append(text) or loads(text))
    assert ask(child, "pdf", b"oak")["problem"] == "its parser crashed or needs too much memory"
    assert len(decoded) == 1  # by this test


def test_closing_does_not_wait_for_a_process_that_starts(child, monkeypatch):
    with_code(monkeypatch, "import time; time.sleep(999)")
    outcome = []

    def extract():
        with pytest.raises(NoChildError) as caught:
            child.extract("pdf", 3, lambda: [b"oak"])
        outcome.append(str(caught.value))

    thread = threading.Thread(target=extract)
    thread.start()
    while child._process is None:
        thread.join(0.01)
    child.close()
    thread.join()
    assert outcome == ["it was closed"]


def test_a_program_that_cannot_be_started_is_an_error(child, monkeypatch):
    monkeypatch.setattr(sys, "executable", "nowhere/python")
    with pytest.raises(NoChildError, match="cannot be started"):
        child.extract("pdf", 3, lambda: [b"oak"])


def test_a_program_that_ends_at_once_is_an_error(child, monkeypatch):
    with_code(monkeypatch, "raise SystemExit")
    with pytest.raises(NoChildError, match="ends at once"):
        child.extract("pdf", 3, lambda: [b"oak"])


def test_a_file_that_cannot_be_read_leaves_no_half_request(child):
    def chunks():
        yield b"oak"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        child.extract("pdf", 10, chunks)
    assert ask(child, "pdf", pdf("elm"))["text"] == "elm"


def test_a_closed_child_starts_nothing(child):
    child.close()
    with pytest.raises(NoChildError):
        child.extract("pdf", 3, lambda: [b"oak"])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files there")
def test_nothing_stays_open(child):
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(3):
        ask(child, "pdf", pdf("oak"))
        child.rest()
    assert len([*Path("/proc/self/fd").iterdir()]) == before
