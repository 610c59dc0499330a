"""The text of PDF and office files is searched as that of notes, behind the first answer, and parsed once."""

import os
import threading
import time

import pytest
from kit.attachments import docx, pdf

from search.engine import Engine
from search.ids import NoteId
from search.query import Query
from search.settings import Settings
from search.vault.attachments import attachments as attachments_module
from search.vault.attachments.attachments import Attachments
from search.vault.attachments.child import Child, NoChildError
from search.vault.settings import VaultSettings
from search.vault.walk import Stat
from vaults import ask, codes, ids, search, write

LONG_AGO = 1_600_000_000


@pytest.fixture
def vault(tmp_path):
    root = write(tmp_path / "vault", "--- Oak.md\nAcorns are in [[yields.pdf]].\n--- Elm.md\nno acorns\n")
    for path in root.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
    put(root / "yields.pdf", pdf("Trees", "acorns of 1889\nand jays", title="Yields", author="A. Corn"))
    put(root / "minutes.docx", docx("The squirrels met."))
    return root


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)  # on a busy computer too
    engines = []

    def open_vault(root, **options):
        engines.append(Engine(root, snapshot=tmp_path / "cache" / "vault-1.snapshot", **options))
        return engines[-1]

    yield open_vault
    for engine in engines:
        engine.close()


def put(path, data):
    """Writes a file that is older than the clock of the file system ticks."""
    path.write_bytes(data)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def no_parsing(monkeypatch):
    monkeypatch.setattr(Child, "extract", lambda *_: pytest.fail("parsed again"))


def test_attachments_are_found_by_their_text_title_and_author(vault, opened):
    engine = opened(vault)
    assert ask(engine, "squirrels") == ["minutes.docx"]
    assert ask(engine, "jays type:pdf") == ["yields.pdf"]
    assert ask(engine, "jays file:*.pdf") == ask(engine, "file:*.pdf") == ["yields.pdf"]
    assert ask(engine, "squirrels file:*.pdf") == []
    assert ask(engine, "[author:corn]") == ["yields.pdf"]
    (found,) = search(engine, "1889").hits
    assert (found.title, found.snippets[0].text) == ("Yields", "acorns of 1889")


def test_an_excerpt_has_its_page(vault, opened):
    (found,) = search(opened(vault), "jays").hits
    assert [(snippet.page, snippet.page_label) for snippet in found.snippets] == [(2, "2")]


def test_a_page_is_a_section(vault, opened):
    engine = opened(vault)
    assert ask(engine, "section:(acorns jays) type:pdf") == ["yields.pdf"]
    assert ask(engine, "trees jays type:pdf") == ["yields.pdf"]
    assert ask(engine, "section:(trees jays) type:pdf") == []


def test_links_lead_to_attachments(vault, opened):
    engine = opened(vault)
    engine.refresh()
    assert engine.indexer.corpus.links.backlinks(NoteId("yields.pdf")) == {"Oak.md"}


def test_the_first_answer_does_not_wait_and_says_what_is_missing(vault, opened, monkeypatch):
    engine = opened(vault)
    monkeypatch.setattr(engine.indexer.extraction, "start", lambda: None)
    result = search(engine, "acorns")
    assert set(ids(result)) == {"Oak.md", "Elm.md"}
    assert ask(engine, "yields") == ["yields.pdf", "Oak.md"]
    (notice,) = (notice for notice in result.notices if notice.code == "attachments-pending")
    assert notice.message == "2 PDF or office files are still being read, and found by name only until then."


def test_nothing_is_parsed_twice(vault, opened, monkeypatch):
    first = opened(vault)
    assert ask(first, "squirrels") == ["minutes.docx"]
    first.close()
    no_parsing(monkeypatch)
    (vault / "archive").mkdir()
    (vault / "yields.pdf").rename(vault / "archive/copy.pdf")
    put(vault / "again.docx", docx("The squirrels met."))
    second = opened(vault)
    assert set(ask(second, "squirrels")) == {"minutes.docx", "again.docx"}
    assert ask(second, "1889") == ["archive/copy.pdf"]


def test_a_snapshot_keeps_what_was_extracted_but_not_what_is_pending(vault, opened, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)
    first = opened(vault)
    with monkeypatch.context() as patch:
        patch.setattr(first.indexer.extraction, "start", lambda: None)
        first.refresh()
    first.save_snapshot()
    second = opened(vault)
    assert ask(second, "squirrels") == ["minutes.docx"]
    second.save_snapshot()
    no_parsing(monkeypatch)
    third = opened(vault)
    monkeypatch.setattr(third._vault, "read", lambda notes: pytest.fail("read again") if [*notes] else [])
    assert [found.snippets[0].text for found in search(third, "jays").hits] == ["and jays"]


