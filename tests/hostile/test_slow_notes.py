"""Notes and queries made to be slow: each thing that reads a text takes time that grows with its length.

`test_whole_notes` does the same for engines, with longer notes.
"""

import gc
import time

import pytest

from lsp_server.features.hover_card import excerpt
from search.analysis.fold import fold, fold_with_offsets
from search.ids import NoteId
from search.syntax.parser import parse
from search.vault.hidden import without_hidden
from search.vault.markdown import parse_note
from search.vault.spans import spans_on
from search.vectors.chunk import chunks
from tests.kit.hostile_notes import AFTER, BEFORE, UNITS

SIZES = (1_000, 6_000, 25_000)  # characters
QUICK_S = 4e-6  # a character: 0.1 s for 25,000. A slower text is measured with four times its length
GROWTH = 2.3**2  # how much longer a text of four times the length may take: 4 grows with it, 16 with its square
N_TRIES = 5  # to measure that; what is slow is slow in each, while other programs disturb only some


def parsed(text):
    return parse_note(NoteId("a.md"), text, modified=0.0, size_bytes=len(text)).note


def read(text):
    parsed(text)


def show(text):
    excerpt(text.split("\n"))


def point(text):
    lines = text.split("\n")
    spans_on(parsed(text), lines, range(len(lines)))


def cut(text):
    chunks(parsed(text), text, count_tokens=lambda part: len(part) // 4, max_tokens=200)


def hide(text):
    without_hidden(text)


def normalize(text):
    fold(text)
    fold_with_offsets(text)


def seconds(work, text):
    """CPU seconds, without the garbage collector: it looks at all objects whenever their number has grown."""
    gc.disable()
    try:
        begun = time.thread_time()
        work(text)
        return time.thread_time() - begun
    finally:
        gc.enable()


def too_slow(work, text_of, *, sizes=SIZES, quick_s=QUICK_S):
    """The times for a text and for one of four times its length, if that grows too fast."""
    for size in sizes:
        if seconds(work, text_of(size)) > quick_s * max(size, 5_000):
            once, longer = [], []
            for _ in range(N_TRIES):
                once += (seconds(work, text_of(size)) for _ in range(2))
                longer += (seconds(work, text_of(4 * size)) for _ in range(2))
                if min(longer) <= GROWTH * min(once):
                    return None
            return min(once), min(longer)
    return None


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("work", [read, show, point, cut, hide, normalize])
def test_a_note_takes_time_that_grows_with_its_length(work, before):
    for unit in UNITS:
        for after in AFTER:
            slow = too_slow(work, lambda size, unit=unit, after=after: before + unit * (size // len(unit)) + after)
            assert slow is None, (unit, after)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [*UNITS, "-", '"a" ', "(a OR ", "/a/ ", "tag:", "file:(", "[a:", "a:b ", "<1", "-(-"])
def test_a_query_takes_time_that_grows_with_its_length(unit):
    """A query is cut at 10,000 characters, so the longest one counts."""
    assert seconds(parse, unit * (10_000 // len(unit))) < 0.2
