"""The entry point of the command `vaultseek`."""

import sys


def main() -> int:
    """Run the command line; imported late, so that starting costs nothing that is not asked for."""
    from lsp_server.cli import main as run  # noqa: PLC0415

    return run()


if __name__ == "__main__":
    sys.exit(main())
