"""What this door may see: `--allow` and `--deny` become settings of a vault.

What an option names must exist: a misspelled folder would leave open what the user wanted to close.
"""

from collections.abc import Sequence
from pathlib import Path

from search.errors import ConfigError
from search.vault.settings import VaultSettings


def reach_of(allow: Sequence[str], deny: Sequence[str]) -> VaultSettings:
    """The settings of a vault for folders that are allowed, and for folders and #tags that are denied."""
    denied = (f"#{_tag(name)}" if _is_tag(name) else _folder(name) for name in deny)
    return VaultSettings(allow=tuple(map(_folder, allow)), deny=tuple(denied))


def check_reach(roots: Sequence[Path], allow: Sequence[str], deny: Sequence[str]) -> None:
    """Check that each option names a folder of a vault, or a tag.

    Raises:
        ConfigError: one does not.
    """
    for option, names in (("--allow", allow), ("--deny", deny)):
        for name in names:
            if option == "--deny" and _is_tag(name):
                if not _tag(name):
                    raise ConfigError(option, name, "a tag such as #private")
            elif not any(_is_in(root, name) for root in roots):
                tag = ", or a tag such as #private" if option == "--deny" else ""
                raise ConfigError(option, name, f"a folder of the vault, written from the vault's root{tag}")


def _is_tag(name: str) -> bool:
    return name.startswith("#")


def _tag(name: str) -> str:
    return name.strip("#/ ")


def _folder(name: str) -> str:
    """A pattern for everything in the folder."""
    return f"/{name.strip('/ ')}/"


def _is_in(root: Path, name: str) -> bool:
    parts = name.replace("\\", "/").strip("/ ").split("/")
    return (
        not {"", ".", ".."} & {*parts} and not any(letter in name for letter in "*?") and root.joinpath(*parts).is_dir()
    )
