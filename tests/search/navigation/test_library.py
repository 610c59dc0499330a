"""Definitions and references: where links lead, and what links to a note."""

from collections import Counter
from pathlib import Path

import pytest

from search.engine import Engine
from search.navigation.library import LinkSpot
from search.vault.note import Link
from search.vault.spans import spans_on
from vaults import write

HANDBOOK = Path(__file__).parents[3] / "vault_fixtures/handbook"

VAULT = """
--- blocks.md
# Blocks

first line
of a paragraph ^para

- one
- two ^item

> quoted
> text

^quote

## Close
right below it
is this ^close

its mark is below
^below
- x
- y ^inside

```
x ^no
```
^code

| a |
|---|

^table
--- here.md
[[blocks]] [[blocks#nowhere]] [[blocks#^nowhere]] [[here]] [[#Own]]

## Own
#tag #tag/nested #other
"""


@pytest.fixture
def library(tmp_path):
    return Engine(write(tmp_path, VAULT)).library()


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        ("para", (2, 4)),
        ("PARA", (2, 4)),
        ("item", (6, 7)),
        ("quote", (8, 10)),
        ("nowhere", None),
        ("close", (14, 16)),
        ("below", (17, 18)),
        ("inside", (20, 21)),
        ("code", (22, 25)),
        ("table", (27, 29)),
        ("no", None),
    ],
)
def test_a_block_id_names_the_block_that_it_ends(library, block, lines):
    """A block id alone on its line names the block above; a heading above is not included, and code has no ids."""
    assert library.section_of(library.notes["blocks.md"], Link("blocks", 0, block=block)) == lines


@pytest.mark.parametrize(
    ("link", "spot"),
    [
        (Link("blocks", 0, heading="Nowhere"), LinkSpot(note="blocks.md")),
        (Link("blocks", 0, block="item"), LinkSpot(note="blocks.md", line=6)),
        (Link("", 0, heading="own"), LinkSpot(note="here.md", line=2)),
        (Link("nothing", 0), None),
    ],
)
def test_a_link_leads_to_its_heading_or_block_else_to_the_note(library, link, spot):
    assert library.spot_of("here.md", link) == spot


def test_links_of_a_note_to_itself_are_mentions_of_it(library):
    found = [(item.note, item.span.start) for item in library.links_to(library.notes["here.md"])]
    assert found == [("here.md", 50), ("here.md", 59)]


def test_a_tag_is_mentioned_with_those_below_it(library):
    assert [item.text[item.span.start : item.span.end] for item in library.mentions_of("TAG")] == [
        "#tag",
        "#tag/nested",
    ]


def test_a_deleted_note_has_no_lines_and_mentions(library):
    assert (library.line("gone.md", 0), library.line("here.md", 99)) == ("", "")
    assert list(library._mentions("gone.md", {0})) == []
    assert list(library._mentions("here.md", {99})) == []


def test_every_link_and_tag_of_a_note_has_a_place():
    """In a realistic vault, navigation finds everything that ranking counts."""
    library = Engine(HANDBOOK).library()
    assert len(library.notes) > 50
    for note in library.notes.values():
        rows = library.text(note.id).split("\n")
        spans = list(spans_on(note, rows, range(len(rows))))
        links = Counter((link.target, link.heading, link.block) for link in note.links)
        placed = Counter((span.link.target, span.link.heading, span.link.block) for span in spans if span.link)
        assert not links - placed, note.id
        assert {tag.casefold() for tag in note.tags} <= {span.tag.casefold() for span in spans if span.tag}


def test_similar_names_differ_in_at_most_a_third_of_their_letters(tmp_path):
    notes = (
        "--- Gärten.md\n--- garden.md\n--- x/harden.md\n--- y.md\n---\naliases: [Gardens, garden]\n---\n--- wood.md\n"
    )
    engine = Engine(write(tmp_path, notes))
    engine.refresh()
    library = engine.library()
    assert library.similar_names("GARDEN", limit=9) == (
        "garden.md",
        "y.md",
        "Gärten.md",
        "x/harden.md",
    )  # 1, 1, 5/6, 5/6
    assert library.similar_names("agrden", limit=1) == ("garden.md",)
    assert library.similar_names("", limit=9) == library.similar_names("qqqqqq", limit=9) == ()


WORDS = """
--- Getting Started/Recurring Tasks.md
--- Getting Started/Recurring Tasks and Custom Statuses.md
--- topic.special-notes.meeting-note.md
--- Monthly.md
---
aliases: [Recurring dues]
---
--- 望远镜 维护.md
--- re.md
"""


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("Recurrring", ("Monthly.md", "Getting Started/Recurring Tasks.md")),  # the shorter name first
        ("custom recuring", ("Getting Started/Recurring Tasks and Custom Statuses.md",)),
        ("statuses recurring", ("Getting Started/Recurring Tasks and Custom Statuses.md",)),
        ("meetng special", ("topic.special-notes.meeting-note.md",)),
        ("望远镜", ("望远镜 维护.md",)),
        ("zebra statuses recurring", ()),  # every word must be there
        ("Recurring Taks", ("Getting Started/Recurring Tasks.md",)),  # similar as a whole
        ("...", ()),
    ],
)
def test_a_name_of_which_only_words_are_known_is_similar_to_names_with_these_words(tmp_path, name, similar):
    engine = Engine(write(tmp_path, WORDS))
    engine.refresh()
    assert engine.library().similar_names(name, limit=2)[: max(1, len(similar))] == similar
