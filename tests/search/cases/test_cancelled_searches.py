"""Inputs that broke other products: searches cancelled before, while reading and while waiting for others."""

import threading

import pytest

from search.budget import Budget, Cancelled
from search.engine import Engine
from search.query import Query
from vaults import ask, codes, write


def cancelled_after(n_checks):
    """A budget that is cancelled at its nth check, and the list of its checks."""
    checks = []

    def is_cancelled():
        checks.append(None)
        return len(checks) > n_checks

    return Budget(is_cancelled=is_cancelled), checks


@pytest.mark.parametrize("n_checks", [0, 1, 3, 8])
def test_a_cancelled_search_stops_at_its_next_check(tmp_path, n_checks):
    vault = "".join(f"--- n{n}.md\noak elm\n" for n in range(100))
    engine = Engine(write(tmp_path, vault))
    ask(engine, "oak")
    budget, checks = cancelled_after(n_checks)
    with pytest.raises(Cancelled):
        engine.search(Query(text="oak elm"), budget=budget)
    assert len(checks) == n_checks + 1
    assert len(ask(engine, "oak")) == 30


def test_a_search_cancelled_while_it_reads_loses_no_note(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "".join(f"--- n{n}.md\noak\n" for n in range(20)))
    n_cancelled = 0
    for n_checks in range(100):
        budget, _ = cancelled_after(n_checks)
        try:
            result = engine.search(Query(text="oak"), budget=budget)
            break
        except Cancelled:
            n_cancelled += 1
            clock.now += 1.0
    assert n_cancelled > 5
    assert (len(result.hits), result.is_complete) == (21, True)


def test_a_search_cancelled_while_others_read_stops_waiting(tmp_path):
    vault = "".join(f"--- n{n}.md\noak\n" for n in range(300))
    engine = Engine(write(tmp_path, vault))
    with pytest.raises(Cancelled):
        engine.search(Query(text="oak"), budget=Budget(is_cancelled=lambda: True))
    assert len(ask(engine, "oak", limit=100)) == 100


def test_the_last_of_thirty_searches_is_answered_when_the_others_are_cancelled(tmp_path):
    """Each letter typed cancels the search before it."""
    text = "antidisestablishmentarianismxyz"
    vault = "".join(f"--- n{n}.md\n{text} {n}\n" for n in range(200))
    engine = Engine(write(tmp_path, vault))
    flags = [threading.Event() for _ in range(30)]
    outcomes: dict[int, object] = {}

    def search(n):
        try:
            budget = Budget(is_cancelled=flags[n].is_set)
            outcomes[n] = engine.search(Query(text=text[: n + 1]), budget=budget).total
        except Cancelled:
            outcomes[n] = None

    threads = [threading.Thread(target=search, args=(n,)) for n in range(30)]
    for flag in flags[:-1]:
        flag.set()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {**dict.fromkeys(range(29)), 29: 200}


def test_an_ordinary_search_has_no_notice(tmp_path):
    assert codes(Engine(write(tmp_path, "--- a.md\noak")).search(Query(text="oak"))) == []
