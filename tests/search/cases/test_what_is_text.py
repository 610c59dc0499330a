"""HTML, comments and addresses of links are no evidence and no excerpt, unless they are asked for as such."""

import pytest

from search.engine import Engine
from search.query import Mode, Query
from vaults import ids, write

VAULT = """
--- page.md
# Tree page
<a aria-hidden="true" class="anchor-heading" href="#tree">The oak</a> grows.
![a drawing](https://example.org/images/keyboard-shortcuts.png)
<!-- remember the harvest -->
See [the list](winter/storage-rules.md "cellar door"). %% draft of spring %%

[ref]: https://example.org/bicycle-repair
<style>
.scarecrow > p { color: tulip }
</style>
<SCRIPT type="x">let wheelbarrow = 1</Script> A fence <script> of planks.
--- heading.md
A heading is a line with an anchor. Keyboard shortcuts: none. Storage rules for winter.
The harvest of spring, the cellar door, a bicycle repair and an image.
A scarecrow, a tulip and a wheelbarrow.
--- code.md
# Code page
```html
<span class="blueprint">oak</span>
```
Use `<kbd>` and `[text](carpentry.md)`.
"""


@pytest.fixture
def engine(tmp_path):
    engine = Engine(write(tmp_path, VAULT))
    yield engine
    engine.close()


def ask(engine, text):
    return engine.search(Query(text=text, mode=Mode.KEYWORD))


@pytest.mark.parametrize(
    "text",
    [
        "anchor heading",
        "keyboard shortcuts",
        "harvest",
        "storage rules",
        "cellar door",
        "spring",
        "bicycle repair",
        "winter storage",
        "heading harvest",
        "images",
        "scarecrow",
        "tulip",
        "wheelbarrow",
    ],
)
def test_what_no_reader_sees_is_no_evidence(engine, text):
    assert ids(ask(engine, text)) == ["heading.md"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"anchor-heading"', "anchor-heading"),
        ('"keyboard-shortcuts.png"', "keyboard-shortcuts.png"),
        ('"remember the harvest"', "remember the harvest"),
        ('"draft of spring"', "draft of spring"),
        ("https://example.org/bicycle-repair", "https://example.org/bicycle-repair"),
        ("aria-hidden", "aria-hidden"),
        ("/anchor-h/", "anchor-heading"),
        ("line:png", "png"),
    ],
)
def test_it_is_found_and_shown_if_it_is_asked_for(engine, text, shown):
    (first, *_) = ask(engine, text).hits
    assert first.hit.id == "page.md"
    assert shown in first.snippets[0].text


def test_text_behind_an_element_that_never_ends_is_seen(engine):
    assert ids(ask(engine, "planks")) == ["page.md"]


@pytest.mark.parametrize(("text", "note"), [("blueprint", "code.md"), ("kbd", "code.md"), ("carpentry", "code.md")])
def test_code_is_text(engine, text, note):
    assert ids(ask(engine, text)) == [note]


def test_an_excerpt_marks_only_what_a_reader_sees(tmp_path):
    vault = (
        '--- a.md\n![oak](pictures/oak-trunk.png) ![](oak.png)\n<p class="oak trunk">\n'
        + "[x](oak/trunk.md)\n" * 5
        + "The oak has a [trunk](oak-trunk.md).\n--- b.md\na trunk\n"
    )
    first = Engine(write(tmp_path, vault)).search(Query(text="oak trunk")).hits[0]
    (best, *_) = first.snippets
    assert (best.line, [best.text[start:end] for start, end in best.highlights]) == (7, ["oak", "trunk"])
