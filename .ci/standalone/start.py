"""What the standalone program runs. Alone in its folder, since PyInstaller also looks for modules next to it."""

import sys

from lsp_server.__main__ import main

sys.exit(main())
