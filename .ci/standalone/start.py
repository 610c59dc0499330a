# ruff: noqa: INP001  PyInstaller looks for modules next to it too, so it is alone in its folder
"""What the standalone program runs: the command line, or the child process that parses attachments."""

import sys

from search.vault.attachments.frames import ARGUMENT

if sys.argv[1:] == [ARGUMENT]:  # before anything else is imported, which the child process has no use for
    from search.vault.attachments.worker import main as parse

    sys.exit(parse())

from lsp_server.__main__ import main

sys.exit(main())
