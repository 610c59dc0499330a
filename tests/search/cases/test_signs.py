"""Words with signs that no token holds, and words without spaces: a note that has them as typed comes first."""

import pytest

from embedders import WordEmbedder
from search.answer.trail import replay
from search.engine import Engine
from search.query import Mode, Query
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ids, search, write

FILLER = "The weather was calm, and we read until noon.\n" * 80


@pytest.fixture
def engine_of(tmp_path):
    """Makes an engine over these notes, which is closed after the test."""
    opened = []

    def engine_of(notes):
        vault = "".join(f"--- {path}\n{text}\n" for path, text in notes.items())
        settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
        opened.append(Engine(write(tmp_path / "vault", vault), settings, embedder=WordEmbedder()))
        return opened[-1]

    yield engine_of
    for engine in opened:
        engine.close()


ONE = [  # a word, how a long note has it, and what resembles it
    ("$HOME", "we set $HOME/bin", ["home", "the home of homes"]),
    ("$home", "we set ${$HOME}", ["home"]),
    ("50%", "about 50% of it", ["50", "50 or 500%", "150%"]),
    ("#5", "see #5 there", ["5", "no. 5"]),
    ("@home", "do it @home", ["home", "ann@home"]),
    (".env", "in the file .env", ["env", "x.env"]),
    ("~/.config", "in ~/.config now", ["config", ".config"]),
    ("10:30", "at 10:30, then", ["30 to 10, 10 30", "10:30:15"]),
    ("1,000", "a 1,000 times", ["11,000 and 1,000,000", "a 1 000"]),
    ("key=value", "as key=value there", ["a key value", "value=key"]),
    ("src/main", "in src/main there", ["src or main", "asrc/main: src main"]),
    ("@types/node", "the package @types/node", ["the types node"]),
    ("a->b", "from a->b", ["a b", "b->a b"]),
    ("A*", "by A* search", ["a", "a search"]),
    ("(10:30)", "at 10:30.", ["10 30"]),
    ("std::map", "a std::map here", ["std map", "map::std"]),
    ("知识图谱", "这是知识图谱。", ["知识 识图 图谱"]),
    ("東京都", "東京都へ行く", ["東京 京都"]),
    ("京都府", "京都府へ行く", ["東京都 都府"]),
    ("검색엔진", "새 검색엔진은", ["검색 색엔 엔진"]),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("word", "text", "others"), ONE, ids=[word for word, *_ in ONE])
def test_one_line_of_a_long_note_with_the_word_as_typed_comes_first(engine_of, word, text, others, mode):
    notes = {"long.md": f"{FILLER}{text}\n{FILLER}"}
    notes |= {f"short{at}.md": f"# About\n{other}\n{other}\n" for at, other in enumerate(others * 2)}
    engine = engine_of(notes)
    result = search(engine, word, mode=mode)
    assert ids(result)[0] == "long.md"
    assert all(replay(found.hit.trail) == found.hit.score for found in result.hits)
    assert engine.explain(Query(text=word, mode=mode), "long.md").rank == 1


SEVERAL = [
    ("the $HOME path", "path to $HOME", "path to home"),
    ("5% rate", "rate of 5%", "rate of 5"),
    ("A* search", "A* search", "A search"),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("query", "text", "other"), SEVERAL)
def test_among_several_words_all_else_equal_the_one_as_typed_counts_more(engine_of, query, text, other, mode):
    notes = {"y.md": text, "x.md": other, "z.md": f"{other}, {other}"}
    assert ids(search(engine_of(notes), query, mode=mode))[0] == "y.md"


@pytest.mark.parametrize(
    ("word", "text"),
    [("a/b", "see [x](a/b) there, a and b"), ("x=1", "<p x=1> and x, 1"), ("x:y", "<!-- x:y --> x y")],
)
def test_what_no_reader_sees_is_not_as_typed(engine_of, word, text):
    engine = engine_of({"hidden.md": text, "seen.md": f"{FILLER}there is {word}"})
    assert ids(search(engine, word, mode=Mode.KEYWORD))[0] == "seen.md"


@pytest.mark.parametrize("query", ["TCP/IP", "Q1: plan", "$HOME", "what?"])
def test_a_note_named_so_still_comes_first(engine_of, query):
    name = query.replace("/", " ").replace(":", "").replace("?", "")
    engine = engine_of({f"{name}.md": "text", "other.md": f"{query} and {query}"})
    assert ids(search(engine, query, mode=Mode.KEYWORD))[0] == f"{name}.md"


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
def test_a_name_without_a_sign_that_names_can_have_is_not_the_query(engine_of, mode):
    engine = engine_of({"Home.md": "where we live, at home", "shell.md": f"{FILLER}echo $HOME"})
    assert ids(search(engine, "$HOME", mode=mode)) == ["shell.md", "Home.md"]
    assert ids(search(engine, "home", mode=mode))[0] == "Home.md"
