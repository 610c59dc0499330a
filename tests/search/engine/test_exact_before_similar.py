"""Exact before similar, through the whole pipeline with the built-in model."""

import pytest

from embedders import WordEmbedder
from search.answer.trail import Scaled, replay
from search.engine import Engine, open_engine
from search.query import Mode, Query
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings
from vaults import ask, ids, search, write

_FILLER = "\n".join(f"Day {day}. The weather was calm, and we read until noon." for day in range(60))
DIARY = f"--- Journal.md\n{_FILLER}\nWe raised {{}} to 40.\n{_FILLER}\n"
SCATTERED = "\n".join(f"He is not here to say so, or it may be {n}. We have to go; be it so or not." for n in range(12))


@pytest.mark.parametrize(
    ("word", "similar", "n_short"),
    [
        ("shutterTimeout", "The shutter needs a longer timeout on door {}.", 3),
        ("mirror_wash_interval", "Wash the mirror: the interval of mirror {} is a month.", 20),
        ("fox", "Foxlike animals such as foxes, outfoxed by foxhounds {} times.", 10),
    ],
)
@pytest.mark.slow
def test_one_line_of_a_long_diary_with_the_word_whole_comes_first_in_every_mode(tmp_path, word, similar, n_short):
    notes = "".join(f"--- Short {number}.md\n{similar.format(number)}\n" for number in range(n_short))
    indexing = Indexing(folder=str(tmp_path / "vectors"), auto_index=AutoIndex.NEVER, in_background=False)
    engine = open_engine(write(tmp_path / "vault", DIARY.format(word) + notes), Settings(indexing=indexing))
    engine.maintenance().update()
    for mode in (Mode.KEYWORD, Mode.HYBRID, Mode.VECTOR):
        result = search(engine, word, mode=mode)
        assert ids(result)[0] == "Journal.md"
        assert all(replay(found.hit.trail) == found.hit.score for found in result.hits)
        reason = engine.explain(Query(text=word, mode=mode), "Journal.md")
        assert (reason.rank, reason.found.hit.score) == (1, result.hits[0].hit.score)
    engine.close()


def test_what_lowers_the_others_is_a_step_of_their_trail(tmp_path):
    notes = DIARY.format("shutterTimeout") + "--- a.md\n# Shutter timeout\nShutter, timeout.\n"
    result = search(Engine(write(tmp_path, notes)), "shutterTimeout")
    assert ids(result) == ["Journal.md", "a.md"]
    (step,) = [step for step in result.hits[1].hit.trail if isinstance(step, Scaled) and step.by == "whole"]
    assert 0 < step.factor < 1
    assert step.why == '1 note has "shuttertimeout" whole or joined with others'


def test_more_notes_than_are_ranked_do_not_push_the_whole_word_out(tmp_path):
    notes = "".join(f"--- {number:04}.md\n# foxTrot\nfoxTrot foxTrot\n" for number in range(700))
    assert ask(Engine(write(tmp_path, DIARY.format("fox") + notes)), "fox", limit=5)[0] == "Journal.md"


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(
    ("query", "near", "scattered"),
    [
        ("to be or not to be", "To be, or not to be: that is the question.", SCATTERED),
        ("as it is", "Take it as it is today, and rest.", "It was as big as a house. Is it so?\n" * 8),
        (
            "wash mirror",
            "Then wash the mirror at noon, before we have to go home again.",
            "Wash at noon, before we have to go home again. Then the mirror.",
        ),
        ("red door key", "A red door key is on the wall here.", "A key is on the red wall here, door."),
    ],
)
def test_words_in_the_order_of_the_query_outrank_scattered_ones(tmp_path, query, near, scattered, mode):
    engine = Engine(write(tmp_path, f"--- b.md\n{near}\n--- a.md\n{scattered}\n--- c.md\nnothing of that\n"))
    result = search(engine, query, mode=mode)
    assert ids(result)[:2] == ["b.md", "a.md"]
    assert all(replay(found.hit.trail) == found.hit.score for found in result.hits)


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(
    ("query", "scattered"),
    [
        ("to be or not to be", "It is to be so, or it may not be. Be it so; to go or not.\n"),
        ("let it be", "It may be that we let it go; be it so, let us be.\n"),
        ("être ou ne pas être", "Ne pas aller ou être là; être ou là, ne pas dire.\n"),
        ("who am i", "I am who I am, and who is it? Am I so?\n"),
    ],
)
def test_a_phrase_of_stop_words_deep_in_a_long_note_comes_first(tmp_path, query, scattered, mode):
    indexing = Indexing(folder=str(tmp_path / "cache"), in_background=False)
    notes = {"long.md": f"{_FILLER}\nSo: {query}, that is all.\n{_FILLER}"} | {f"{n}.md": scattered * n for n in (1, 9)}
    vault = "".join(f"--- {path}\n{text}\n" for path, text in notes.items())
    engine = Engine(write(tmp_path / "vault", vault), Settings(indexing=indexing), embedder=WordEmbedder())
    result = search(engine, query, mode=mode)
    assert ids(result)[0] == "long.md"
    assert all(replay(found.hit.trail) == found.hit.score for found in result.hits)
    engine.close()
