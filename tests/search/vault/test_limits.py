"""The limits of one note: what comes first in it is used, and a notice counts the rest."""

import json
import random
import tracemalloc
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from search.budget import Budget, Cancelled
from search.engine import Engine
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.vault import limits
from search.vault.file import File, parse_file, parse_text
from search.vault.limits import (
    LONG,
    MAX_ALIASES,
    MAX_FRONT_CHARS,
    MAX_FRONT_LINES,
    MAX_HEADINGS,
    MAX_LINES,
    MAX_LINKS,
    MAX_SIGNS,
    MAX_TAGS,
    MAX_TOKENS,
    MAX_UNBROKEN,
    MAX_VALUES,
)
from search.vault.markdown import ParsedNote, parse_note
from search.vault.spans import spans_on
from search.vault.token_limit import searched_length
from vaults import codes, search, write


def parse(text: str) -> ParsedNote:
    return parse_note(NoteId("big.md"), text)


def joined(unit: str, n: int, *, separator: str = " ") -> str:
    return separator.join(unit.format(i) for i in range(n))


def front(*lines: str) -> str:
    return "\n".join(("---", *lines, "---", "text"))


def messages(parsed: ParsedNote) -> list[tuple[str, str]]:
    return [(notice.code, notice.message) for notice in parsed.notices]


def left_out(what: str) -> list[tuple[str, str]]:
    return [("note-limits", f"big.md: {what}")]


def below(what: str, line: int = 1) -> str:
    return f"after {what}, tags, links and headings from line {line:,} on are not used"


FILL = "\n\n" + "oak " * 30_000  # makes a note long enough to be limited


def test_first_tags_are_used():
    parsed = parse(joined("#tag{}", MAX_TAGS + 3, separator="\n\n") + FILL)
    assert (len(parsed.note.tags), parsed.note.tags[-1]) == (MAX_TAGS, f"tag{MAX_TAGS - 1}")
    assert messages(parsed) == left_out(below("10,000 tags", 2 * MAX_TAGS + 1))


def test_tags_of_front_matter_and_text_have_one_limit():
    parsed = parse(front(f"tags: [{joined('f{}', MAX_TAGS - 1, separator=', ')}]") + " #in #out #out2" + FILL)
    assert (len(parsed.note.tags), parsed.note.tags[-1]) == (MAX_TAGS, "in")
    assert messages(parsed) == left_out("2 of 10,002 tags are not used")


def test_tag_that_is_mentioned_often_counts_once():
    parsed = parse("#often #Often " * MAX_TAGS + "#last")
    assert (parsed.note.tags, parsed.notices) == (("often", "last"), ())


@pytest.mark.parametrize("unit", ["[[t{}]]", "[[t{}#h]]", "[x](t{}.md)", "![[t{}]]"])
@pytest.mark.parametrize("separator", [" ", "\n", "\n\n"])
def test_first_links_are_used(unit, separator):
    parsed = parse(joined(unit, MAX_LINKS + 3, separator=separator))
    assert len(parsed.note.links) == MAX_LINKS
    assert parsed.note.links[-1].target.removesuffix(".md") == f"t{MAX_LINKS - 1}"
    assert [notice.code for notice in parsed.notices] == ["note-limits"]


def test_first_references_are_used():
    parsed = parse("[r]: oak.md\n\n" + joined("[x][r]", MAX_LINKS + 3))
    assert len(parsed.note.links) == MAX_LINKS
    assert messages(parsed) == left_out(below("50,000 links", 3))


def test_first_definitions_of_references_are_used():
    definitions = joined("[r{}]: t.md", MAX_LINKS + 3, separator="\n")
    parsed = parse(f"{definitions}\n\n[r0] [r{MAX_LINKS + 2}]")
    assert [link.shown for link in parsed.note.links] == ["r0"]
    assert messages(parsed) == left_out("definitions of links after the first 50,000 are not used")


