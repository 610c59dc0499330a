"""Damaged files cost only themselves: each is answered within the limits, and whole files are read after it."""

import json
import os
import random
import sys
from pathlib import Path

import pytest
from kit.attachments import docx, epub, odt, paragraph, pdf, pptx, xlsx

from search.vault.attachments.child import Child
from search.vault.attachments.extracted import MAX_CHARS
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
