# ruff: noqa: INP001, S603, T201  a script of one folder, which starts Pythons and says what it found
"""Install the built wheel in an empty environment of each supported Python that this machine has, and run a query.

Pythons are those on the PATH and those of pyenv; a version that is not here, or without `venv`, is skipped and named.
Usage: try_wheels.py WHEEL VAULT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
QUERY = "limit switch ice"


def supported() -> list[str]:
    """The versions in the project's classifiers, as `3.11`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [found[1] for each in project["classifiers"] if (found := CLASSIFIER.fullmatch(each))]


def python_of(version: str) -> str | None:
    """A Python of this version that can make environments."""
    on_path = shutil.which(f"python{version}")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [*([on_path] if on_path else []), *map(str, sorted(versions.glob(f"{version}.*/bin/python")))]
    for python in candidates:
        ran = subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True, check=False)
        if ran.returncode == 0:
            return python
    return None


def answer(python: str, wheel: Path, vault: Path) -> str:
    """What the wheel, installed on its own, prints for a query."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        scripts = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        pip = [str(scripts / "python"), "-m", "pip"]
        install = [*pip, "install", "--quiet", "--disable-pip-version-check", str(wheel)]
        subprocess.run(install, check=True)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        search = [str(scripts / "vaultseek"), "search", QUERY, "--vault", str(vault), "--limit", "1"]
        environment["VAULTSEEK_CACHE"] = str(Path(folder) / "cache")
        return subprocess.check_output(search, cwd=folder, env=environment, text=True)


def main(wheel: str, vault: str) -> None:
    """Try each version; fails if one gives no answer or if there is none at all."""
    n_tried = 0
    for version in supported():
        python = python_of(version)
        if python is None:
            print(f"Python {version}: not here, or without venv")
            continue
        if not answer(python, Path(wheel).resolve(), Path(vault).resolve()).strip():
            sys.exit(f"Python {version}: no answer")
        print(f"Python {version}: the wheel answers a query")
        n_tried += 1
    if n_tried == 0:
        sys.exit("There is no supported Python with venv.")


if __name__ == "__main__":
    main(*sys.argv[1:])
