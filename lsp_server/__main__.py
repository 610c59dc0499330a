"""The entry point of the command `vaultseek`."""

import sys


def main() -> int:
    """Run the command line; imported here, so that importing this module costs nothing."""
    from lsp_server.cli.main import main as run  # noqa: PLC0415

    return run()


if __name__ == "__main__":
    sys.exit(main())
