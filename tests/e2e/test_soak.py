"""Thousands of mixed requests to a real server: each is answered once, memory does not grow, and it ends cleanly.

VAULTSEEK_SOAK sets the number of requests; the first tenth of them only warms the server up.
"""

import os

import psutil
import pytest
from bench.generated_vault import write_vault
from kit.traffic import N_OPEN, Server, Traffic, table

N_REQUESTS = int(os.environ.get("VAULTSEEK_SOAK", "1000"))
N_NOTES = 2000
MAX_GROWTH = 20 * 2**20
KEYWORDS = {"enableSemantic": False}


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    root = tmp_path_factory.mktemp("soak") / "vault"
    return root, write_vault(root, N_NOTES, n_bytes=700)


@pytest.fixture
def start(vault):
    started = []

    def starter():
        started.append(Server(vault[0], **KEYWORDS))
        return started[-1]

    yield starter
    for server in started:
        server.kill()


@pytest.mark.timeout(60 + N_REQUESTS / 20)
def test_every_request_is_answered_once_and_memory_does_not_grow(start, vault, capsys):
    server = start()
    traffic = Traffic(server, vault[1])
    traffic.run(max(300, N_REQUESTS // 10))
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    traffic.run(N_REQUESTS)
    grown = process.memory_info().rss - before
    with capsys.disabled():
        print("", *table(server.times), f"memory {before / 2**20:.0f} + {grown / 2**20:.1f} MB", sep="\n")
    assert set(server.answers.values()) == {1}
    assert server.answers.keys() == server.asked.keys()
    assert server.without_id > 0
    assert -32603 not in server.errors
    assert server.shown == []
    for token, values in server.progress.items():
        if token.startswith("w"):
            kinds = [value["kind"] for value in values]
            assert kinds == ["begin", *["report"] * (len(kinds) - 2), "end"]
            assert "report" in kinds
    assert grown <= MAX_GROWTH
    server.ask("shutdown")
    assert server.leave("exit") == 0


@pytest.mark.parametrize(("messages", "code"), [(("exit",), 1), ((), 1)])
def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(start, vault, messages, code):
    """The client sends exit without shutdown, or closes the pipe, while searches run."""
    server = start()
    traffic = Traffic(server, vault[1])
    for _ in range(N_OPEN):
        traffic.search()
    assert server.leave(*messages) == code
    assert not any(b"Traceback" in line for line in server.said)


def test_in_a_burst_of_searches_only_the_answered_one_runs_to_its_end(start, vault, capsys):
    """Each search replaces the previous one without being cancelled; a hover in between is answered before the last.

    How long it takes is measured in `bench/bench_server.py`.
    """
    server = start()
    text = " ".join(vault[1][300:304])[:30]
    place = {"textDocument": {"uri": "file:///x.md"}, "position": {"line": 0, "character": 0}}
    for _ in range(3):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="alone"))
    for _ in range(7):
        for end in range(1, 30):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="prefix")
            if end == 15:
                hover = server.ask("textDocument/hover", place)
        last = server.ask("vaultseek/search", {"query": text}, kind="last")
        server.wait_for(last)
        assert server.answers[hover] == 1
        server.wait_until_few(0)
    assert server.errors[-32800] >= 7 * 25
    n_answered = sum(len(server.times[kind]) for kind in ("alone", "prefix", "last"))
    server.wait_for(server.ask("vaultseek/status"))
    (status,) = server.result["vaults"]
    assert status["searches"]["count"] == n_answered
    with capsys.disabled():
        print("", *table(server.times), sep="\n")
