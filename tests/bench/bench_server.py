"""How long a language server's answers take, request by request, one at a time and in an editor's traffic.

    python tests/bench/bench_server.py [notes ...]

Over vaults that `generated_vault.py` makes; words alone, so that no model's time is in it. Figures are p50 and p95 in
milliseconds, counted in the client, with JSON both ways.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.generated_vault import write_vault
from kit.traffic import Server, Traffic, quantile, table

N_EACH = 60
N_BURSTS = 15


def alone(server, words):
    """Each kind of request by itself: nothing else runs."""
    traffic = Traffic(server, words)
    kinds = (traffic.search, traffic.hover, traffic.define, traffic.refer, traffic.symbol, traffic.relate)
    for kind in (*kinds, traffic.status, traffic.explain):
        for _ in range(N_EACH):
            kind()
            server.wait_until_few(0)


def burst(server, words):
    """A query alone, and after 29 of its prefixes, with a hover in between."""
    text = " ".join(words[300:304])[:30]
    note = next(server.vault.rglob("*.md")).as_uri()
    for _ in range(N_BURSTS):
        server.wait_for(server.ask("vaultseek/search", {"query": text}, kind="query alone"))
    for _ in range(N_BURSTS):
        for end in range(1, 30):
            server.ask("vaultseek/search", {"query": text[:end]}, kind="prefix")
            if end == 15:
                place = {"textDocument": {"uri": note}, "position": {"line": 4, "character": 2}}
                server.ask("textDocument/hover", place, kind="hover in a burst")
        server.ask("vaultseek/search", {"query": text}, kind="query after 29")
        server.wait_until_few(0)
    first, last = (quantile(server.times[kind], 0.5) for kind in ("query alone", "query after 29"))
    print(f"after 29 prefixes {last / first:.2f} times as long as alone")


def main():
    """A table for each size of vault."""
    for n_notes in [int(argument) for argument in sys.argv[1:]] or [2000, 10_000]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "vault"
            words = write_vault(root, n_notes)
            server = Server(root, enableSemantic=False, patienceS=60)
            server.wait_for(server.ask("vaultseek/search", {"query": words[300]}, kind="first query"), timeout=120)
            print(f"\n{n_notes:,} notes")
            burst(server, words)
            alone(server, words)
            print("\n".join(table(server.times)))
            server.kill()


if __name__ == "__main__":
    main()
