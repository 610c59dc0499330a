"""Notes cut into chunks: examples, and properties of all notes."""

import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from search.errors import ConfigError
from search.ids import NoteId
from search.vault.lines import split_lines
from search.vault.markdown import parse_note
from search.vault.note import Heading, Note
from search.vectors.chunk import chunks

WORDS = re.compile(r"[^\W\u3040-\u9fff]+|[^\s\w]|[\u3040-\u9fff]")


def count_tokens(text):
    """Words, punctuation marks and CJK characters, and two special tokens."""
    return 2 + len(WORDS.findall(text))


def cut(text, max_tokens=32, *, count=count_tokens):
    parsed = parse_note(NoteId("note.md"), text)
    return chunks(parsed.note, parsed.body, count_tokens=count, max_tokens=max_tokens)


def words(n, *, start=0):
    return " ".join(f"w{number}" for number in range(start, start + n))


def check(text, *expected, max_tokens=32):
    """The chunks of a note as (first line, line after the last, text)."""
    assert [(chunk.start_line, chunk.end_line, chunk.text) for chunk in cut(text, max_tokens)] == list(expected)


def test_a_short_note_is_one_chunk():
    check("Oaks are trees.", (0, 1, "Oaks are trees."))


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "---\ntitle: Oak\n---\n", "---\ntitle: Oak\n---\n\n\n"])
def test_a_note_without_text_has_no_chunk(text):
    check(text)


def test_line_numbers_include_the_front_matter():
    check("---\ntags: [tree]\n---\n\nOaks.\n\n", (4, 5, "Oaks."))


def test_sections_are_chunks_with_the_headings_above_them_in_front():
    text = f"# Trees\n{words(20)}\n## Oak\n{words(20)}\n### Bark\n{words(20)}\n## Elm\n{words(20)}"
    check(
        text,
        (0, 2, f"# Trees\n{words(20)}"),
        (2, 4, f"Trees\n## Oak\n{words(20)}"),
        (4, 6, f"Trees > Oak\n### Bark\n{words(20)}"),
        (6, 8, f"Trees\n## Elm\n{words(20)}"),
    )


PAGED = Note(
    NoteId("a.pdf"),
    "a",
    headings=[Heading(1, "Oak", 2), Heading(2, "Bark", 4)],
    pages=((0, ""), (2, ""), (3, ""), (6, "")),
    n_lines=8,
)
PAGED_TEXT = ["cover", "by a jay", "tall", "taller", "rough", "grey", "brown", "end"]


def test_a_note_is_cut_into_sections_at_pages_too_and_a_page_goes_on_under_its_heading():
    assert [(section.start_line, section.end_line, section.heading_path) for section in PAGED.sections] == [
        (0, 2, ()),
        (2, 3, ("Oak",)),
        (3, 4, ("Oak",)),
        (4, 6, ("Oak", "Bark")),
        (6, 8, ("Oak", "Bark")),
    ]


def test_no_chunk_goes_on_to_the_next_page():
    found = chunks(PAGED, "\n".join(PAGED_TEXT), count_tokens=count_tokens, max_tokens=64)
    assert [(chunk.start_line, chunk.end_line, chunk.text) for chunk in found] == [
        (0, 2, "cover\nby a jay"),
        (2, 3, "tall"),
        (3, 6, "Oak\ntaller\nrough\ngrey"),
        (6, 8, "Oak > Bark\nbrown\nend"),
    ]


@given(st.lists(st.sampled_from(["", "oak", words(9), words(40)]), min_size=1, max_size=20), st.data())
def test_every_chunk_is_on_one_page_and_every_line_in_a_chunk(lines, data):
    numbers = st.sets(st.integers(0, len(lines) - 1))
    headings = [Heading(1 + line % 3, f"h{line}", line) for line in sorted(data.draw(numbers))]
    pages = tuple((line, "") for line in sorted({0, *data.draw(numbers)}))
    note = Note(NoteId("a.pdf"), "a", headings=headings, pages=pages, n_lines=len(lines))
    found = chunks(note, "\n".join(lines), count_tokens=count_tokens, max_tokens=32)
    assert all(note.page_at(chunk.start_line) == note.page_at(chunk.end_line - 1) for chunk in found)
    covered = {line for chunk in found for line in range(chunk.start_line, chunk.end_line)}
    assert {number for number, line in enumerate(lines) if line} <= covered


def test_small_neighbours_are_joined_under_the_headings_they_share():
    text = f"# Trees\n{words(20)}\n## Oak\ntall\n## Elm\ntaller"
    check(text, (0, 2, f"# Trees\n{words(20)}"), (2, 6, "Trees\n## Oak\ntall\n## Elm\ntaller"))


def test_a_heading_without_text_goes_with_what_follows():
    check("# Trees\n## Oak\n" + words(18), (0, 3, "# Trees\n## Oak\n" + words(18)))


