"""Work of which only the latest counts."""

import logging
from threading import Event

from lsp_server.latest_work import LatestWork


class Gate:
    """Work that waits until it may go on."""

    def __init__(self):
        self.has_begun, self.may_go_on = Event(), Event()

    def __call__(self):  # noqa: D102
        self.has_begun.set()
        self.may_go_on.wait()


def test_newer_work_replaces_older_that_waits():
    work, gate, done = LatestWork(), Gate(), []
    work.put("a", gate)
    gate.has_begun.wait()
    for number in range(3):
        work.put("a", lambda number=number: done.append(number))
    work.put("b", lambda: done.append("b"))
    gate.may_go_on.set()
    work.wait()
    assert done == [2, "b"]


def test_dropped_work_is_not_done_and_delays_no_one():
    work, gate, done = LatestWork(), Gate(), []
    work.put("a", gate)
    gate.has_begun.wait()
    work.put("b", lambda: done.append("b"))
    work.drop("b")
    work.drop("c")
    gate.may_go_on.set()
    work.wait()
    assert done == []


def test_work_is_known_by_its_name_until_it_has_ended():
    work, gate = LatestWork(), Gate()
    work.put("a", gate)
    gate.has_begun.wait()
    work.put("b", lambda: None)
    assert [work.has(name) for name in "abc"] == [True, True, False]
    gate.may_go_on.set()
    work.wait()
    work.put("c", lambda: None)  # in the same thread or a new one
    work.wait()


def test_a_failure_is_logged_and_ends_no_other_work(caplog):
    work, done = LatestWork(), []

    def fail():
        raise ValueError("oak")

    with caplog.at_level(logging.ERROR):
        work.put("a", fail)
        work.put("b", lambda: done.append("b"))
        work.wait()
    assert (done, "a failed" in caplog.text) == (["b"], True)
