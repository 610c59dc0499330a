# ruff: noqa: INP001, S603, S607  a script of one folder, which starts the installed Kate
"""Starts a real Kate with the configuration in docs/editors.md, and checks that it starts the server for a note.

    python .ci/try_kate.py PATH/TO/vaultseek

Kate needs no screen for this. It runs in a home of its own, where the question that it asks a user once, whether it may
start the server, is already answered.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/editors.md"
LIMIT_S = 60
NOTES = {".obsidian/app.json": "{}", "Orchid.md": "# Orchid\n\nSee [[Watering]].\n", "Watering.md": "# Watering\n"}


def main(program: Path) -> str:
    """What went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as name:
        home, vault = Path(name, "home"), Path(name, "vault")
        write(vault, NOTES)
        recorder = Path(name, "vaultseek")
        recorder.write_text(f"#!/bin/sh\ntee '{name}/asked' | '{program}' \"$@\" | tee '{name}/answered'\n")
        recorder.chmod(0o755)
        configuration = re.search(
            r"^## Kate\n.*?```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        if configuration is None:
            return f"{PAGE} has no configuration for Kate"
        write(
            home / ".config",
            {
                "kate/lspclient/settings.json": configuration[1].replace('"vaultseek"', json.dumps(str(recorder))),
                "katerc": "[Kate Plugins]\nlspclientplugin=true\n"
                f"[lspclient]\nAllowedServerCommandLines={recorder} serve\n",
            },
        )
        run = home / "run"
        run.mkdir(mode=0o700)
        places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_RUNTIME_DIR": str(run)}
        kate = subprocess.Popen(
            ["kate", "--new", "--startanon", vault / "Orchid.md"],
            env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen", "VAULTSEEK_CACHE": f"{name}/cache"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return wait_for(Path(name, "asked"), ['"textDocument/didOpen"', vault.as_uri(), "Orchid.md"]) or wait_for(
                Path(name, "answered"), ['"serverInfo": {"name": "vaultseek"']
            )
        finally:
            kate.terminate()
            kate.wait()


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def wait_for(file: Path, parts: list[str]) -> str:
    """The parts that a file still lacks after a while, in words; nothing if it has them all."""
    end = time.monotonic() + LIMIT_S
    missing = parts
    while missing and time.monotonic() < end:
        time.sleep(0.2)
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        missing = [part for part in parts if part not in text]
    return f"not {file.name}: {', '.join(missing)}" if missing else ""


if __name__ == "__main__":
    trouble = main(Path(sys.argv[1]).absolute())
    sys.stderr.write(f"{trouble or 'Kate started the server, opened the note and got an answer.'}\n")
    sys.exit(bool(trouble))
