"""Every format gives its text, title, author, headings and pages; what cannot be read gives a reason."""

import re
import time

import pytest
from kit.attachments import docx, epub, odt, paragraph, pdf, pptx, xlsx, zipped

from search.vault.attachments import archive, extracted
from search.vault.attachments import pdf as pdf_module
from search.vault.attachments.parse import extract

MAX_S = 5.0  # for a hostile outline, on a busy computer


def test_a_pdf_has_pages_labels_outline_and_metadata():
    data = pdf(
        "On Oaks\nacorns fall",
        "",
        "2. Jays\nthey hide them",
        title="Oaks and jays",
        author="A. Corn",
        outline=[("Jays", 3), ("Nowhere on the page", 1)],
        labels="0 << /S /r >> 2 << /S /D /St 7 >>",
    )
    found = extract("pdf", data)
    assert found.text == "On Oaks\nacorns fall\n\n2. Jays\nthey hide them"
    assert found.pages == ((0, "i"), (2, "ii"), (3, "7"))
    assert found.headings == ((1, "Nowhere on the page", 0), (1, "Jays", 3))
    assert (found.title, found.author, found.problem) == ("Oaks and jays", "A. Corn", "")


def test_labels_that_are_the_numbers_of_the_pages_are_not_kept():
    assert extract("pdf", pdf("oak", "elm")).pages == ((0, ""), (1, ""))


def test_words_that_a_line_end_parts_are_joined():
    assert "germination" in extract("pdf", pdf("slow germi-\nnation of acorns")).text


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    [
        ("pdf", pdf("", ""), "2 pages without text"),
        ("pdf", pdf(""), "1 page without text"),
        ("pdf", b"", "the file is empty"),
        ("pdf", b"oak", "it is damaged or no PDF"),
        ("docx", docx("oak")[:-40], "it is damaged or no office file"),
        ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "it has the format of Office 97 to 2003"),
        ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "it is encrypted"),
        ("docx", zipped({"a.txt": "oak"}), "it is damaged or no file of this type"),
        ("docx", zipped({"word/document.xml": "<a><b>"}), "its part word/document.xml is no valid XML"),
        ("docx", zipped({"word/document.xml": "<a>" * 300}), "its part word/document.xml is nested too deeply"),
        ("docx", docx(""), "it has no text"),
    ],
)
def test_what_cannot_be_read_has_a_reason(kind, data, why):
    found = extract(kind, data)
    assert (found.problem, found.text.strip()) == (why, "")


def test_an_encrypted_pdf_says_so():
    encryption = b"<< /Filter /Standard /V 1 /R 2 /O (%b) /U (%b) /P -4 >>" % (b"x" * 32, b"y" * 32)
    data = pdf("oak", extra=(encryption,))
    number = int(re.findall(rb"(\d+) 0 obj", data)[-1])
    data = data.replace(b"/Root", b"/ID [(a) (a)] /Encrypt %d 0 R /Root" % number)
    assert extract("pdf", data).problem == "it is encrypted"


def test_entities_are_refused_and_not_expanded():
    bomb = '<!DOCTYPE a [<!ENTITY a "oak"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>'
    assert (
        extract("docx", zipped({"word/document.xml": bomb})).problem == "its part word/document.xml declares entities"
    )
    outside = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>'
    assert "declares entities" in extract("docx", zipped({"word/document.xml": outside})).problem


def test_a_zip_bomb_is_read_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1024 * 1024)
    found = extract("docx", docx(paragraph("oak") + " " * 3_000_000 + paragraph("elm")))
    assert (found.text, found.lost) == ("oak", ("only the first 1 MB of XML are searched",))


def test_text_and_pages_beyond_a_limit_are_named(monkeypatch):
    monkeypatch.setattr(extracted, "MAX_CHARS", 10)
    found = extract("pdf", pdf("oaks elms", "ashes"))
    assert (found.text, found.lost) == (
        "oaks elms\n",
        ("of 2 pages, only the first 10 characters of text are searched",),
    )
    monkeypatch.setattr(extracted, "MAX_PAGES", 1)
    assert extract("pdf", pdf("oaks", "ashes")).lost == ("of 2 pages, only the first 1 pages are searched",)


def test_an_outline_that_never_ends_is_cut(monkeypatch):
    monkeypatch.setattr(pdf_module, "_MAX_OUTLINE", 3)
    data = pdf("oak", outline=[("a", 1), ("b", 1), ("c", 1), ("d", 1)])
    found = extract("pdf", data)
    assert (len(found.headings), found.lost) == (3, ("headings after the first 3 are not used",))
    looping = re.sub(rb"(/Title \(d\).*?/Fit\])", rb"\1 /Next 7 0 R", data)
    assert extract("pdf", looping).text == "oak"


