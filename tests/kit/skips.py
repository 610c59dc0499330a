"""Under CI a skipped test fails, unless its reason is listed here.

CI installs every program and package that tests use, and a skip would hide that one of them is missing.
"""

import os

import pytest

# How an allowed reason begins, and why no installation can remove it.
ALLOWED = {
    "no shared collections": "the judged collections are not part of the project",
    "this file system refuses such names": "a property of the file system",
    "no /dev/full here": "a device of Linux",
    "no named pipes here": "a property of the operating system",
    "no disk can be mounted here": "a container may forbid it; a limit of the size of files is tested everywhere",
    "permissions do not stop this user": "the superuser may write anywhere; a mounted disk stops everyone",
    "Windows has no limit for the size of a file": "a property of the operating system",
    "there is no SIGKILL on Windows": "a property of the operating system",
    "Windows has no modes": "a property of the operating system",
    "names are bytes on Unix only": "a property of the operating system",
    "no standalone program was made": "`make standalone` makes it and tests it",
    "NOT TRACED: strace may not trace here": "a container may forbid tracing",
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _refuse_skip((yield))


def _refuse_skip(report):
    """The report, as a failure if it is a skip that CI does not allow."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        path, line, message = report.longrepr
        reason = message.removeprefix("Skipped: ")
        if not reason.startswith(tuple(ALLOWED)):
            report.outcome = "failed"
            report.longrepr = f"{path}:{line}: CI must install what this test needs, but it was skipped: {reason}"
    return report
