"""Contexts: verbatim passages in the order of the search, within a budget."""

import json
import re
import shutil
import string
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.attachments import pdf
from kit.pictures import jpeg

from search.analysis.token_estimate import estimate_tokens
from search.answer.context import MIN_TOKENS, QuestionContext, closing_line
from search.engine import Engine
from search.errors import ConfigError, VaultError
from search.execution import note_passages
from search.execution.context import MAX_PER_NOTE
from search.ids import NoteId
from search.query import Mode, Query
from tests.embedders import WordEmbedder
from tests.vaults import ids, search, write

GARDEN = """
--- oaks.md
# Oaks

Oaks grow slowly.

## Watering

Water a young oak each week.

## Pests

Moths eat the leaves.
--- elms.md
# Elms

An elm needs less water than an oak.
--- list.md
# Tools

You need to water an oak:

- a can
- an oak barrel
"""


def context(root, query, max_tokens=1_000, **options):
    return Engine(root).context(Query(text=query, **options), max_tokens=max_tokens)


def garden(tmp_path):
    return write(tmp_path, GARDEN)


WORDS = st.sampled_from(
    ["oak", "elm", "water", "the", "# ", "## oak", "- oak", "```", "1. elm", "|", "橡树", "дуб", "x" * 90]
)
TEXTS = st.lists(
    st.one_of(
        WORDS, st.text(max_size=40), st.sampled_from(["\n", "\n\n", "\r\n", "\r", " ", "\t", "\x1b[31m", "\u2028"])
    ),
    max_size=60,
).map(" ".join)
VAULTS = st.lists(TEXTS.filter(lambda text: text.isprintable() or "\ud800" not in text), min_size=1, max_size=5)


def is_text(text):
    return text.encode("utf-8", "ignore").decode("utf-8") == text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    texts=VAULTS,
    max_tokens=st.integers(100, 3_000),
    query=st.sampled_from(["oak", "oak water elm", "橡树", "-elm", ""]),
)
def test_whatever_the_notes_say_passages_are_verbatim_and_within_the_budget(texts, max_tokens, query):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for number, text in enumerate(filter(is_text, texts)):
            (root / f"{number}.md").write_bytes(text.encode())
        engine = Engine(root)
        found = engine.context(Query(text=query), max_tokens=max_tokens)
        assert estimate_tokens(found.text) == found.n_tokens <= max_tokens
        order = ids(search(engine, query))
        places = [(order.index(passage.note), passage.start) for passage in found.passages]
        assert places == sorted(places)
        for passage in found.passages:
            text = engine.indexer.vault.text(passage.note)
            assert text[passage.start : passage.end] == passage.text
            assert passage.text.strip()
            before = text[: passage.start].replace("\r\n", "\n").replace("\r", "\n")
            inside = passage.text.replace("\r\n", "\n").replace("\r", "\n")
            first = before.count("\n")
            assert passage.lines == (first, first + inside.count("\n") + 1)
        ends = [(one.note, one.end) for one in found.passages]
        assert all(a[0] != b.note or a[1] <= b.start for a, b in zip(ends, found.passages[1:], strict=False))
        shown = [" ".join(passage.text.split()) for passage in found.passages]
        assert len(shown) == len(set(shown))
        engine.close()


def test_a_passage_stands_under_its_path_line_and_headings(tmp_path):
    filler = "The soil is dry here. " * 60
    root = write(
        tmp_path, f"\n--- oaks.md\n# Oaks\n\n{filler}\n\n## Watering\n\nWater a young oak.\n\n## Soil\n\n{filler}"
    )
    assert context(root, "watering").text.startswith(
        "[1] oaks.md:5 › Oaks › Watering\n## Watering\n\nWater a young oak."
    )


def test_small_sections_are_shown_together_and_the_last_line_says_what_is_covered(tmp_path):
    found = context(garden(tmp_path), "young oak week")
    assert found.text.startswith(f"[1] oaks.md:1 › Oaks\n{(tmp_path / 'oaks.md').read_text().strip()}\n\n[2] ")
    assert found.text.endswith("\n\nShown: 3 passages of 3 notes; found: 3 notes.\n")


def test_the_notes_are_those_of_the_search_in_its_order(tmp_path):
    root = garden(tmp_path)
    order = ids(search(Engine(root), "oak water"))
    assert list(dict.fromkeys(passage.note for passage in context(root, "oak water").passages)) == order


def test_a_section_without_evidence_is_not_shown(tmp_path):
    text = "# Oaks\n\n" + "Oaks grow slowly. " * 60 + "\n\n# Bees\n\n" + "Bees fly far. " * 60
    found = context(write(tmp_path, f"\n--- a.md\n{text}"), "oaks")
    assert "Oaks grow" in found.text
    assert "Bees" not in found.text