def test_a_long_section_is_cut_between_paragraphs_and_keeps_its_heading_in_front():
    text = f"# Oak\n{words(18)}\n\n{words(18)}\n\n\n{words(18)}"
    check(
        text,
        (0, 2, f"# Oak\n{words(18)}"),
        (3, 4, f"Oak\n{words(18)}"),
        (6, 7, f"Oak\n{words(18)}"),
    )


def test_a_long_paragraph_is_cut_where_a_line_ends_a_sentence():
    lines = [words(6), words(6), words(5) + ".", words(6), words(6), words(4) + "."]
    found = cut("\n".join(lines))
    assert [(chunk.start_line, chunk.end_line) for chunk in found] == [(0, 3), (3, 6)]


def test_a_long_line_is_cut_after_its_sentences():
    text = f"One {words(16)}. Two {words(14)}! Three {words(9)}?"
    check(text, (0, 1, f"One {words(16)}. "), (0, 1, f"Two {words(14)}! Three {words(9)}?"))


def test_chinese_and_japanese_are_cut_by_their_own_punctuation():
    first, second, third = "木" * 20 + "。", "「" + "森" * 18 + "」！", "林" * 12 + "、"
    check(first + second + third + "林" * 25, *((0, 1, part) for part in (first, second, third, "林" * 25)))


def test_a_code_block_that_fits_is_not_cut():
    code = "```sh\n" + "\n\n".join(["make oak"] * 5) + "\n```"
    text = f"# Build\n{words(12)}\n\n{words(12)}\n\n{code}\n\n{words(14)}"
    assert any(code in chunk.text for chunk in cut(text))


@pytest.mark.parametrize("fence", ["````", "~~~", "  ```", "> ```", "- ```"])
def test_every_kind_of_code_fence_is_recognized(fence):
    code = f"{fence}\na b c d\n\na b c d\n\na b c d\n{fence.replace('-', ' ')}"
    found = cut(f"{words(25)}\n\n{words(9)}\n{code}\n\n{words(25)}", max_tokens=40)
    assert any(code in chunk.text for chunk in found)


def test_a_code_block_that_does_not_fit_is_cut_between_lines():
    text = "```\n" + "\n".join([words(9)] * 9) + "\n```\nend"
    found = cut(text)
    assert len(found) > 3
    assert "\n".join(chunk.text for chunk in found) == text


def test_an_unclosed_code_block_extends_to_the_end():
    assert [(chunk.start_line, chunk.end_line) for chunk in cut("```\na\n\nb")] == [(0, 4)]


def test_outer_headings_are_dropped_if_the_path_exceeds_a_quarter_of_the_chunk():
    text = f"# {words(8)}\n## Oak\n### Bark\n" + "\n\n".join([words(20)] * 3)
    assert cut(text)[-1].text.splitlines()[0] == "Oak > Bark"
    assert cut(f"# {words(50)}\n" + "\n\n".join([words(20)] * 3))[-1].text.splitlines()[0] == words(7)


def test_equal_texts_have_equal_hashes_in_any_note():
    one, other = cut("# Oak\ntall"), cut("---\na: b\n---\n# Oak\ntall\n\n")
    assert one[0].text_hash == other[0].text_hash
    assert re.fullmatch("[0-9a-f]{32}", one[0].text_hash)
    assert cut("# Oak\nsmall")[0].text_hash != one[0].text_hash


def test_an_edit_in_one_section_changes_no_chunk_of_the_others():
    sections = [f"## Part {number}\n{words(20, start=number)}" for number in range(9)]
    before = {chunk.text_hash for chunk in cut("# All\n" + "\n".join(sections))}
    sections[3] = sections[3].replace("w5", "changed")
    after = {chunk.text_hash for chunk in cut("# All\n" + "\n".join(sections))}
    assert len(after - before) == 1


def test_an_edit_near_the_top_of_a_long_text_keeps_most_chunks_below():
    """Paragraphs without headings: a few paragraphs below the edit, the cuts are where they were before."""
    paragraphs = [words(3 + number * 7 % 11, start=number) for number in range(200)]
    before = cut("\n\n".join(paragraphs), 64)
    paragraphs.insert(2, words(9, start=777))
    after = cut("\n\n".join(paragraphs), 64)
    changed = {chunk.text_hash for chunk in after} - {chunk.text_hash for chunk in before}
    assert len(before) > 30
    assert len(changed) <= 8


@pytest.mark.parametrize(
    "character", ["👩‍👩‍👧‍👦", "e\u0301\u0323", "🇩🇪", "\ud83d\ude00", "각", "น้ำ", "A\u200d\u0308"], ids=ascii
)
def test_no_character_is_cut_in_two(character):
    line = character * 400
    found = cut(line, 16, count=lambda text: 2 + len(text))
    assert "".join(chunk.text for chunk in found) == line
    whole = regex.compile(rf"(?:{regex.escape(character)})+")
    assert len(found) > 20
    assert all(whole.fullmatch(chunk.text) or len(character) > 14 for chunk in found)


