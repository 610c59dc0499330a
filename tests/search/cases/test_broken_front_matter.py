"""Front matter that is no valid YAML: read as people mean it, or named in the answers that it may concern."""

import pytest

from search.engine import Engine
from search.query import Mode, Query
from vaults import ask, codes, ids, search, write

MENDED = """
--- colon.md
---
title: Plan: part two
tags: [work, home/roof]
aliases: [Second plan]
---
text
--- at.md
---
tags: [work]
author: @me
---
text
--- hash.md
---
tags: [#work, #b]
---
text
--- tab.md
---
tags:
	- work
---
text
--- greater.md
---
quote: > not a block: text
tags: [work]
---
text
--- bar.md
---
title: |bar
tags: [work, 1.5]
---
text
--- bracket.md
---
tags: [work, b]]
---
text
--- spaceless.md
---
status: open
tags:[work]
---
text
"""
NAMES = {"colon.md", "at.md", "hash.md", "tab.md", "greater.md", "bar.md", "bracket.md", "spaceless.md"}


@pytest.mark.parametrize("mode", [Mode.KEYWORD, None])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:work", NAMES),
        ("tag:home", {"colon.md"}),
        ('[title:"Plan: part two"]', {"colon.md"}),
        ("[status:open]", {"spaceless.md"}),
        ("[author:@me]", {"at.md"}),
        ("[quote:block]", {"greater.md"}),
        ("tag:1.5", set()),
        ("-tag:work", set()),
    ],
)
def test_text_with_yaml_signs_is_read_as_text(tmp_path, mode, text, expected):
    result = search(Engine(write(tmp_path, MENDED)), text, mode=mode)
    assert (set(ids(result)), "front-matter-invalid" in codes(result)) == (expected, False)


@pytest.mark.parametrize("name", ["Plan: part two", "Second plan"])
def test_titles_and_aliases_of_mended_front_matter_are_names(tmp_path, name):
    (found,) = search(Engine(write(tmp_path, MENDED)), name).hits
    assert found.hit.evidence.exact_name == name


LOST = """
--- lost.md
---
title: x: y
tags: [garden, house
aliases: [Shed plan]
status: open
---
text of the shed
--- other.md
---
tags: [house]
---
text
--- second.md
---
tags: [garden
---
"""


@pytest.mark.parametrize("mode", [Mode.KEYWORD, None])
@pytest.mark.parametrize(
    "text",
    [
        "tag:garden",
        "tag:#house",
        "-tag:house text",
        "tag:/gar.*/",
        "tag:(house OR x)",
        "#garden",
        "[status:open]",
        "[status]",
        "[[Shed plan]]",
        "-[[Shed plan]]",
        "Shed plan",
        "house",
        "tag:garden OR text",
    ],
)
def test_an_answer_names_the_note_whose_tags_were_lost(tmp_path, mode, text):
    engine = Engine(write(tmp_path, LOST))
    (notice,) = [one for one in search(engine, text, mode=mode).notices if one.code == "front-matter-invalid"]
    assert notice.subject == "lost.md"
    assert notice.message.startswith("lost.md: the front matter is not valid YAML, so that its tags, aliases")
    assert ("The same applies to 1 more." in notice.message) == ("gar" in text)
    assert notice in engine.explain(Query(text=text, mode=mode), "lost.md").notices


def test_a_tag_of_the_querys_options_counts_too(tmp_path):
    assert codes(search(Engine(write(tmp_path, LOST)), "text", tags=("garden",))).count("front-matter-invalid") == 1


@pytest.mark.parametrize("text", ["text", "tag:none", "tag:gard", "tag:", "[other]", "!", "file:lost"])
def test_an_answer_to_another_query_does_not(tmp_path, text):
    assert "front-matter-invalid" not in codes(search(Engine(write(tmp_path, LOST)), text))


def test_the_notice_goes_when_the_front_matter_is_mended(tmp_path):
    engine = Engine(write(tmp_path, LOST))
    assert "front-matter-invalid" in codes(search(engine, "tag:garden"))
    engine.open_buffer("lost.md", "---\ntags: [garden]\n---\n")
    engine.open_buffer("second.md", "")
    assert ask(engine, "tag:garden") == ["lost.md"]
    assert "front-matter-invalid" not in codes(search(engine, "tag:garden"))
