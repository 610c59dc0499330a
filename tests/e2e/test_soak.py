"""Thousands of mixed requests to a real server: each is answered once, memory stays, and every way out is clean.

VAULTSEEK_SOAK says how many requests; a tenth of them only warm the server up.
"""

import os

import psutil
import pytest
from bench.generated_vault import write_vault
from kit.traffic import N_OPEN, Server, Traffic, quantile, table

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
def test_every_request_is_answered_once_and_memory_stays(start, vault, capsys):
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
    """With exit but without shutdown, and by closing the pipe, while searches run."""
    server = start()
    traffic = Traffic(server, vault[1])
    for _ in range(N_OPEN):
        traffic.search()
    assert server.leave(*messages) == code
    assert not any(b"Traceback" in line for line in server.said)


def test_the_last_of_a_burst_of_prefixes_is_answered_as_fast_as_alone(start, vault, capsys):
    """29 of 30 are cancelled by the next one, nobody asked for it; a hover in between is answered too."""
    server = start()
    word = max(vault[1][200:2000], key=len)
    text = f"{word} {vault[1][300]} {vault[1][301]} {vault[1][302]}"[:30]
    for _ in range(3):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="warm"))
    for _ in range(7):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="alone"))
        first = server.last_id + 1
        for end in range(1, 15):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="other")
        hover = server.ask(
            "textDocument/hover", {"textDocument": {"uri": "file:///x.md"}, "position": {"line": 0, "character": 0}}
        )
        for end in range(15, 30):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="other")
        last = server.ask("vaultseek/search", {"query": text}, kind="prefix")
        server.wait_for(last)
        server.wait_until_few(0)
        assert last - first == 30
        assert server.answers[hover] == 1
    assert server.errors[-32800] >= 7 * 25
    alone, last = (quantile(server.times[kind], 0.5) for kind in ("alone", "prefix"))
    with capsys.disabled():
        print(f"\nalone {alone:.1f} ms, after 29 prefixes {last:.1f} ms: {last / alone:.2f} times")
    # 1.5 times is the aim; what the machine does besides, and 30 messages to read, come on top in a test.
    assert last < 1.5 * alone + 50.0
