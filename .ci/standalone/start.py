# ruff: noqa: INP001  PyInstaller looks for modules next to it too, so it is alone in its folder
"""What the standalone program runs."""

import sys

from lsp_server.__main__ import main

sys.exit(main())
