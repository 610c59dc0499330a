"""Emacs with eglot, as Debian ships them, against the real server."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, SERVE

EMACS = shutil.which("emacs")
PACKAGES = Path("/usr/share/emacs/site-lisp/elpa")
SCRIPT = Path(__file__).with_name("eglot.el")


@pytest.fixture(scope="module")
def answers(garden, tmp_path_factory):
    """What the server answered to an eglot that opened a note of the garden."""
    if EMACS is None or not all(any(PACKAGES.glob(f"{name}-*")) for name in ("eglot", "markdown-mode")):
        pytest.skip("Emacs with eglot is missing: apt-get install emacs-nox elpa-eglot elpa-markdown-mode")
    note = garden / "plants/orchid.md"
    environment = {
        **os.environ,
        "HOME": str(tmp_path_factory.mktemp("home")),
        "PYTHONPATH": str(ROOT),
        "VAULTSEEK_PYTHON": sys.executable,
        "VAULTSEEK_SERVE": SERVE,
        "VAULTSEEK_ROOT": str(garden),
        "VAULTSEEK_NOTE": str(note),
    }
    ran = subprocess.run(
        [EMACS, "-Q", "--batch", "-l", str(SCRIPT)], env=environment, capture_output=True, timeout=110, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()[-3000:]
    return json.loads(ran.stdout)


def test_eglot_shows_a_hover(answers, garden):
    text = answers["hover"]["contents"]["value"]
    assert text.startswith(f"**[Watering]({(garden / 'watering.md').as_uri()})**")
    assert "Rain water is best" in text


def test_eglot_finds_symbols(answers):
    assert "Orchid" in [symbol["name"] for symbol in answers["symbols"]]


def test_eglot_goes_to_a_definition(answers, garden):
    (place,) = answers["definition"]
    assert place["uri"] == (garden / "watering.md").as_uri()
    assert place["range"]["start"] == {"line": 0, "character": 0}


def test_eglot_can_send_a_vaultseek_request(answers):
    assert answers["search"]["results"][0]["id"] == "plants/fern.md"


def test_an_unsaved_buffer_of_emacs_is_searched(answers):
    assert answers["unsaved"]["results"][0]["id"] == "plants/orchid.md"
