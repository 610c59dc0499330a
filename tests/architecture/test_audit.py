"""`make audit` fails because of known problems, and only because of them."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UNKNOWN = "some  Dependency not found on PyPI and could not be audited: {} (1.0)"
OFFLINE = "Failed to establish a new connection"


def program(folder, name, output, code):
    path = folder / name
    path.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then exit 0; fi\necho "{output}" >&2\nexit {code}\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("of_python", "of_npm", "code", "says"),
    [
        (("No known vulnerabilities found", 0), ("found 0 vulnerabilities", 0), 0, ["pip-audit: no known problems"]),
        (
            (OFFLINE, 1),
            ("npm error audit endpoint returned an error", 1),
            0,
            [
                f"pip-audit: NOT CHECKED, it gave no answer: {OFFLINE}",
                "npm audit of one: NOT CHECKED, it gave no answer: npm error",
                "npm audit of two: NOT CHECKED",
            ],
        ),
        (
            (f"No known vulnerabilities found\n{UNKNOWN.format('attrs')}\n{UNKNOWN.format('numpy')}", 0),
            ("found 0 vulnerabilities", 0),
            0,
            [
                "pip-audit: no known problems, but 2 packages were NOT CHECKED: Dependency not found on PyPI",
                "npm audit of two: no known problems",
            ],
        ),
        (("Found 2 known vulnerabilities in 1 package", 1), (OFFLINE, 1), 1, ["Found 2", "pip-audit: there are known"]),
        (
            (OFFLINE, 1),
            ("3 high severity vulnerabilities", 1),
            1,
            ["3 high", "npm audit of two: there are known problems"],
        ),
    ],
)
def test_an_audit_fails_because_of_problems_and_not_because_of_an_outage(tmp_path, of_python, of_npm, code, says):
    pip_audit, _ = program(tmp_path, "pip-audit", *of_python), program(tmp_path, "npm", *of_npm)
    ran = subprocess.run(
        [ROOT / ".ci/audit", pip_audit, pip_audit, "one", "two"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code
    for part in says:
        assert part in ran.stdout


def test_without_the_program_the_audit_is_skipped(tmp_path):
    npm = program(tmp_path, "npm", "found 0 vulnerabilities", 0)
    ran = subprocess.run(
        [ROOT / ".ci/audit", tmp_path / "missing", npm, "."],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "pip-audit: NOT CHECKED" in ran.stdout) == (0, True)