@pytest.mark.parametrize(
    "line",
    ["x" * 20_000, "a" + "\u0301" * 5000, "木" * 3000, "word " * 3000, " " * 3000 + "x", "\u200b" * 3000, "=" * 9000],
    ids=lambda line: ascii(line[:2]),
)
def test_a_machine_made_line_is_cut_into_chunks_of_limited_length(line):
    found = chunks(Note(NoteId("a.md"), "a", n_lines=1), line, count_tokens=count_tokens, max_tokens=64)
    assert "".join(chunk.text for chunk in found).strip() == line.strip()
    assert all(count_tokens(chunk.text) <= 64 and len(chunk.text) <= 64 * 16 for chunk in found)


def test_the_limit_holds_if_a_text_has_more_tokens_than_its_lines():
    """Each line break costs three tokens that no single line shows; a path costs more with text below it."""

    def count(text):
        return count_tokens(text) + 3 * text.count("\n") + ("Oak\n" in text) * 9

    found = cut("# Oak\n" + "\n".join([words(4)] * 30) + f"\n\n{words(26)}", 32, count=count)
    assert all(count(chunk.text) <= 32 for chunk in found)
    assert found[-1].text.endswith("w25")


@pytest.mark.parametrize("max_tokens", [15, 0, -1])
def test_a_limit_that_leaves_no_room_is_refused(max_tokens):
    with pytest.raises(ConfigError, match="16 or more"):
        cut("Oak", max_tokens)


LINES = st.one_of(
    st.sampled_from(
        ["", "  ", "# Oak", "## Elm", "### 木", "#### Deep", "```", "~~~~", "> quote", "- item", "---", "|a|b|"]
    ),
    st.integers(1, 30).map(words),
    st.integers(1, 12).map(lambda n: f"{words(n)}. " * 4),
    st.integers(1, 40).map(lambda n: "木が立つ。" * n),
    st.text("aé\u0301👩‍🇩\ud83d\ude00 .、\u2028\x0c", max_size=90),
)
NOTES = st.lists(LINES, max_size=40).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda line_break: line_break.join(lines))
)


@settings(max_examples=60, deadline=None)
@given(text=NOTES, front=st.sampled_from(["", "---\ntags: [tree]\n---\n"]), max_tokens=st.sampled_from([16, 40, 256]))
def test_each_chunk_maps_back_to_its_lines_and_no_line_is_lost(text, front, max_tokens):
    parsed = parse_note(NoteId("note.md"), front + text)
    lines = split_lines(front + text)
    found = chunks(parsed.note, parsed.body, count_tokens=count_tokens, max_tokens=max_tokens)
    # a path of headings, or its end if it is too long
    paths = {
        " > ".join(section.heading_path[at:end])
        for section in parsed.note.sections
        for end in range(len(section.heading_path) + 1)
        for at in range(end + 1)
    }
    covered: set[int] = set()
    parts: dict[int, str] = {}
    for chunk in found:
        assert parsed.note.body_line <= chunk.start_line < chunk.end_line <= len(lines)
        assert count_tokens(chunk.text) <= max_tokens
        covered |= set(range(chunk.start_line, chunk.end_line))
        own = "\n".join(lines[chunk.start_line : chunk.end_line])
        if chunk.text.endswith(own):
            above = chunk.text.removesuffix(own)
            assert above == "" or (above[-1] == "\n" and any(path.startswith(above[:-1]) for path in paths))
            continue
        assert chunk.end_line == chunk.start_line + 1
        above, _, part = chunk.text.rpartition("\n")
        assert any(path.startswith(above) for path in paths)
        parts[chunk.start_line] = parts.get(chunk.start_line, "") + part
    assert {number for number in range(parsed.note.body_line, len(lines)) if lines[number].strip()} <= covered
    assert all(lines[number].strip() == part.strip() for number, part in parts.items())
    assert [chunk.start_line for chunk in found] == sorted(chunk.start_line for chunk in found)


@settings(max_examples=30, deadline=None)
@given(NOTES)
def test_the_same_text_gives_the_same_chunks(text):
    assert cut(text) == cut(text)


def test_the_work_grows_linearly_with_the_text():
    """Measured in characters that the tokenizer reads: eight times the text takes about eight times the work."""

    def n_read(text):
        read = []
        cut(text, 64, count=lambda part: read.append(len(part)) or count_tokens(part))
        return sum(read)

    for text in (
        "word " * 500,
        "Oaks stand. " * 200,
        "# A\nb\n" * 400,
        "木" * 2000,
        f"{words(30)}\n" * 60,
        "a\n\n" * 900,
    ):
        assert n_read(text * 8) < 10 * n_read(text)
