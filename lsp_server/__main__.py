"""The command `vaultseek`."""

import sys


def main() -> int:
    """Run the command line; what a command needs is imported when it is used."""
    from lsp_server.cli import main as run  # noqa: PLC0415 the language server starts without it

    return run()


if __name__ == "__main__":
    sys.exit(main())
