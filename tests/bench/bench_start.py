"""Times the first and the second start of the command line over a vault, in one run.

Run: python tests/bench/bench_start.py [VAULT]. Without a vault, over 10,000 generated notes of 2 KB. Prints CPU seconds
of whole processes, the interpreter included: the least of three runs, since other programs only add to it.

- first: no snapshot is read or written
- writing: no snapshot is there, and one is written
- second: the snapshot is read
- changed: the snapshot is read, and 50 changed, 10 new and 10 deleted notes are read; done on a copy of the vault
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from generated_vault import write_vault

from search.cache.folder import snapshot_path

_RUNS = 3


def main(vault: Path | None) -> None:
    """Print the four times and the snapshot's share of the vault's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "vault", Path(folder) / "cache"
        if vault is None:
            write_vault(root, 10_000)
        else:
            shutil.copytree(vault, root)
        firsts = [_cpu_s(root, cache, "--no-snapshot") for _ in range(_RUNS)]
        writing = _cpu_s(root, cache)
        seconds = [_cpu_s(root, cache) for _ in range(_RUNS)]
        n_bytes = sum(path.stat().st_size for path in root.rglob("*.md"))
        share = snapshot_path(cache, root).stat().st_size / n_bytes
        notes = sorted(root.rglob("*.md"))
        for path in notes[::10][:50]:
            path.write_text(path.read_text("utf-8") + "\none more line\n", "utf-8")
        for number in range(10):
            (root / f"new {number}.md").write_text("a new note", "utf-8")
            notes[-1 - number].unlink()
        changed = min(_cpu_s(root, cache) for _ in range(_RUNS))
    first, second = min(firsts), min(seconds)
    print(f"{len(notes):,} notes, {n_bytes / 1e6:.1f} MB; snapshot {share:.0%} of that")
    print(f"first {first:.2f} s, writing {writing:.2f} s, second {second:.2f} s, changed {changed:.2f} s")
    print(f"second / first {second / first:.3f}, changed / first {changed / first:.3f}")


def _cpu_s(root: Path, cache: Path, *options: str) -> float:
    """The CPU seconds of one search."""
    command = [sys.executable, "-m", "lsp_server", "search", "--mode", "keyword", "--vault", str(root), *options, "one"]
    environment = {**os.environ, "VAULTSEEK_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
