"""The entry point of the command `vaultseek`."""

import sys

from lsp_server.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
