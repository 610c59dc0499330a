"""How long the language server takes to answer, one request at a time and in an editor's traffic.

    python tests/bench/bench_server.py [notes ...]

The vaults come from `generated_vault.py`. Figures are p50 and p95 in milliseconds, measured in the client and including
JSON in both directions, and the server's CPU time for one request of each kind, which other programs do not change.

- cold: requests while a new vault is read for the first time, and the first query
- burst: a query by itself and after 29 of its prefixes, alternately; the limit is 1.5 times as long
- alone: each kind of request by itself, search by words alone
- embedding: the same while the vectors of all notes are computed
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import psutil
from bench.generated_vault import write_vault
from kit.traffic import Server, Traffic, quantile, table

N_EACH = 60
N_BURSTS = 25


def hover(server, note, lines):
    """Point at a note's first link."""
    number = next(number for number, line in enumerate(lines) if "[[" in line)
    place = {"line": number, "character": lines[number].index("[[") + 3}
    server.ask(
        "textDocument/hover", {"textDocument": {"uri": note.as_uri()}, "position": place}, kind="hover on a link"
    )


def cold(server, words):
    """Symbols and hovers in an open note, alternately, until the first query is answered; then related notes."""
    traffic = Traffic(server, words)
    note = traffic.notes[0]
    text = note.read_text(encoding="utf-8")
    item = {"uri": note.as_uri(), "languageId": "markdown", "version": 1, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": item})
    first = server.ask("vaultseek/search", {"query": words[300]}, kind="first query")
    while not server.answers[first]:
        traffic.symbol()
        server.wait_until_few(1)
        hover(server, note, text.split("\n"))
        server.wait_until_few(1)
    traffic.relate()
    server.wait_until_few(0)
    server.tell("textDocument/didClose", {"textDocument": {"uri": note.as_uri()}})


def alone(server, words):
    """Each kind of request by itself, with the server's CPU time for one."""
    traffic, process = Traffic(server, words), psutil.Process(server.process.pid)

    def point():
        note = traffic.source.choice(traffic.notes)
        hover(server, note, note.read_text(encoding="utf-8").split("\n"))

    kinds = (traffic.search, point, traffic.define, traffic.refer, traffic.symbol, traffic.relate)
    computed = {}
    for kind in (*kinds, traffic.status, traffic.explain):
        before = sum(process.cpu_times()[:2])
        for _ in range(N_EACH):
            kind()
            server.wait_until_few(0)
        computed[kind.__name__] = (sum(process.cpu_times()[:2]) - before) * 1000.0 / N_EACH
    print("computed, in ms:", ", ".join(f"{name} {took:.0f}" for name, took in computed.items()))


def burst(server, words):
    """A query by itself, and after 29 of its prefixes with a hover in between."""
    text = " ".join(words[300:304])[:30]
    note = next(server.vault.rglob("*.md")).as_uri()
    place = {"textDocument": {"uri": note}, "position": {"line": 4, "character": 2}}
    for _ in range(N_BURSTS):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="query alone"))
        for end in range(1, 30):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="prefix")
            if end == 15:
                server.ask("textDocument/hover", place, kind="hover in a burst")
        server.ask("vaultseek/search", {"query": text}, kind="query after 29")
        server.wait_until_few(0)
    first, last = (quantile(server.times[kind], 0.5) for kind in ("query alone", "query after 29"))
    print(f"after 29 prefixes {last / first:.2f} times as long as alone")


def embedding(root, words, cache):
    """An editor's requests while the model works in the background."""
    server = Server(root, patienceS=60, indexFolder=cache)
    server.wait_for(server.ask("workspace/symbol", {"query": "a"}, kind="first"))
    update = server.ask("workspace/executeCommand", {"command": "vaultseek.updateIndex"}, kind="index")
    server.wait_for(server.ask("vaultseek/search", {"query": words[300], "options": {"mode": "keyword"}}), timeout=120)
    server.times.clear()
    traffic = Traffic(server, words)
    for kind in (traffic.hover, traffic.define, traffic.symbol, traffic.relate):
        for _ in range(N_EACH // 2):
            kind()
            server.wait_until_few(1)
    is_at_it = not server.answers[update]
    print("\nwhile notes are embedded" + ("" if is_at_it else ", which ended too soon"), *table(server.times), sep="\n")
    server.kill()


def main():
    """A table for each size of vault."""
    for n_notes in [int(argument) for argument in sys.argv[1:]] or [2000, 10_000]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "vault"
            words = write_vault(root, n_notes)
            server = Server(root, enableSemantic=False, patienceS=60)
            print(f"\n{n_notes:,} notes, cold")
            cold(server, words)
            print("\n".join(table(server.times)))
            server.times.clear()
            burst(server, words)
            alone(server, words)
            print("\n".join(table(server.times)))
            server.kill()
            embedding(root, words, str(Path(folder) / "cache"))


if __name__ == "__main__":
    main()