def test_a_file_that_could_not_be_opened_is_tried_again_at_the_next_start(vault, opened, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)
    first = opened(vault)
    with monkeypatch.context() as patch:
        patch.setattr(attachments_module, "open_regular", lambda *_: (_ for _ in ()).throw(OSError(5, "disk error")))
        assert ask(first, "squirrels") == []
    first.save_snapshot()
    assert ask(opened(vault), "squirrels") == ["minutes.docx"]


def test_text_that_is_gone_from_the_cache_is_extracted_again(vault, opened, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)
    first = opened(vault)
    ask(first, "jays")
    first.save_snapshot()
    first._vault.attachments.store.clear()
    second = opened(vault)
    ask(second, "jays")  # the excerpt misses its text
    assert [found.snippets[0].text for found in search(second, "jays").hits] == ["and jays"]


def test_a_damaged_cache_counts_as_absent(vault, opened, tmp_path):
    first = opened(vault)
    ask(first, "squirrels")
    first.close()
    for path in (tmp_path / "cache" / "vault-1.attachments").iterdir():
        path.write_bytes(path.read_bytes()[:-9] + b"squirrels")
    assert ask(opened(vault), "squirrels") == ["minutes.docx"]


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
def test_the_cache_is_private_and_cleared(vault, opened, tmp_path):
    engine = opened(vault)
    ask(engine, "squirrels")
    folder = tmp_path / "cache" / "vault-1.attachments"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in folder.iterdir()] == [0o600, 0o600]
    engine.clear_snapshot()
    assert not folder.exists()


def test_a_changed_file_is_read_again_and_a_deleted_one_is_gone(vault, opened):
    engine = opened(vault)
    assert ask(engine, "squirrels") == ["minutes.docx"]
    put(vault / "minutes.docx", docx("The magpies met, at last."))
    (vault / "yields.pdf").unlink()
    engine.mark_changed([NoteId("minutes.docx"), NoteId("yields.pdf")])
    assert ask(engine, "squirrels") == []
    assert ask(engine, "magpies") == ["minutes.docx"]
    assert ask(engine, "jays") == []


