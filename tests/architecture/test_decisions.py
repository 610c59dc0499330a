"""The decision records: numbered without gaps, complete, listed in the index, and with evidence that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/decisions"
RECORDS = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
SECTIONS = ["Context", "Decision", "Rejected", "Consequences", "Evidence"]


def title_of(path):
    return path.read_text(encoding="utf-8").partition("\n")[0]


def test_records_are_numbered_without_gaps():
    assert [path.name[:5] for path in RECORDS] == [f"{number:04}-" for number in range(1, len(RECORDS) + 1)]
    assert [title_of(path).partition(". ")[0] for path in RECORDS] == [f"# {n}" for n in range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_record_has_every_section_with_text(path):
    parts = re.split(r"^## (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert parts[1::2] == SECTIONS
    assert all(text.strip() for text in parts[2::2])


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_files_that_a_record_names_exist(path):
    named = re.findall(r"`((?:tests|search|expansion|lsp_server|docs)/[\w./-]+)`", path.read_text(encoding="utf-8"))
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def test_the_index_lists_every_record_with_its_title():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \| \[(.*)\]\((.*)\) \|$", index, re.MULTILINE)
    assert [(f"# {number}. {title}", name) for number, title, name in listed] == [
        (title_of(path), path.name) for path in RECORDS
    ]