def test_a_definition_that_is_repeated_is_none_too_many():
    definitions = joined("[r{}]: t.md", MAX_LINKS, separator="\n")
    assert parse(f"{definitions}\n[r0]: other.md\n\n[r0]").notices == ()


def test_all_links_of_properties_are_used():
    parsed = parse(front(f'up: "{"[[t]]" * 30_000}"') + "[[last]]")
    assert (len(parsed.note.links), parsed.note.links[-1].target, parsed.notices) == (30_001, "last", ())


@pytest.mark.parametrize("unit", ["# h{}", "h{}\n==="])
def test_first_headings_are_used(unit):
    parsed = parse(joined(unit, MAX_HEADINGS + 3, separator="\n\n"))
    assert (len(parsed.note.headings), parsed.note.headings[-1].text) == (MAX_HEADINGS, f"h{MAX_HEADINGS - 1}")
    assert [notice.code for notice in parsed.notices] == ["note-limits"]


def test_first_aliases_are_used():
    parsed = parse(front(f"aliases: [{joined('a{}', MAX_ALIASES + 3, separator=', ')}]") + FILL)
    assert (len(parsed.note.aliases), parsed.note.aliases[-1]) == (MAX_ALIASES, f"a{MAX_ALIASES - 1}")
    assert messages(parsed) == left_out("3 of 10,003 aliases are not used")


def test_first_values_of_all_properties_are_used():
    parsed = parse(front("one: [a, b]", f"many: [{joined('v{}', MAX_VALUES, separator=',')}]", "last: x") + FILL)
    n_values = [(key, len(values)) for key, values in parsed.note.properties]
    assert n_values == [("one", 2), ("many", MAX_VALUES - 2), ("last", 0)]
    assert messages(parsed) == left_out("3 of 10,003 values of properties are not used")


def test_first_lines_of_front_matter_are_used():
    parsed = parse(front(*["# rem"] * (MAX_FRONT_LINES - 1), "tags: in", "alias: out"))
    assert (parsed.note.tags, parsed.note.aliases, parsed.body) == (("in",), (), "text")
    assert messages(parsed) == left_out("1 of 20,001 lines of front matter are not used")


