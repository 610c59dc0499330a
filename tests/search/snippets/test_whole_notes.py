"""Excerpts come from the whole note: the line with the rarest and most words, wherever it is."""

import pytest

from search.engine import Engine
from search.matching.terms import query_terms
from search.query import Query, RankedTerm
from search.snippets.excerpts import MAX_CHARS, excerpts, lines_of
from search.snippets.spots import MAX_LINES, highlight_terms
from search.vault.note import Note
from tests.kit.engines import engine_of

OTHERS = "--- oven.md\nThe oven failed its disk check.\n--- server.md\nThe server has a backup.\n"


def best_line(engine: Engine, query: str) -> tuple[int, str]:
    """The line number and text of the best excerpt of `log.md`, which clients open."""
    found = next(found for found in engine.search(Query(text=query)).hits if found.hit.id == "log.md")
    return found.snippets[0].line, found.snippets[0].text


def shown(text: str, query: str, **idf: float) -> list[tuple[int, str]]:
    """The excerpts of a text, with their lines."""
    wanted = highlight_terms([(term, idf.get(term.text, 1.0)) for term in query_terms([RankedTerm(query)])])
    return [(one.line, one.text) for one in excerpts(Note("n.md", "n"), lines_of(text), wanted, n_snippets=2)]


@pytest.mark.slow
@pytest.mark.parametrize("n_lines", [MAX_LINES + 100, pytest.param(50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("same", "best", "query"),
    [
        ("backup of the server finished", "backup of the server failed, disk error", "server backup error"),
        ("le café du serveur est prêt", "le café du serveur est prêt, erreur de disque", "serveur café erreur"),
        ("сервер: копия готова", "сервер: копия, ошибка диска", "сервер копия ошибка"),
        ("服务器备份完成", "服务器备份失败", "服务器 备份失败"),
        ("server finished", "server error", "line:(server) error"),
        ("Server finished", "Server error", "match-case:Server error"),
        ("server finished", "server error", "/serv.r/ error"),
        ("- [ ] restart the server", "- [ ] restart the server after an error", "task:(server) error"),
        ("server a", "server b server backup", "server backup"),
        ("server disk", "server disk5", "/disk[0-9]/ server"),
        ("server get user by id failed", "server getUserById failed", "getUserById failed"),
        ("the price is 50 of off", "the price is 50% off", "50% off"),
        ("server at home", "server at $HOME", "$HOME server"),
        ("a rare word and more", "the letter R here", "R"),
        ("知识 图谱 识图", "知识图谱", "知识图谱"),
        ("server disk", "disk server error", "section:(server disk) error"),
    ],
    ids=[
        *["log", "accents", "cyrillic", "dense", "line", "case", "regex", "task", "twice"],
        *["best regex", "identifier", "percent", "sign", "letter", "dense parts", "section"],
    ],
)
def test_the_best_line_of_a_long_log_is_shown_wherever_it_is(tmp_path, same, best, query, n_lines):
    for before in (n_lines, n_lines - 1, n_lines // 2):
        lines = [same] * n_lines
        lines.insert(before, best)
        engine = engine_of(tmp_path / str(before), f"--- log.md\n{chr(10).join(lines)}\n{OTHERS}")
        line, text = best_line(engine, query)
        assert (line, text in best) == (before, True)


def test_a_line_with_two_common_words_is_found_among_lines_with_one_of_them():
    text = "backup one\n" * 30_000 + "server two\n" * 30_000 + "server with backup\n" + "backup three\n" * 1_000
    assert shown(text, "server backup")[0] == (60_000, "server with backup")


def test_a_rare_word_far_into_a_long_text_counts_by_its_rarity():
    text = "server backup\n" * 10_000 + "error\n" + "server backup\n" * 10_000
    assert shown(text, "server backup error", error=9.0) == [(10_000, "error"), (0, "server backup")]


def test_a_whole_word_outweighs_parts_of_words_in_a_long_text():
    text = "serverfarm of the observers\n" * 20_000 + "the server\n" + "serverfarm\n" * 10_000
    assert shown(text, "server")[0] == (20_000, "the server")


def test_the_first_of_equal_lines_is_shown_first():
    text = "\n".join(f"server {number}" for number in range(20_000))
    assert shown(text, "server") == [(0, "server 0"), (1, "server 1")]


@pytest.mark.parametrize(
    "words", ["word server backup ", "слово server копия backup "], ids=["ascii", "folded in parts"]
)
@pytest.mark.parametrize("n_before", [0, 300, 50_000])
def test_the_best_part_of_a_giant_line_is_shown_and_highlighted_exactly(words, n_before):
    line = words * n_before + "ERROR: the server lost its Backup. " + words * 300
    terms = query_terms([RankedTerm("server backup error")])
    wanted = highlight_terms([(term, 9.0 if term.text == "error" else 1.0) for term in terms])
    (snippet,) = excerpts(Note("n.md", "n"), lines_of(line), wanted, n_snippets=1)
    marked = [snippet.text[start:end] for start, end in snippet.highlights]
    assert line[snippet.start_char :].startswith(snippet.text)
    assert len(snippet.text) <= MAX_CHARS
    assert "ERROR" in marked
    assert {word.casefold() for word in marked} == {"server", "backup", "error"}


@pytest.mark.parametrize("letter", ["ß", "é", "e\u0301", "й", "が", "한", "ﬁ", "İ"])
def test_a_long_line_is_highlighted_exactly_whatever_its_letters_fold_to(letter):
    line = f"{letter * 7} " * 900 + f"walnut{letter} walnut {letter * 3}"
    (snippet,) = excerpts(
        Note("n.md", "n"), [line], highlight_terms([(query_terms([RankedTerm("walnut")])[0], 1.0)]), n_snippets=1
    )
    assert [snippet.text[start:end] for start, end in snippet.highlights] == ["walnut"]
    assert line[snippet.start_char :].startswith(snippet.text)