def test_a_bad_file_is_named_with_its_reason_and_found_by_its_name(vault, opened):
    put(vault / "scan.pdf", pdf(*[""] * 12))
    put(vault / "old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    engine = opened(vault)
    assert ask(engine, "scan") == ["scan.pdf"]
    messages = [notice.message for notice in engine.status().notices if notice.code == "file-unread"]
    assert messages == [
        "old.docx: it has the format of Office 97 to 2003; it is found by its name only",
        "scan.pdf: 12 pages without text; it is found by its name only",
    ]
    assert "file-unread" in codes(search(engine, "squirrels"))


@pytest.mark.parametrize("query", ["scan", "type:pdf file:scan"])
def test_a_file_without_text_is_shown_with_the_lines_that_link_to_it(vault, opened, query):
    put(vault / "scan.pdf", pdf("", "", outline=[("Seals", 1)]))
    (vault / "Deeds.md").write_text("The lease: ![[scan.pdf]] of 1889.\n", encoding="utf-8")
    (found,) = (hit for hit in search(opened(vault), query).hits if hit.hit.id == "scan.pdf")
    (snippet,) = found.snippets
    assert snippet.text == "Deeds: The lease: ![[scan.pdf]] of 1889."
    assert (snippet.line, snippet.fragment, snippet.page) == (0, "", 0)
    assert found.sections == ()


@pytest.mark.parametrize("name", ["empty.canvas", "empty.csv", "empty.txt"])
def test_any_empty_file_is_shown_with_the_lines_that_link_to_it(tmp_path, name):
    engine = Engine(write(tmp_path, f"--- Trip.md\nSee [[{name}]].\n--- empty.md\n"))
    (tmp_path / name).write_text("", encoding="utf-8")
    shown = {found.hit.id: [snippet.text for snippet in found.snippets] for found in search(engine, "empty").hits}
    assert (shown[name], shown["empty.md"]) == ([f"Trip: See [[{name}]]."], [])


def test_a_file_beyond_the_limit_of_size_is_not_parsed(vault, opened, monkeypatch):
    monkeypatch.setattr(attachments_module, "MAX_BYTES", 10)
    no_parsing(monkeypatch)
    engine = opened(vault)
    assert ask(engine, "yields")[0] == "yields.pdf"
    assert {notice.code for notice in engine.status().notices} == {"file-unread"}


def test_without_the_extra_a_pdf_is_found_by_its_name_and_one_notice_says_what_to_install(vault, opened, monkeypatch):
    monkeypatch.setattr(attachments_module, "can_import", lambda _: False)
    engine = opened(vault)
    assert ask(engine, "yields") == ["yields.pdf", "Oak.md"]
    assert ask(engine, "squirrels") == ["minutes.docx"]
    (notice,) = engine.status().notices
    assert notice.code == "attachments-extra"
    assert notice.message.startswith("1 PDF file is found by name only, since the package pypdfium2 is not installed")
    assert codes(search(engine, "acorns")) == []


def test_closing_does_not_wait_for_a_disk(vault, opened, monkeypatch):
    is_reading, may_go_on = threading.Event(), threading.Event()

    def extract(*_):
        is_reading.set()
        may_go_on.wait()
        return True

    monkeypatch.setattr("search.index.extraction._CLOSE_S", 0.01)
    monkeypatch.setattr("search.vault.vault.Vault.extract", extract)
    monkeypatch.setattr("search.index.extraction.Extraction.wait", lambda *_, **__: None)
    engine = opened(vault)
    engine.refresh()
    is_reading.wait()
    thread = engine.indexer.extraction.thread
    engine.close()
    assert thread.is_alive()
    may_go_on.set()
    thread.join()
    assert engine.indexer.corpus.notes[NoteId("yields.pdf")].title == "yields"


def test_files_without_a_parser_are_counted_as_they_come_and_go(vault, opened, monkeypatch):
    monkeypatch.setattr(attachments_module, "can_import", lambda _: False)
    engine = opened(vault)

    def said():
        engine.mark_changed([])
        engine.refresh()
        return [notice.message.partition(",")[0] for notice in engine.status().notices]

    assert said() == ["1 PDF file is found by name only"]
    put(vault / "b.PDF", pdf("oak"))
    put(vault / "c.pdf", pdf("oak"))
    assert said() == ["3 PDF files are found by name only"]
    (vault / "c.pdf").rename(vault / "c.txt")
    (vault / "yields.pdf").unlink()
    assert said() == ["1 PDF file is found by name only"]
    monkeypatch.setattr(attachments_module, "extracted_type", lambda _: pytest.fail("looked at again"))
    assert said() == ["1 PDF file is found by name only"]


def test_a_parser_that_cannot_be_started_is_named_once(vault, opened, monkeypatch):
    monkeypatch.setattr("sys.executable", "nowhere/python")
    engine = opened(vault)
    assert "attachments-unread" in codes(search(engine, "acorns"))
    assert ask(engine, "yields") == ["yields.pdf", "Oak.md"]


def test_files_that_were_parsed_before_the_process_was_lost_are_found(vault, opened, monkeypatch):
    extract, is_asked_again = Child.extract, []

    def extract_one(*given):
        if is_asked_again:
            raise NoChildError("it is lost")
        is_asked_again.append(True)
        return extract(*given)

    monkeypatch.setattr(Child, "extract", extract_one)
    engine = opened(vault)
    assert "attachments-unread" in codes(search(engine, "squirrels"))
    assert ask(engine, "squirrels") == ["minutes.docx"]


def test_an_editor_that_shows_the_bytes_of_a_file_changes_nothing(vault, opened):
    engine = opened(vault)
    engine.open_buffer(NoteId("yields.pdf"), "%PDF-1.7 \ufffd")
    assert ask(engine, "jays") == ["yields.pdf"]
    engine.close_buffer(NoteId("yields.pdf"))
    assert ask(engine, "jays") == ["yields.pdf"]


def test_the_setting_chooses_the_types(vault, opened):
    engine = opened(vault, settings=Settings(vault=VaultSettings(file_types=("docx",))))
    assert (ask(engine, "squirrels"), ask(engine, "jays")) == (["minutes.docx"], [])


def test_of_equal_evidence_the_note_comes_first_and_a_long_file_does_not_win_by_its_length(tmp_path, opened):
    root = write(tmp_path / "vault", "--- Jay.md\nThe jay hides an acorn.\n--- Other.md\nNothing of it.\n")
    rare = {7: "the jay", 31: "an acorn"}
    pages = ["Many words of a book\n" * 20 + rare.get(n % 50, "") for n in range(300)]
    put(root / "book.pdf", pdf(*pages))
    put(root / "short.pdf", pdf("The jay hides an acorn."))
    assert ask(opened(root), "jay acorn") == ["Jay.md", "short.pdf", "book.pdf"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_out_of_the_vault_is_not_followed(vault, opened, tmp_path):
    put(tmp_path / "outside.pdf", pdf("secret"))
    (vault / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    engine = opened(vault)
    assert ask(engine, "secret") == []
    assert "link.pdf" in engine.status().skipped


def test_a_file_that_becomes_a_link_out_of_the_vault_is_not_read(vault, tmp_path):
    put(tmp_path / "outside.pdf", pdf("secret"))
    (vault / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    attachments = Attachments()
    link = vault / "link.pdf"
    attachments.extract(str(vault), NoteId("link.pdf"), str(link), is_fresh=lambda _: False)
    content, text = attachments.known(NoteId("link.pdf"), Stat.of(link.lstat()), "")
    assert (content.partition("_")[0], "secret" in text) == ("unread", False)


def test_a_file_that_cannot_be_opened_is_named_and_not_tried_again_until_it_changes(vault, opened, monkeypatch):
    tried = []

    def refuse(path, _):
        tried.append(path)
        if len(tried) > 9:
            raise NoChildError("it is tried again and again")
        raise PermissionError(13, "Permission denied")

    engine = opened(vault)
    with monkeypatch.context() as patch:
        patch.setattr(attachments_module, "open_regular", refuse)
        ask(engine, "squirrels")
        ask(engine, "squirrels")
    assert [path.rpartition("/")[2] for path in sorted(tried)] == ["minutes.docx", "yields.pdf"]
    messages = [notice.message for notice in engine.status().notices]
    assert messages[0] == "minutes.docx: it cannot be read (Permission denied); it is found by its name only"
    os.utime(vault / "minutes.docx", (LONG_AGO + 1,) * 2)
    engine.mark_changed([NoteId("minutes.docx")])
    assert ask(engine, "squirrels") == ["minutes.docx"]


def test_a_file_that_was_just_written_is_read_when_its_state_would_show_another_write(vault, opened):
    (vault / "new.docx").write_bytes(docx("magpies"))
    os.utime(vault / "new.docx", (int(time.time()),) * 2)  # a whole second, as some file systems store it
    assert ask(opened(vault), "magpies") == ["new.docx"]


def test_a_file_with_a_time_in_the_future_is_read(vault, opened):
    (vault / "new.docx").write_bytes(docx("magpies"))
    os.utime(vault / "new.docx", (2**33, 2**33))
    assert ask(opened(vault), "magpies") == ["new.docx"]


def test_a_call_that_has_little_patience_does_not_wait_for_any_file(vault, opened, monkeypatch):
    parsing = threading.Event()
    parse = Child.extract
    monkeypatch.setattr(Child, "extract", lambda *arguments: parsing.wait(60) and parse(*arguments))
    engine = opened(vault)
    result = engine.search(Query(text="squirrels"), patience_s=30.0)
    assert (ids(result), codes(result)) == ([], ["attachments-pending"])
    parsing.set()
    engine.indexer.extraction.wait()
    assert ask(engine, "squirrels") == ["minutes.docx"]


def test_a_slow_file_does_not_delay_those_before_it(vault, opened, monkeypatch):
    monkeypatch.setattr("search.index.extraction._BATCH_S", 0.0)
    done, is_asked = threading.Event(), threading.Event()
    parse = Child.extract

    def wait_for_pdf(child, kind, *arguments):
        if kind == "pdf":
            is_asked.set()
            done.wait(60)
        return parse(child, kind, *arguments)

    monkeypatch.setattr(Child, "extract", wait_for_pdf)
    os.utime(vault / "minutes.docx", (LONG_AGO + 1,) * 2)
    engine = opened(vault)
    engine.search(Query(text="squirrels"), patience_s=30.0)
    assert is_asked.wait(60)
    assert ids(engine.search(Query(text="squirrels"), patience_s=30.0)) == ["minutes.docx"]
    done.set()
    engine.indexer.extraction.wait()


def test_closing_ends_the_parsing(vault, opened, monkeypatch):
    parsing = threading.Event()

    def parse(child, *_):
        parsing.set()
        while not child._is_closed:
            pass
        raise NoChildError("it was closed")

    monkeypatch.setattr(Child, "extract", parse)
    engine = opened(vault)
    engine.search(Query(text="squirrels"), patience_s=30.0)
    assert parsing.wait(60)
    engine.close()
    assert engine.indexer.extraction.thread is None


def test_files_whose_names_have_words_of_a_query_are_parsed_first(tmp_path, opened, monkeypatch):
    root = write(tmp_path / "vault", "--- a.md\noak\n")
    for at, name in enumerate(("old acorn report", "minutes", "acorns", "letter")):
        os.utime(put(root / f"{name}.docx", docx(name)), (LONG_AGO + at,) * 2)
    engine = opened(root)
    monkeypatch.setattr(engine.indexer.extraction, "start", lambda: None)
    ask(engine, "report on acorns")
    assert engine._vault.attachments.pending == ("old acorn report.docx", "acorns.docx", "letter.docx", "minutes.docx")


def test_a_withheld_file_is_neither_parsed_nor_mentioned(vault, opened, monkeypatch):
    no_parsing(monkeypatch)
    engine = opened(vault, settings=Settings(vault=VaultSettings(deny=("*.pdf", "*.docx"))))
    result = search(engine, "yields")
    assert (ids(result), codes(result), dict(engine.status().skipped)) == (["Oak.md"], [], {})
