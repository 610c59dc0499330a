"""Damaged files cost only themselves: each is answered within the limits, and whole files are read after it."""

import json
import os
import random
import sys
import time
import zlib
from pathlib import Path

import pytest
from kit.attachments import docx, epub, odt, paragraph, pdf, pptx, xlsx
from kit.pictures import exif, iptc, jpeg, png, webp, xmp

from search.vault.attachments.child import Child
from search.vault.attachments.extracted import MAX_CHARS, to_json
from search.vault.attachments.image_sample import HEAD, TAIL
from search.vault.attachments.parse import extract
from search.vault.attachments.worker import MAX_MEMORY
from search.vault.kinds.attachment import read_attachment

TIMES = int(os.environ.get("VAULTSEEK_MUTATIONS", "1"))
N_PDFS, N_ARCHIVES = 500 * TIMES, 200 * TIMES
PDFS = (
    pdf(
        "acorns of an oak\nand jays",
        "page two",
        title="Oaks",
        outline=[("Jays", 1), ("Two", 2)],
        labels="0 << /S /r >>",
    ),
    pdf(*["words of a page\n" * 30] * 8),
    pdf("oak", extra=(b"<< /Type /ObjStm /N 2 /First 8 /Length 4 >>\nstream\nabcd\nendstream",)),
)
ARCHIVES = (
    ("docx", docx(paragraph("Trees", "Heading1") + paragraph("oak") * 50, title="Trees")),
    ("pptx", pptx(("Oaks", "acorns"), ("Jays", "hide them"))),
    ("xlsx", xlsx(Yields=[["tree", "acorns"], ["oak", 9000]] * 20)),
    ("odt", odt('<text:h text:outline-level="2">Trees</text:h><text:p>oak</text:p>')),
    ("epub", epub("<h1>Oak</h1><p>tree</p>", "<h1>Elm</h1>")),
)
_PDF_WORDS = (b"obj", b"endobj", b"stream", b"/Kids", b"/Parent", b"/Count", b"/Length", b"R", b"<<", b">>", b"[", b"(")


def damaged(data, chance, words=()):
    """The data with some bytes changed, removed, repeated or replaced by a word or a large number."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data))
        match chance.randrange(6):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randint(1, 40)]
            case 2:
                data[at:at] = data[at : at + chance.randint(1, 200)] * chance.randint(1, 5)
            case 3:
                data[at : at + 3] = str(chance.choice((0, -1, 1, 2, 2**31 - 1, 2**32, 10**12))).encode()
            case 4:
                data[at:at] = chance.choice(words or (b"\xff",))
            case 5 if chance.random() < 0.2:
                del data[at:]
        data = data or bytearray(b"x")
    return bytes(data)


@pytest.fixture(scope="module")
def child():
    opened = Child()
    yield opened
    opened.close()


def check(child, kind, data):
    """Has the file read, and returns whether it had text."""
    answer = child.extract(kind, len(data), lambda: [data])
    found, reading = json.loads(answer.text), read_attachment(answer.text)
    assert answer.is_final
    assert "crashed" not in found["problem"]
    assert len(reading.text) <= MAX_CHARS
    assert bool(found["problem"]) != bool(reading.text.strip())
    if sys.platform == "linux" and child._process is not None:
        status = Path(f"/proc/{child._process.pid}/status").read_text(encoding="ascii")
        assert int(status.partition("VmPeak:")[2].split()[0]) * 1024 <= MAX_MEMORY
    return bool(reading.text.strip())


@pytest.mark.parametrize("tenth", range(10))
def test_any_damaged_pdf_is_read_or_named(child, tenth):
    n_read = 0
    for seed in range(tenth * N_PDFS // 10, (tenth + 1) * N_PDFS // 10):
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        n_read += check(child, "pdf", damaged(chance.choice(PDFS), chance, _PDF_WORDS))
    assert 0 < n_read < N_PDFS // 10
    assert check(child, "pdf", PDFS[0])


@pytest.mark.parametrize("kind", [kind for kind, _ in ARCHIVES])
def test_any_damaged_archive_is_read_or_named(child, kind):
    whole = dict(ARCHIVES)[kind]
    for seed in range(N_ARCHIVES // len(ARCHIVES)):
        check(child, kind, damaged(whole, random.Random(seed)))  # noqa: S311 - not for secrets
    assert check(child, kind, whole)


MAX_S = 2.0  # for the worst sample, on a busy computer
PICTURES = (
    jpeg(
        xmp=xmp(dc_title="oak", dc_subject=["acorns", "jays"]),
        exif=exif(t010e="an oak in a field", more=[(0x9286, 7, b"UNICODE\0" + "jays".encode("utf-16-le"))]),
        iptc=iptc((120, "oak"), (25, "acorn")),
        comment="jays",
    ),
    png((b"tEXt", b"Title\0oak"), (b"zTXt", b"Comment\0\0" + zlib.compress(b"acorns")), (b"eXIf", exif(t010e="oak"))),
    webp(exif=exif(order=">", t010e="an oak"), xmp=xmp(dc_title="oak")),
    exif(t010e="an oak in a field", t0100=400, t0101=300),
    b'<?xml version="1.0" encoding="utf-8"?><svg width="9"><title>oak</title><text>a <tspan>jay</tspan></text></svg>',
)


@pytest.mark.parametrize("whole", PICTURES, ids=["jpeg", "png", "webp", "tiff", "svg"])
def test_any_damaged_picture_is_read_without_a_problem(whole):
    for seed in range(N_PDFS):
        data = damaged(whole, random.Random(seed))  # noqa: S311 - not for secrets
        found = extract("image", (len(data) + 99 * (seed % 2)).to_bytes(8, "big") + data)
        assert found.problem == ""
        assert len(found.text) <= MAX_CHARS
        assert read_attachment(to_json(found)).text == found.text
    for mark in (
        b"MM\0*",
        b"Xt",
        b"tEXt",
        b"8BIM\x04\x04",
        b"<x:xmpmeta>",
        b"\xff\xe1\0\x02",
        b"ispe\0\0\0\0",
        b"<text>a",
        b"<g>",
    ):
        begun = time.process_time()
        for start in (b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"Exif\0\0", b"<svg>"):
            extract("image", bytes(8) + start + mark * ((HEAD + TAIL) // len(mark)))
        assert time.process_time() - begun < 4 * MAX_S
