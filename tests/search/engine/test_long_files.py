"""Beside dense tables and pages of megabytes, the note that is about the query still comes first."""

from itertools import cycle, islice

import pytest

from search.engine import Engine
from vaults import ask, write

ANIMALS = ("heron", "otter", "vole", "newt", "toad", "swift", "stoat", "perch")
VERBS = ("nests", "winters", "hunts", "feeds", "rests", "calls", "breeds", "moults")
PLACES = ("reeds", "banks", "ditches", "meadows", "ponds", "eaves", "hedges", "shallows")


def notes():
    for animal, verb, place in zip(ANIMALS, VERBS, PLACES, strict=True):
        filler = " ".join(islice(cycle(("water", "level", "of", "the", "old", "mill", "today")), 80))
        yield f"--- log/{animal}.md\n{filler} where it {verb} near the {place}, said the {animal} warden. {filler}\n"


def table(n_rows=20_000):
    columns = (cycle(ANIMALS), cycle(VERBS[1:] + VERBS[:1]), cycle(PLACES[2:] + PLACES[:2]))
    return "animal,verb,place\n" + "\n".join(map(",".join, islice(zip(*columns, strict=True), n_rows)))


def page(n_bytes=6_000_000):
    part = f"<p>{' '.join((*ANIMALS, *VERBS, *PLACES))} and more of all that a warden of the mill sees</p>\n"
    return "<title>Yearbook</title>" + part * (n_bytes // len(part))


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = write(tmp_path_factory.mktemp("vault"), "".join(notes()))
    (folder / "records.csv").write_text(table())
    (folder / "yearbook.html").write_text(page())
    (folder / "list.csv").write_text("animal,verb\nbadger,digs\n")
    opened = Engine(folder)
    yield opened
    opened.close()


@pytest.mark.parametrize(("animal", "verb", "place"), [*zip(ANIMALS, VERBS, PLACES, strict=True)])
def test_the_note_comes_before_tables_and_pages_that_have_all_words_often(engine, animal, verb, place):
    assert ask(engine, f"{verb} {place}")[0] == f"log/{animal}.md"
    assert ask(engine, f"where {verb} near {place}")[0] == f"log/{animal}.md"


def test_a_long_file_is_still_found_by_its_name_and_a_short_one_by_its_text(engine):
    assert ask(engine, "records")[0] == "records.csv"
    assert ask(engine, "yearbook")[0] == "yearbook.html"
    assert ask(engine, "badger digs") == ["list.csv"]
