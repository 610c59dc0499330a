"""Queries of nothing but stop words, operators or signs, very long ones, and ones in many scripts.

Each gets an answer or a notice, and never two notices of one code.
"""

import pytest

from embedders import WordEmbedder
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.query import Mode, Query
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import codes, ids, search, write

SCRIPTS = {
    "latin": "Überraschung",
    "cyrillic": "электричество",
    "greek": "φιλοσοφία",
    "arabic": "الكهرباء",
    "hebrew": "חשמל",
    "devanagari": "बिजली",
    "tamil": "மின்சாரம்",
    "thai": "ไฟฟ้า",
    "georgian": "ელექტრობა",
    "armenian": "էլեկտրականություն",
    "chinese": "电力系统",
    "japanese": "でんきカタナ",
    "korean": "전기에너지",
    "ethiopic": "ኤሌክትሪክ",
}
VAULT = "\n".join(
    [
        *(f"--- {script}.md\nA note about {word}, and more." for script, word in SCRIPTS.items()),
        "--- Hamlet.md\nTo be, or not to be: that is the question.",
        "--- &.md\nThe sign for and.",
        "--- signs.md\nblack & white, 3 < 4, a | b",
    ]
)
STOP_WORDS = ["to be or not to be", "the", "the and of", "OR the", "what is that", "der die das und", "的", "it is"]
SIGNS = [
    "-",
    "- -",
    "--",
    "&",
    "&&",
    "||",
    "|",
    "!",
    "()",
    "( ) ( )",
    '""',
    '"" ""',
    "//",
    "[]",
    "[[]]",
    "...",
    "->",
    "*",
]
OPERATORS = [
    *["OR", "OR OR OR", "AND", "AND AND", "NOT", "AND OR NOT", "tag:", "file: path: tag:", "-tag:", "line:()"],
    *["tag:()", "[a:]", "-[a]", "-()", "tag:tag:", "match-case:", "tag:#", '-""', "(OR)", "task-todo:", "-OR"],
]
ALIKE = [
    " ".join(f"tag:unknown{n}" for n in range(12)),
    " ".join(f"[unknown{n}]" for n in range(12)),
    " ".join(f"-[[unknown{n}]]" for n in range(12)),
    " ".join(f"#unknown{n}" for n in range(12)),
    " ".join(f"tga:x{n}" for n in range(12)),
    "a AND b NOT c && d AND e heading:f title:g (h OR " * 2,
    " ".join(f"/[{n}/" for n in range(12)),
    " ".join(f"-w{n}" for n in range(12)),
    "blacck whitte questoin morre noteee",
    *(
        form.format("x" * 5000)
        for form in ("tag:{}", "-tag:{}", "folder:{}", "#{}", "-[[{}]]", "[{}]", "[p:{}]", "/{}(/")
    ),
]
# Accents and signs that folding removes, without a letter to stand on.
ACCENTS = ["\u0301", "\u0301\u0301", "\u0327\u0301", "\u3099\u3099", "\u093c\u093c", "\u17b5", "\u108d\u108d"]
UNITS = [
    "the ",
    "a-b ",
    "(",
    "tag:",
    "- ",
    "-x ",
    '"',
    "OR ",
    "电",
    "😀",
    "x",
    "[a:",
    "/a/ ",
    "\\",
    "&",
    "tag:x OR ",
    "\n",
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    settings = Settings(indexing=Indexing(folder=str(tmp_path_factory.mktemp("cache")), in_background=False))
    root = write(tmp_path_factory.mktemp("vault"), VAULT)
    engine = Engine(root, settings, embedder=WordEmbedder(), understand=Understanding(lexicon()))
    yield engine
    engine.close()


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize("text", [*STOP_WORDS, *SIGNS, *OPERATORS, *ALIKE])
def test_there_is_an_answer_or_a_notice_and_one_notice_of_a_kind(engine, mode, text):
    result = search(engine, text, mode=mode)
    assert result.hits or result.notices or text in STOP_WORDS
    assert len(set(codes(result))) == len(result.notices)
    assert all(len(notice.message) < 1000 and notice.message.endswith((".", "?")) for notice in result.notices)
    reason = engine.explain(Query(text=text, mode=mode), "Hamlet.md")
    assert reason.rank == (ids(result).index("Hamlet.md") + 1 if "Hamlet.md" in ids(result) else None)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize("form", ["{} question", "question {}", "question OR {}", "question OR line:{}"])
@pytest.mark.parametrize("accents", ACCENTS, ids=ascii)
def test_accents_without_a_letter_lose_no_other_word(engine, mode, accents, form):
    assert "Hamlet.md" in ids(search(engine, form.format(accents), mode=mode))


@pytest.mark.timeout(30)
@pytest.mark.parametrize("operator", ["line", "block", "section", "task", "content", "match-case"])
@pytest.mark.parametrize("accents", ACCENTS, ids=ascii)
def test_accents_without_a_letter_are_answered_in_every_operator(engine, accents, operator):
    result = search(engine, f"{operator}:{accents}", mode=Mode.KEYWORD)
    assert len(set(codes(result))) == len(result.notices)


def test_accents_without_a_letter_are_found(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\na \u0301\u0301 sign\n--- b.md\nnone"))
    assert ids(search(engine, "\u0301\u0301", mode=Mode.KEYWORD)) == ["a.md"]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("query", ['section:"\nthree"', 'block:"\ntwo"', 'section:"\n"', 'section:(one "\n\n")'])
def test_a_phrase_that_begins_with_a_line_break_is_answered(tmp_path, query):
    engine = Engine(write(tmp_path, "--- a.md\n# H\none\ntwo\n\nfour\nthree\n--- b.md\nelse"))
    assert ids(search(engine, query, mode=Mode.KEYWORD)) == ["a.md"]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
def test_stop_words_alone_find_the_note_that_has_them(engine, mode):
    assert ids(search(engine, "to be or not to be", mode=mode))[0] == "Hamlet.md"


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS)
def test_a_query_of_100_kb_is_cut_with_one_notice(engine, unit):
    result = search(engine, unit * (100_000 // len(unit)))
    assert len(set(codes(result))) == len(result.notices) > 0
    assert "query-truncated" in codes(result) or not unit.strip()


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_word_in_any_script_finds_its_note_first(engine, mode, script):
    result = search(engine, SCRIPTS[script], mode=mode)
    assert ids(result)[0] == f"{script}.md"
    assert set(codes(result)) <= {"semantic-foreign"}


def test_a_query_in_all_scripts_finds_all_notes(engine):
    result = search(engine, " ".join(SCRIPTS.values()), mode=Mode.KEYWORD)
    assert {f"{script}.md" for script in SCRIPTS} <= set(ids(result))
    assert "no-words" not in codes(result)


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(
    ("text", "found", "message"),
    [
        ("&", ["&.md"], 'compared only with the names of notes; to search texts for it, put it in quotes: "&".'),
        ("<", [], "compared only with the names of notes"),
        ('"&"', ["&.md", "signs.md"], ""),
        ('"<"', ["signs.md"], ""),
    ],
)
def test_a_sign_is_a_name_or_a_phrase_and_the_notice_says_so(engine, mode, text, found, message):
    result = search(engine, text, mode=mode)
    assert sorted(ids(result)) == found
    assert [message in notice.message for notice in result.notices] == ([True] if message else [])
