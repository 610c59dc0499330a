"""What a note of nothing but different words, links, tags or headings takes of memory, and while it is read."""

import gc
import random
import re
import string
import tracemalloc
from pathlib import Path

import pytest

from search.ids import NoteId
from search.index.corpus import Corpus
from search.vault.markdown import parse_note

PAGE = Path(__file__).parents[3] / "docs" / "privacy-and-security.md"
SIZES = (80_000, 300_000)  # bytes; a larger note takes less for each byte, since limits are reached
MOST, MOST_FOR_A_MOMENT = 10, 100  # times the size of a note
FIXED = 1_400_000  # bytes more: tables grow by a third at a time, and up to Python 3.11 a text takes 8 more bytes
LARGEST = 10_000_000  # bytes of a file that is read
HAN = "".join(map(chr, range(0x4E00, 0x9F00)))
ENGLISH = "the oak is a tree and it was in the wood, for that is what it is to be an oak"


def some(letters: str, n: int, rng: random.Random) -> str:
    return "".join(rng.choices(letters, k=n))


def letters(n: int, rng: random.Random) -> str:
    return some(string.ascii_lowercase, n, rng)


SHAPES = {
    "letters": lambda rng: letters(8, rng),
    "signs": lambda rng: f"{letters(3, rng)}-{letters(3, rng)}_{letters(3, rng)}",
    "accents": lambda rng: some("äéîõüçñabcdrst", 7, rng),
    "cyrillic": lambda rng: some("абвгдежзиклмнопрстуфхцчшыьэюя", 7, rng),
    "letters and digits": lambda rng: letters(4, rng) + some(string.digits, 5, rng),  # three tokens each
    "han": lambda rng: some(HAN, 8, rng),  # seven tokens each
    "tags": lambda rng: "#" + letters(7, rng),
    "headings": lambda rng: f"\n# {letters(7, rng)}\n",
    "links": lambda rng: f"[[{letters(7, rng)}]]",
}


def note_of(shape: str, n_bytes: int, seed: int) -> str:
    rng = random.Random(seed)  # noqa: S311 - the same words each time
    unit, parts, size = SHAPES[shape], [ENGLISH], 0
    while size < n_bytes:
        parts.append(unit(rng))
        size += len(parts[-1].encode()) + 1
    return " ".join(parts)


def ask(corpus: Corpus) -> None:
    """Have all tables made that a query needs."""
    corpus.stems.languages(corpus.postings)
    corpus.stems.forms("oak", corpus.postings)
    corpus.spelling.correct("woodd", corpus.postings, is_prefix=False)
    corpus.vocabulary.matching("o")


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_memory_grows_by_a_few_times_the_size_of_a_note_of_different_words(shape, n_bytes):
    corpus = Corpus()
    corpus.update([parse_note(NoteId("english.md"), ENGLISH)])
    ask(corpus)  # imports what it needs
    growth: list[float] = []
    peaks: list[float] = []
    tracemalloc.start()
    try:
        for at in range(3):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            text = note_of(shape, n_bytes, at)
            corpus.update([parse_note(NoteId(f"{at}.md"), text)])
            corpus.vocabulary.forget_pieces()
            corpus.postings = corpus.postings.merged()
            ask(corpus)
            del text
            gc.collect()
            now, peak = tracemalloc.get_traced_memory()
            growth.append(now - before)
            peaks.append(peak - before)
    finally:
        tracemalloc.stop()
    # The first note fills caches of a fixed size, and one may enlarge a table of the interpreter.
    assert min(growth[1:]) <= MOST * n_bytes + FIXED
    assert min(peaks[1:]) <= MOST_FOR_A_MOMENT * n_bytes


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["cyrillic", "han", "links"])  # those that take most
def test_the_largest_note_of_different_words_takes_no_more_than_the_documents_say(shape: str) -> None:
    corpus = Corpus()
    corpus.update([parse_note(NoteId("english.md"), ENGLISH)])
    ask(corpus)
    text = note_of(shape, LARGEST - 100, 0)
    tracemalloc.start()
    try:
        corpus.update([parse_note(NoteId("note.md"), text)])
        corpus.vocabulary.forget_pieces()
        corpus.postings = corpus.postings.merged()
        ask(corpus)
        gc.collect()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    page = PAGE.read_text(encoding="utf-8")
    said = re.search(r"keeps up to (\d+) MB of memory, and takes up to (\d+) MB while", page)
    assert said is not None
    assert kept / 1e6 <= int(said[1])
    assert peak / 1e6 <= int(said[2])
