"""The entry point of the command `vaultseek`."""

import gc
import sys

from lsp_server.cli import main as cli


def main() -> int:
    """Run one command and leave quickly."""
    code = cli.main()
    gc.freeze()  # else Python searches all objects for garbage once more as it ends
    return code


if __name__ == "__main__":
    sys.exit(main())