def test_a_list_comes_with_the_line_that_introduces_it_if_there_is_room(tmp_path):
    items = "\n".join(f"- the {number}th oak barrel holds rain" for number in range(40))
    root = write(tmp_path, f"\n--- list.md\n# Tools\n\n{'Filler about soil. ' * 40}\n\nYou need these:\n\n{items}\n")
    first = next(one for one in context(root, "barrel rain", 4_000).passages if "0th oak" in one.text)
    assert first.text.startswith("You need these:")


def test_a_note_found_by_a_filter_is_shown_where_the_filter_matches(tmp_path):
    filler = "The soil is dry here. " * 60
    root = write(tmp_path, f"\n--- a.md\n# Soil\n\n{filler}\n\n# Trees\n\nThe oak is wet.\n\n# More soil\n\n{filler}")
    found = context(root, "/o.k is w/")
    assert [passage.headings for passage in found.passages] == [("Trees",)]


def test_text_that_is_in_two_notes_is_shown_once(tmp_path):
    twice = "The oak stands by the river, and its leaves fall late."
    found = context(write(tmp_path, f"\n--- a.md\n{twice}\n--- b.md\n{twice}\n"), "oak river")
    assert found.text.count(twice) == 1
    assert found.n_repeated == 1
    assert "Left out: 1 passage with the same text." in found.text


def test_no_note_has_more_than_three_passages_before_half_of_the_budget_is_used(tmp_path):
    sections = "\n\n".join(f"## Oak {number}\n\n" + f"Oak {number} stands here. " * 20 for number in range(30))
    root = write(tmp_path, f"\n--- long.md\n{sections}\n--- other.md\nAn oak.\n")
    n_of_long = [len(re.findall("## Oak", context(root, "oak", max_tokens).text)) for max_tokens in (900, 8_000)]
    assert n_of_long[0] <= 2 * MAX_PER_NOTE < n_of_long[1]


def test_control_and_invisible_characters_are_escaped_in_the_text_and_kept_in_the_passage(tmp_path):
    (tmp_path / "red\n[9] fake.md:1.md").write_text(
        "An oak \x1b[31mred\u202e\U000e0041 o\u200ba\u2060k\xad.", encoding="utf-8"
    )
    found = context(tmp_path, "oak")
    assert found.passages[0].text == "An oak \x1b[31mred\u202e\U000e0041 o\u200ba\u2060k\xad."
    assert found.text.startswith(
        "[1] red\\x0a[9] fake.md:1.md:1\nAn oak \\x1b[31mred\\u202e\\U000e0041 o\\u200ba\\u2060k\\xad.\n"
    )


def test_a_windows_note_is_shown_with_its_own_line_breaks(tmp_path):
    (tmp_path / "a.md").write_bytes(b"# Oaks\r\n\r\nAn oak.\r\n")
    found = context(tmp_path, "oak")
    assert found.passages[0].text == "# Oaks\r\n\r\nAn oak."
    assert "\r" not in found.text


def test_a_note_of_front_matter_alone_is_shown_with_it(tmp_path):
    found = context(write(tmp_path, "\n--- oak.md\n---\nkind: tree\n---\n"), "oak")
    assert "kind: tree" in found.text


def test_a_very_long_line_is_cut_into_verbatim_pieces(tmp_path):
    (tmp_path / "a.md").write_text("The soil is dry here. " * 2_000 + "The oak is wet. " + "No rain fell. " * 2_000)
    found = context(tmp_path, "oak wet", 300)
    assert "The oak is wet." in found.text
    assert found.n_tokens <= 300


def test_a_match_far_down_in_a_huge_note_is_found(tmp_path):
    lines = [f"Line {number} about soil." for number in range(20_000)]
    lines[15_000] = "The oak is wet."
    (tmp_path / "a.md").write_text("\n".join(lines))
    found = context(tmp_path, "oak wet")
    assert "The oak is wet." in found.text


@pytest.mark.parametrize("max_tokens", [0, -1, 99, 10**9])
def test_a_budget_out_of_range_is_refused(tmp_path, max_tokens):
    with pytest.raises(ConfigError, match="a whole number from 100 to 1,000,000"):
        context(garden(tmp_path), "oak", max_tokens)


@pytest.mark.parametrize(
    "query",
    ["the of and", "AND OR", "-oak -elm -water", '""', "the " * 25_000, "oak " * 25_000, "(((", "/(/", "tag:none"],
)
def test_any_query_gives_a_context(tmp_path, query):
    found = context(garden(tmp_path), query)
    assert found.n_tokens <= 1_000
    assert found.passages or found.text.startswith(("Nothing was found.", "Shown: 0"))


def test_an_unknown_folder_or_tag_is_a_notice(tmp_path):
    found = context(garden(tmp_path), "oak", folder="nowhere", tags=("tre",))
    assert found.text == "Nothing was found.\n"
    assert len(found.notices) == 2


