# ruff: noqa: PLC0415 - what atheris instruments must be imported after it, and it is installed only where it can be
"""Fuzzes each kind of input for some minutes, as `make fuzz` does: `python -m tests.fuzz.by_hand MINUTES [NAME...]`.

Hypothesis builds inputs from pieces of the syntax. Where atheris is installed, it has half of the time: it mutates the
corpus and keeps what reaches new code. An input that breaks a law is written to `build/fuzz/NAME`, as small as it was
found; it belongs into `corpus/NAME` once the law holds again.
"""

import logging
import os
import subprocess
import sys
import time
from contextlib import redirect_stderr
from hashlib import blake2b
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "build" / "fuzz"
PACKAGES = ["search", "expansion", "lsp_server"]
MINUTES = 10.0
BATCH = 200  # examples, after which Hypothesis begins anew with other random numbers


def main(minutes: float, names: list[str]) -> int:
    """Fuzz kinds of input one after the other, each in a process of its own; 1 if one of them broke its law."""
    from tests.fuzz.all_targets import TARGETS

    chosen = names or [target.name for target in TARGETS]
    ways = ["built", "mutated"] if find_spec("atheris") else ["built"]
    seconds = 60 * minutes / len(chosen) / len(ways)
    failed = []
    with TemporaryDirectory(prefix="vaultseek-fuzz-") as folder:
        for name in chosen:
            for way in ways:
                command = [sys.executable, "-m", "tests.fuzz.by_hand", way, name, f"{seconds:.0f}"]
                env = os.environ | {"TMPDIR": folder, "VAULTSEEK_CACHE": folder, "XDG_CONFIG_HOME": folder}
                if subprocess.run(command, cwd=ROOT, env=env, check=False).returncode:
                    failed.append(f"{name} ({way})")
    print(f"broken: {', '.join(failed)}; see {FOUND}" if failed else f"{len(chosen)} kinds of input obey their laws")
    return bool(failed)


def run_built(name: str, seconds: float) -> None:
    """Try inputs that Hypothesis builds."""
    from hypothesis import HealthCheck, given, settings

    logging.disable()  # the server logs what clients do wrong
    target, n_tried, end = _target(name), 0, time.monotonic() + seconds
    while time.monotonic() < end:

        @settings(max_examples=BATCH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(target.inputs)
        def law(data: bytes) -> None:
            nonlocal n_tried
            n_tried += 1
            _hold(target, data)

        law()
    print(f"{name}: {n_tried:,} inputs built", flush=True)


def run_mutated(name: str, seconds: float) -> None:
    """Try inputs that atheris mutates, beginning with the corpus and with those that it kept earlier."""
    import atheris

    logging.disable()

    kept, seeds = FOUND / name / "kept", FOUND / name / "seeds"
    for folder in (kept, seeds):
        folder.mkdir(parents=True, exist_ok=True)
    with redirect_stderr(StringIO()), atheris.instrument_imports(include=PACKAGES):
        target = _target(name)
        for data in target.corpus():  # also those modules are instrumented that are imported when they are needed
            _hold(target, data)
            (seeds / _digest(data)).write_bytes(data)
    words = FOUND / name / "words"
    words.write_text("".join(f'"{_escaped(piece)}"\n' for piece in ("x", *target.pieces) if piece), encoding="ascii")
    options = [f"-max_total_time={seconds:.0f}", f"-dict={words}", "-max_len=4000", "-timeout=60", "-verbosity=0"]
    options += [f"-artifact_prefix={FOUND / name}/", "-print_final_stats=1", "-rss_limit_mb=4000"]
    atheris.Setup([sys.argv[0], *options, str(kept), str(seeds)], lambda data: _hold(target, data))
    atheris.Fuzz()


def _target(name: str):
    from tests.fuzz.all_targets import TARGETS

    return next(target for target in TARGETS if target.name == name)


def _hold(target, data: bytes) -> None:
    try:
        target.hold(data)
    except BaseException:
        (FOUND / target.name).mkdir(parents=True, exist_ok=True)
        (FOUND / target.name / f"broken-{_digest(data)}").write_bytes(data)
        raise


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def _escaped(piece: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece.encode("utf-8", "surrogatepass")[:60])


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    match sys.argv[1:]:
        case ["built", name, seconds]:
            run_built(name, float(seconds))
        case ["mutated", name, seconds]:
            run_mutated(name, float(seconds))
        case [minutes, *names]:
            sys.exit(main(float(minutes), names))
        case _:
            sys.exit(main(MINUTES, []))
