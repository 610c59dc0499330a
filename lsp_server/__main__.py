"""The entry point of the command `vaultseek`."""

import gc
import os
import sys
import threading

from lsp_server.cli import main as cli


def main() -> int:
    """Run one command and leave quickly."""
    code = cli.main()
    if any(thread.name.startswith("vaultseek") and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # work that no one waits for any more, such as reading a giant note, would hold up the end
    gc.freeze()  # else Python searches all objects for garbage once more as it ends
    return code


if __name__ == "__main__":
    sys.exit(main())
