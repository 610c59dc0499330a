"""The entry point of the command `vaultseek`."""

import os
import sys

from search.providers.threads import limit_blas_to_one_thread


def main() -> int:
    """Run the command line; imported late, so that starting costs nothing that is not asked for."""
    limit_blas_to_one_thread(os.environ)
    from lsp_server.cli import main as run  # noqa: PLC0415

    return run()


if __name__ == "__main__":
    sys.exit(main())