def test_first_characters_of_front_matter_are_used():
    parsed = parse(front("tags: in", "# " + "x " * (MAX_FRONT_CHARS // 2), "alias: out"))
    assert (parsed.note.tags, parsed.note.aliases, parsed.body) == (("in",), (), "text")
    assert messages(parsed) == left_out("2 of 3 lines of front matter are not used")


def test_first_lines_are_used():
    parsed = parse("a\n" * MAX_LINES + "# oak")
    assert (parsed.note.headings, parsed.note.n_lines, parsed.body[-3:]) == ((), MAX_LINES + 1, "oak")
    assert messages(parsed) == left_out("1 of 300,001 lines, for tags, links and headings, are not used")


def test_markup_is_used_up_to_the_limit_of_its_signs():
    parsed = parse("[ ] " * MAX_SIGNS + "\n\n# oak\n#elm")
    assert (len(parsed.note.headings), parsed.note.tags) == (0, ())
    assert messages(parsed) == left_out(below("300,000 signs of markup"))


def some_of(letters: str, n_words: int, length: int) -> str:
    rng = random.Random(1)  # noqa: S311 - the same words each time
    return " ".join("".join(rng.choices(letters, k=length)) for _ in range(n_words))


HAN = "".join(map(chr, range(0x4E00, 0x9F00)))
DIFFERENT = {  # texts of words that hardly any two of are the same, and the tokens of each
    "letters": (some_of("abcdefghijklmnop", 400_000, 9), 1),
    "letters and digits": (joined("word{}", 300_000), 3),  # word12, word, 12
    "camels": (" ".join(word.title() + "Ab" for word in some_of("abcdefghij", 150_000, 9).split()), 3),
    "signs": (some_of("abcdefghij", 200_000, 9).replace(" ", "-x "), 3),
    "pairs": (some_of(HAN, 50_000, 9), 8),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_text_is_searched_up_to_the_limit_of_different_tokens(kind):
    text, n_each = DIFFERENT[kind]
    n_searched = searched_length(text)
    assert 0.7 * MAX_TOKENS < text[:n_searched].count(" ") * n_each < 1.1 * MAX_TOKENS
    assert text[n_searched - 1] == " "  # it is cut between two words


@pytest.mark.parametrize("kind", DIFFERENT)
def test_the_limit_is_that_of_the_vocabulary(kind):
    text = DIFFERENT[kind][0]
    corpus = Corpus()
    corpus.update([parse_note(NoteId("big.md"), text)])
    assert 0.6 * MAX_TOKENS < len(corpus.vocabulary) < 1.1 * MAX_TOKENS


def test_a_notice_says_how_much_of_the_text_is_searched():
    text = joined("w{}", MAX_TOKENS)
    body = parse(text).body
    assert messages(parse(text)) == left_out(
        f"{len(text) - len(body):,} of {len(text):,} characters of text are not used"
    )


@pytest.mark.parametrize("text", ["学" * (MAX_UNBROKEN + 100_000), ("学" * 100 + "\n") * (MAX_UNBROKEN // 80)])
def test_text_without_spaces_is_searched_up_to_the_limit_of_characters(text):
    assert MAX_UNBROKEN * 0.9 < searched_length(text) < MAX_UNBROKEN * 1.02


def test_lone_surrogates_count_as_other_characters_do():
    text = "\ud800学" * 100_000
    assert searched_length(text) == len(text)


def test_text_with_the_same_words_again_and_again_is_searched_to_its_end():
    text = joined("w{}", 50_000) + "\n"
    assert searched_length(text * 10) == len(text * 10)


def test_note_that_is_not_long_is_never_limited():
    text = joined("#{}a", LONG // 8)[:LONG]
    assert len(parse(text).note.tags) > MAX_TAGS
    assert parse(text).notices == ()


def test_several_kinds_are_one_notice():
    parsed = parse(front("#") + joined(" #tag{}", MAX_TAGS + 1) + "\n" * MAX_LINES)
    (notice,) = parsed.notices
    assert "lines, for tags" in notice.message
    assert "after 10,000 tags" in notice.message


def test_links_and_tags_that_are_used_have_positions():
    text = joined("#tag{} [[n]]", MAX_TAGS + 3, separator="\n")
    spans = spans_on(parse(text).note, text.split("\n"), [0, MAX_TAGS - 1])
    assert [(span.line, span.tag) for span in spans if span.tag] == [(0, "tag0"), (MAX_TAGS - 1, f"tag{MAX_TAGS - 1}")]
    assert [span.line for span in spans if span.link] == [0, MAX_TAGS - 1]


def test_every_answer_says_that_a_note_exceeds_its_limits(tmp_path):
    engine = Engine(write(tmp_path, "--- big.md\n" + joined("#tag{}", 2 * MAX_TAGS) + "\n--- oak.md\noak"))
    assert "note-limits" in codes(search(engine, "oak"))


def test_note_that_takes_long_is_found_by_its_name_only_until_it_changes(tmp_path, monkeypatch):
    vault = write(tmp_path, "--- big.md\n" + "oak " * LONG + "\n--- oak.md\noak")
    engine = Engine(vault)
    with monkeypatch.context() as slow:
        slow.setattr("search.vault.file.BUDGET_S", -1.0)
        answer = search(engine, "oak")
        assert [found.hit.id for found in answer.hits] == ["oak.md"]
        assert [notice.subject for notice in answer.notices if notice.code == "note-slow"] == ["big.md"]
        assert [found.hit.id for found in search(engine, "big").hits] == ["big.md"]
    with monkeypatch.context() as never:
        never.setattr("search.vault.vault.parse_file", None)  # reading a note would fail
        engine.mark_changed([])
        assert "note-slow" in codes(search(engine, "oak"))
    (vault / "big.md").write_text("oak " * LONG + "elm", encoding="utf-8")
    engine.mark_changed([])
    answer = search(engine, "oak")
    assert {found.hit.id for found in answer.hits} == {"big.md", "oak.md"}
    assert "note-slow" not in codes(answer)


def test_open_buffer_that_takes_long_is_found_by_its_name_only(tmp_path, monkeypatch):
    engine = Engine(write(tmp_path, "--- oak.md\noak"))
    monkeypatch.setattr("search.vault.file.BUDGET_S", -1.0)
    engine.open_buffer(NoteId("big.md"), "oak " * LONG)
    assert [found.hit.id for found in search(engine, "oak").hits] == ["oak.md"]
    assert "note-slow" in codes(search(engine, "big"))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("big.md", "oak\n\n" * LONG, id="blocks"),
        pytest.param("big.md", "[[oak]] " * LONG, id="one block"),
        pytest.param("big.md", front("a: b") + "oak\n" * LONG, id="words"),
        pytest.param("big.canvas", json.dumps({"nodes": [{"type": "text", "text": "oak\n" * LONG}]}), id="canvas"),
        pytest.param("big.html", "<p>oak" * LONG, id="web page"),
    ],
)
def test_reading_stops_soon_after_its_time_is_up(path, text):
    seconds = count()
    parsed = parse_text(NoteId(path), text, modified=0.0, size_bytes=0, clock=lambda: next(seconds))
    assert (
        next(seconds) <= 4
    )  # it looked at the clock as the reading began, after one and two seconds, and when too late
    assert (parsed.note.title, parsed.body) == ("big", "")
    assert [(notice.code, notice.subject) for notice in parsed.notices] == [("note-slow", path)]


def test_query_that_waits_for_a_large_note_can_be_cancelled(tmp_path, monkeypatch):
    engine = Engine(write(tmp_path, "--- big.md\n" + "oak " * 300_000))
    has_begun, may_end = Event(), Event()

    def parse_when_told(file: File, *, limit_bytes: int) -> ParsedNote:
        has_begun.set()
        assert may_end.wait(10.0)
        return parse_file(file, limit_bytes=limit_bytes)

    monkeypatch.setattr("search.vault.vault.parse_file", parse_when_told)
    with pytest.raises(Cancelled):
        engine.search(Query(text="oak"), budget=Budget(is_cancelled=has_begun.is_set))
    may_end.set()
    assert [found.hit.id for found in search(engine, "oak").hits] == ["big.md"]


def test_short_note_is_read_however_long_it_takes():
    seconds = count(0, 10)
    parsed = parse_text(NoteId("a.md"), "# Oak", modified=0.0, size_bytes=0, clock=lambda: next(seconds))
    assert (parsed.note.title, parsed.notices) == ("Oak", ())


def test_limits_in_the_documentation_are_those_of_the_code():
    page = (Path(__file__).parents[3] / "docs/troubleshooting.md").read_text()
    section = page.partition("these are used, the first ones")[2]
    for name, limit in vars(limits).items():
        if name.startswith("MAX_"):
            assert f"{limit:,}" in section


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(joined("#t{}", 200_000), id="tags"),
        pytest.param(joined("[[t{}]]", 200_000), id="links"),
        pytest.param(joined("# h{}", 200_000, separator="\n"), id="headings"),
        pytest.param(joined("[r{}]: t\n", 200_000, separator="\n"), id="definitions"),
        pytest.param(front(joined("t{}: x", 200_000, separator="\n")), id="properties"),
        pytest.param(front("aliases:", joined("- t{}", 200_000, separator="\n")), id="aliases"),
    ],
)
def test_parsing_a_giant_note_takes_little_memory(text):
    parse("# warm\n\n#up [[x]]")
    tracemalloc.start()
    try:
        parsed = parse(text)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "note-limits" in [notice.code for notice in parsed.notices]
    assert (kept < 10 * len(text), peak < 20 * len(text)) == (True, True), (kept / len(text), peak / len(text))
