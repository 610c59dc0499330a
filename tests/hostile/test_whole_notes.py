"""Whole hostile notes up to 200 kB: with twice the text, all that is done with a note takes about twice the time.

A family of notes is made of one sign (`kit.hostile_notes`) or from the structure of one pattern (`kit.adversarial`).
Of each family, the note that is slowest while it is short is made longer.
"""

import gc
import time
from functools import cache

import pytest

from lsp_server.features.hover_card import Card, CardLink, as_markdown
from search.engine import Engine
from search.ids import NoteId
from search.navigation.library import Library
from search.query import Query
from search.vault.markdown import parse_note
from search.vault.spans import spans_on
from tests.hostile.test_no_quadratic_pattern import found
from tests.kit.adversarial import Attack, attacks_on
from tests.kit.hostile_notes import AFTER, BEFORE, UNITS
from vaults import write

SHORT = 4_000  # characters of the notes that are compared to find the slowest
SIZES = ((6_250, 50_000), (25_000, 200_000))  # some things look at the first 50,000 characters only
GROWTH = 2.3**3  # of the time, when the size is doubled three times
QUICK_S = 0.08  # what is quicker for the longer note is not measured exactly enough
N_TRIES = 5
NAMING = ("[[oak#", "# oak\n", "oak ", "- [ ] oak\n", "oak\u0301", "oak[^1] ")  # what the query and the link are about
N_FOLLOWED = 3  # links of a note
# The packages whose patterns see the text of a note.
OF_NOTES = ("search.vault.", "search.snippets.", "search.graph.", "search.navigation.", "search.analysis.")
OF_NOTES += ("search.vectors.", "search.index.", "lsp_server.features.hover_card.")
NOTE, OTHER = NoteId("note.md"), NoteId("other.md")


def times(engine: Engine, text: str) -> dict[str, float]:
    """CPU seconds for everything that is done with a note."""
    took = {"parse": _seconds(lambda: parse_note(NOTE, text))}
    took["index"] = _seconds(lambda: (engine.open_buffer(NOTE, text), engine.refresh()))
    took["excerpts"] = _seconds(lambda: engine.search(Query(text="oak")))
    took["related"] = _seconds(lambda: engine.related(NOTE, limit=5))
    took["symbols"] = _seconds(lambda: engine.symbols("oak", limit=20))
    took["hover"] = _seconds(lambda: _hover(engine.library()))
    return took


def quick_seconds(text: str) -> float:
    """CPU seconds to parse and preview a note: enough to find the slowest one of a family."""
    lines = text.split("\n")
    return _seconds(lambda: (parse_note(NOTE, text), as_markdown(Card(head="", lines=lines))))


def _hover(library: Library) -> None:
    """Find all that a cursor can point at in the note, follow some of its links, and preview it."""
    note, lines = library.notes[NOTE], library.text(NOTE).split("\n")
    links = [span.link for span in spans_on(note, lines, range(len(lines))) if span.link]
    for link in links[:N_FOLLOWED]:
        library.spot_of(NOTE, link)
    head = CardLink(note.title, "file:///note.md", NOTE)
    as_markdown(Card(head=head, lines=lines[note.body_line :], caption="Related:", links=[head]))


def _seconds(work) -> float:
    """CPU seconds, without the garbage collector: it looks at all objects whenever their number has grown."""
    gc.disable()
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


@cache
def families() -> dict[str, list[Attack]]:
    """Notes by what they are made from, each once."""
    of_signs = {
        f"sign {unit!r}": [Attack(before, (unit,), after) for before in BEFORE for after in AFTER]
        for unit in (*UNITS, *NAMING)
    }
    of_patterns, seen = {}, set()
    for name, (pattern, _) in found().items():
        if name.startswith(OF_NOTES) and isinstance(pattern.pattern, str):
            attacks = [attack for attack in attacks_on(pattern.pattern, pattern.flags) if attack not in seen]
            seen.update(attacks)
            if attacks:
                of_patterns[name] = attacks
    return of_signs | of_patterns


def note_of(attack: Attack, size: int) -> str:
    """A note with a link and a word to be found, or just the text if that must be at its beginning."""
    return attack.text(size) if attack.prefix.startswith("---") else f"oak [[other]]\n\n{attack.text(size)}"


def too_fast(engine: Engine, attack: Attack, short: int, long: int) -> dict[str, tuple[float, float]]:
    """What takes too much longer when the note is longer, with both times."""
    once: dict[str, float] = {}
    longer: dict[str, float] = {}
    slow: set[str] = set()
    for _ in range(N_TRIES):
        for took, size in ((once, short), (longer, long)):
            for way, seconds in times(engine, note_of(attack, size)).items():
                took[way] = min(seconds, took.get(way, seconds))
        slow = {way for way, seconds in longer.items() if seconds > max(QUICK_S, GROWTH * once[way])}
        if not slow:
            break
    return {way: (once[way], longer[way]) for way in slow}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sorted(families()))
def test_twice_the_text_takes_about_twice_the_time(tmp_path, name):
    engine = Engine(write(tmp_path, "--- note.md\n--- other.md\noak [[note]] [[note#Oak]]"))
    engine.refresh()
    family = families()[name]
    slowest = max(family, key=lambda attack: quick_seconds(note_of(attack, SHORT)))
    for short, long in SIZES:
        assert too_fast(engine, slowest, short, long) == {}, slowest