@pytest.mark.parametrize("loop", [rb"/Next 7 0 R", rb"/First 7 0 R /Last 9 0 R", rb"/Next 9 0 R"])
def test_an_outline_that_loops_ends(loop):
    """Its last entry leads to the first one, has the first one in it, or follows itself."""
    data = pdf("oak", outline=[("a", 1), ("b", 1), ("c", 1)])
    looping = re.sub(rb"(/Title \(c\).*?/Fit\])", rb"\1 " + loop, data)
    assert looping != data
    begun = time.process_time()
    found = extract("pdf", looping)
    assert time.process_time() - begun < MAX_S
    assert found.text == "oak"
    assert [heading for _, heading, _ in found.headings][:3] == ["a", "b", "c"]
    assert len(found.headings) <= pdf_module._MAX_OUTLINE


def test_a_truncated_pdf_has_the_pages_that_are_there_or_a_reason():
    data = pdf(*[f"acorns of page {number}" for number in range(9)])
    found = [extract("pdf", data[:length]) for length in range(0, len(data), 40)]
    assert all(bool(one.problem) != bool(one.text.strip()) for one in found)
    assert (found[0].problem, found[1].problem) == ("the file is empty", "it is damaged or no PDF")
    assert "acorns of page 8" in extract("pdf", data[: data.index(b"startxref")]).text


def test_headings_of_too_many_characters_are_cut_and_the_text_is_kept(monkeypatch):
    monkeypatch.setattr(extracted, "MAX_CAPTIONS", 8)
    found = extract("pdf", pdf("oak", outline=[("Oaks", 1), ("Elms", 1), ("Ashes", 1)]))
    assert (found.text, [heading for _, heading, _ in found.headings]) == ("oak", ["Oaks", "Elms"])
    assert found.lost == ("headings after the first 8 characters of headings are not used",)


def test_a_word_file_has_headings_by_style_and_tables_by_row():
    table = f"<w:tbl><w:tr><w:tc>{paragraph('oak')}</w:tc><w:tc>{paragraph('9000')}</w:tc></w:tr></w:tbl>"
    deleted = "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    box = f"<w:p><mc:Fallback xmlns:mc='m'>{paragraph('again')}</mc:Fallback></w:p>"
    body = paragraph("Trees", "Heading1") + paragraph("Yields", "berschrift2") + table + deleted + box
    found = extract("docx", docx(body, title="Report", author="A. Corn"))
    assert found.text == "Trees\nYields\noak 9000"
    assert found.headings == ((1, "Trees", 0), (2, "Yields", 1))
    assert (found.title, found.author) == ("Report", "A. Corn")


def test_a_presentation_has_its_slides_in_their_order_as_pages():
    found = extract("pptx", pptx(("Oaks", "acorns"), ("Jays", "hide them")))
    assert found.text == "Oaks\nacorns\nJays\nhide them"
    assert found.pages == ((0, ""), (2, ""))
    assert found.headings == ((2, "Oaks", 0), (2, "Jays", 2))


def test_a_workbook_has_its_sheets_as_headings_and_its_rows_as_lines():
    found = extract("xlsx", xlsx(Yields=[["tree", "acorns"], ["oak", 9000]], Other=[["elm"]]))
    assert found.text == "Yields\ntree │ acorns\noak │ 9000\nOther\nelm"
    assert [text for _, text, _ in found.headings] == ["Yields", "Other"]


def test_an_open_document_has_headings_and_no_deleted_text():
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:h text:outline-level="2">Trees</text:h><text:p>an<text:s text:c="1000000000"/>oak</text:p>'
    )
    found = extract("odt", odt(body, title="Report", author="A. Corn"))
    assert (found.text, found.headings) == ("Trees\nan oak", ((2, "Trees", 0),))
    assert (found.title, found.author) == ("Report", "A. Corn")


def test_a_book_has_its_chapters_in_order():
    pages = [f"<!DOCTYPE html PUBLIC 'x' 'y'><h1>{name}</h1><p>a&nbsp;{name} tree</p>" for name in ("Oak", "Elm")]
    found = extract("epub", epub(*pages, title="Trees", author="A. Corn"))
    assert found.text == "Oak\na Oak tree\nElm\na Elm tree"
    assert found.headings == ((1, "Oak", 0), (1, "Elm", 2))
    assert (found.title, found.author) == ("Trees", "A. Corn")


@pytest.mark.parametrize("title", ["Microsoft Word - a.doc", "untitled", "oaks.tex", "---"])
def test_titles_that_programs_made_are_not_used(title):
    assert extract("pdf", pdf("oak", title=title)).title == ""


def test_a_part_of_a_file_is_read_if_a_later_part_is_damaged():
    data = docx("oak", **{"word/footnotes.xml": "<w:p>"})
    found = extract("docx", data)
    assert found.text == "oak"
    assert found.lost == ("what follows is not searched: its part word/footnotes.xml is no valid XML",)
