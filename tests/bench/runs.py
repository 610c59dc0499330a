"""Dated runs of the benchmarks as files, and the comparison of two of them.

Compare: python tests/bench/runs.py OLD.json NEW.json

A run is JSON: the script, the date, the machine (no names of hosts or users), versions, a note, and the figures of each
size or set. A figure's name ends in its unit: `_s`, `_ms`, `_mb`, `_ratio` for a ratio to a peer in the same run, or
`_share` for a measure of ranking, 0..1.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

Figures = Mapping[str, float]
UNITS = ("s", "ms", "mb", "ratio", "share", "ndcg", "notes")
DEPENDENCIES = ("vaultseek", "numpy", "rapidfuzz", "whoosh3")
DEFAULT_SIZES = (1000, 10_000)


def run_sizes(script: str, measure: Callable[[int], Figures], arguments: Sequence[str] | None = None) -> None:
    """Measure each size named on the command line; `--json FILE` also writes the run, with the text of `--note`."""
    parser = argparse.ArgumentParser(description=f"Run {script}.")
    parser.add_argument("sizes", metavar="N", type=int, nargs="*", help="notes; default 1000 and 10000")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the run to FILE")
    parser.add_argument("--note", metavar="TEXT", default="", help="what was special about the machine or the run")
    options = parser.parse_args(arguments)
    figures = {f"{n_notes} notes": measure(n_notes) for n_notes in options.sizes or DEFAULT_SIZES}
    if options.json:
        options.json.write_text(json.dumps(run_of(script, figures, options.note), indent=2) + "\n", encoding="utf-8")


def run_of(script: str, figures: Mapping[str, Figures], note: str) -> dict[str, Any]:
    """A run that ends now, on this machine."""
    return {
        "script": script,
        "date": datetime.now(UTC).date().isoformat(),
        "note": note,
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "memory_gb": round(psutil.virtual_memory().total / 1e9),
            "python": platform.python_version(),
        },
        "versions": {name: version(name) for name in DEPENDENCIES},
        "figures": {size: {name: float(f"{value:.4g}") for name, value in of.items()} for size, of in figures.items()},
    }


def compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """A Markdown table of the figures that both runs have. New divided by old: below 1 is faster or smaller.

    A figure that is itself a ratio to a peer is the one to trust if the machines or their load differ.

    Raises:
        ValueError: the runs are of different scripts.
    """
    if old["script"] != new["script"]:
        raise ValueError(f"runs of different scripts: {old['script']}, {new['script']}")
    lines = ["| size | figure | old | new | new / old |", "| --- | --- | --: | --: | --: |"]
    for size, figures in old["figures"].items():
        for name, before in figures.items():
            after = new["figures"].get(size, {}).get(name)
            if after is not None:
                change = f"{after / before:.2f}" if before else ""
                lines.append(f"| {size} | {name} | {before:g} | {after:g} | {change} |")
    differing = (field for field in ("machine", "versions") if old[field] != new[field])
    lines.extend(f"\nNot the same {field}: compare only figures that end in _ratio." for field in differing)
    return "\n".join(lines)


if __name__ == "__main__":
    print(compared(*(json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])))