def test_a_vault_that_vanishes_is_an_error(tmp_path):
    engine = Engine(garden(tmp_path / "vault"), clock=iter(range(0, 1_000, 10)).__next__)
    engine.refresh()
    shutil.rmtree(tmp_path / "vault")
    with pytest.raises(VaultError):
        engine.context(Query(text="oak"))


def test_a_note_found_only_by_meaning_is_shown_where_it_is_nearest(tmp_path):
    root = write(tmp_path / "vault", GARDEN)
    from search.semantic.settings import Indexing  # noqa: PLC0415 - only this test embeds
    from search.settings import Settings  # noqa: PLC0415 - likewise

    chosen = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(root, chosen, embedder=WordEmbedder())
    engine.maintenance().update()
    found = engine.context(Query(text="Water a young oak each week", mode=Mode.VECTOR), max_tokens=1_000)
    assert found.passages[0].note == NoteId("oaks.md")
    assert found.n_without_vectors == 0
    engine.close()


def test_the_estimate_is_the_sum_of_the_lines_or_less():
    lines = ["The oak is old.", "櫟", "", string.printable.replace("\n", ""), "a  b\t\tc"]
    whole = estimate_tokens("\n".join(lines))
    assert whole <= sum(estimate_tokens(f"{line}\n") for line in lines)


def test_the_last_line_alone_fits_the_smallest_budget():
    numbers = dict.fromkeys(("n_notes", "total", "n_without_vectors", "n_cut", "n_repeated"), 10**9)
    assert (
        estimate_tokens(closing_line(QuestionContext(text="", max_tokens=100, **numbers), 10**9) + "\n") <= MIN_TOKENS
    )


@given(st.lists(st.text(max_size=80), max_size=8))
def test_joining_lines_costs_no_more_than_their_sum(texts):
    lines = [text.replace("\n", " ") for text in texts]
    assert estimate_tokens("\n".join(lines)) <= sum(estimate_tokens(f"{line}\n") for line in lines)


def test_of_a_note_with_many_very_long_lines_only_what_is_near_its_best_words_is_cut(tmp_path, monkeypatch):
    cut: list[int] = []
    real = note_passages.chunks

    def count(note, text, **options):
        cut.append(len(text))
        return real(note, text, **options)

    monkeypatch.setattr(note_passages, "chunks", count)
    (tmp_path / "a.md").write_text(f"{'Der Bär schläft. ' * 1_000}Eine Eiche.\n" * 50, encoding="utf-8")
    found = context(tmp_path, "Eiche", 300)
    assert "Eine Eiche." in found.text
    assert sum(cut) < 250_000


CARD = "board.canvas#n\\x0a1 › acorns of a card"


def test_a_passage_of_a_pdf_names_its_page_and_one_of_a_canvas_its_card(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)
    dry = "The soil is dry here.\n" * 200
    board = json.dumps({"nodes": [{"id": "n\n1", "type": "text", "text": "acorns of a card"}]})
    book = json.dumps(
        {"cells": [{"cell_type": "code", "source": dry}, {"cell_type": "code", "source": f"{dry}acorns()"}]}
    )
    root = write(tmp_path, f"--- board.canvas\n{board}\n--- plot.ipynb\n{book}\n--- oaks.md\nacorns\n")
    (root / "yields.pdf").write_bytes(pdf(dry, f"{dry}acorns of a page"))
    (root / "DSC1.jpg").write_bytes(jpeg(comment="acorns on a table"))
    found = context(root, "acorns", max_tokens=1_000)
    headers = {line.partition("] ")[2] for line in found.text.split("\n") if line.startswith("[")}
    assert headers == {"oaks.md:1", "yields.pdf#page=2", CARD, "plot.ipynb#cell=2", "DSC1.jpg"}
    assert {passage.note: passage.page for passage in found.passages if passage.page} == {"yields.pdf": 2}
    assert found.n_tokens == estimate_tokens(found.text)


def test_no_passage_goes_on_to_another_page_card_or_cell(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)
    cards, cells, pages = (
        [f"Acorns of {what} {n}.\n\n- a list\n- of oaks {n} on a {what}" for n in range(1, 7)]
        for what in ("card", "cell", "page")
    )
    board = json.dumps(
        {"nodes": [{"id": f"card={n}", "type": "text", "text": text} for n, text in enumerate(cards, 1)]}
    )
    book = json.dumps({"cells": [{"cell_type": "markdown", "source": text} for text in cells]})
    root = write(tmp_path, f"--- board.canvas\n{board}\n--- plot.ipynb\n{book}\n")
    (root / "book.pdf").write_bytes(pdf(*pages))
    found = context(root, "acorns oaks", max_tokens=4_000)
    assert len(found.passages) == 18
    for passage in found.passages:
        what = passage.fragment.replace("=", " ")
        assert [line for line in passage.text.split("\n") if line.endswith(".")] == [f"Acorns of {what}."]
