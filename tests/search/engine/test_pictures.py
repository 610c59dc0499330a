"""Pictures are found by the texts in their metadata, count nowhere as notes, and are read once."""

import os
import shutil

import pytest
from kit.pictures import exif, jpeg, png, xmp

from search.engine import Engine
from search.ids import NoteId
from search.ranking.presets import PRESETS
from search.vault.attachments.child import Child
from search.vault.attachments.image_sample import HEAD, TAIL
from vaults import ask, codes, ids, search, write

LONG_AGO = 1_600_000_000
NOTES = """
--- Pier.md
The pier in winter. ![[pier.jpg]]
--- Ships.md
Ships at the quay, and a harbour.
--- Oak.md
Acorns.
"""


def put(path, data):
    """Writes a file that is older than the clock of the file system ticks."""
    path.write_bytes(data)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


@pytest.fixture
def vault(tmp_path):
    root = write(tmp_path / "vault", NOTES)
    for path in root.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
    put(root / "DSC1.jpg", jpeg(size=(400, 300), xmp=xmp(dc_description="Ice in the harbour", dc_subject=["frost"])))
    put(root / "pier.jpg", jpeg(exif=exif(t010f="NIKON"), noise=b"xyz"))
    put(root / "broken.png", b"no picture at all")
    return root


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)  # on a busy computer too
    engines = []

    def open_vault(root):
        engines.append(Engine(root, snapshot=tmp_path / "cache" / "vault-1.snapshot"))
        return engines[-1]

    yield open_vault
    for engine in engines:
        engine.close()


def test_a_picture_is_found_by_its_text_with_an_excerpt(vault, opened):
    engine = opened(vault)
    (found,) = search(engine, "frost").hits
    assert (found.hit.id, found.title) == ("DSC1.jpg", "DSC1.jpg")
    assert [snippet.text for snippet in found.snippets] == ["frost"]
    assert ask(engine, '"ice in the harbour"') == ["DSC1.jpg"]
    assert ask(engine, "type:image ice") == ["DSC1.jpg"]


def test_notes_come_first_at_equal_evidence(vault, opened):
    assert ask(opened(vault), "harbour") == ["Ships.md", "DSC1.jpg"]


def test_a_picture_without_text_shows_the_lines_that_link_to_it(vault, opened):
    (found,) = search(opened(vault), "file:pier.jpg").hits
    assert [snippet.text for snippet in found.snippets] == ["Pier: The pier in winter. ![[pier.jpg]]"]


def test_texts_of_pictures_change_no_ranking_of_notes(vault, opened, tmp_path):
    queries = ("harbour", "ice", "pier winter", "ships quay harbour", "acorns")
    notes = write(tmp_path / "notes", NOTES)
    for number in range(40):
        put(vault / f"more {number}.png", png((b"tEXt", b"Comment\0harbour pier ice %d" % number)))
    alone, among = opened(notes), opened(vault)
    for query in queries:
        found = [note for note in ask(among, query, limit=100) if note.endswith(".md")]
        assert found == ask(alone, query)
    assert among.indexer.corpus.postings.n_counted == 3


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_pictures_with_the_words_of_a_query_take_no_place_of_a_note(opened, tmp_path, preset):
    texts = (f"harbour {'pier ' * (n % 2)}{f'w{n} ' * (400 + n)}{'pier ' * (1 + n % 3)}" for n in range(80))
    short = "".join(f"--- Short {n}.md\nOak.\n" for n in range(300))  # so that the others are long, and rank low
    notes = write(tmp_path / "notes", "".join(f"--- Note {n}.md\n{text}\n" for n, text in enumerate(texts)) + short)
    both = tmp_path / "both"
    shutil.copytree(notes, both)
    for n in range(80):
        put(both / f"i{n}.png", png((b"tEXt", b"Title\0harbour pier"), (b"tEXt", b"Description\0pier harbour")))
    alone, among = opened(notes), opened(both)
    for query in ("harbour", "pier", "harbour pier", "pier harbour w9"):
        found = [note for note in ask(among, query, limit=100, preset=preset) if note.endswith(".md")]
        assert found
        assert found == ask(alone, query, limit=100, preset=preset)[: len(found)]


def test_a_word_that_a_picture_repeats_says_no_more(vault, opened):
    write(vault, f"--- Long.md\n{'oak ' * 400}\n")
    put(vault / "loud.png", png((b"tEXt", b"Description\0" + b"harbour " * 200)))
    assert ask(opened(vault), "harbour")[0] == "Ships.md"


def test_a_picture_is_read_once_and_most_pictures_leave_no_file(vault, opened, tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 1)
    first = opened(vault)
    assert ask(first, "frost") == ["DSC1.jpg"]
    first.save_snapshot()
    assert [path.name[:6] for path in (tmp_path / "cache" / "vault-1.attachments").iterdir()] == ["image_"]
    monkeypatch.setattr(Child, "extract", lambda *_: pytest.fail("parsed again"))
    second = opened(vault)
    assert ask(second, "frost") == ["DSC1.jpg"]
    assert dict(second._vault.notes[NoteId("pier.jpg")].properties)["width"] == ("40",)


def test_a_picture_that_is_tagged_in_place_is_read_again(vault, opened):
    engine = opened(vault)
    assert ask(engine, "acorns type:image") == []
    with (vault / "DSC1.jpg").open("r+b") as file:
        file.write(jpeg(xmp=xmp(dc_description="Three acorns")))
    os.utime(vault / "DSC1.jpg", (LONG_AGO + 9, LONG_AGO + 9))
    engine.indexer.request_sweep()
    assert ask(engine, "acorns type:image") == ["DSC1.jpg"]


def test_no_more_than_the_beginning_and_the_end_of_a_picture_is_read(vault, opened, monkeypatch):
    sizes = []
    extract = Child.extract

    def noted(self, kind, size, chunks):
        sizes.append(size)
        return extract(self, kind, size, chunks)

    monkeypatch.setattr(Child, "extract", noted)
    put(vault / "large.tiff", b"II*\0" + bytes(2 * (HEAD + TAIL)))
    opened(vault).refresh()
    assert max(sizes) == HEAD + TAIL + 8


def test_a_picture_that_is_no_picture_is_no_problem(vault, opened):
    engine = opened(vault)
    result = search(engine, "broken")
    assert ids(result) == ["broken.png"]
    assert codes(result) == []


def test_a_picture_is_found_by_its_size(vault, opened):
    assert ask(opened(vault), "type:image [width:400]") == ["DSC1.jpg"]


def test_what_is_pending_is_said_by_kind(vault, opened, monkeypatch):
    engine = opened(vault)
    monkeypatch.setattr(engine.indexer.extraction, "start", lambda: None)
    (notice,) = (notice for notice in search(engine, "acorns").notices if notice.code == "attachments-pending")
    assert notice.message == "3 images are still being read, and found by name only until then."
