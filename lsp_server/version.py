"""The version of the installed package."""


def installed_version() -> str:
    """The version, or "unknown" for a source tree that was never installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 it takes 30 ms and is rarely needed

    try:
        return version("vaultseek")
    except PackageNotFoundError:
        return "unknown"
