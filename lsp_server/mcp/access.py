"""What an assistant may see: turns `--allow` and `--deny` into settings of a vault.

A folder that an option names must exist: a misspelled one would show notes that the user meant to withhold.
"""

from collections.abc import Sequence
from pathlib import Path

from search.errors import ConfigError, VaultseekError, shorten
from search.vault.settings import VaultSettings


def access_settings(allow: Sequence[str], deny: Sequence[str]) -> VaultSettings:
    """The settings of a vault; `allow` has folders, and `deny` folders and #tags. No `allow` allows all folders."""
    denied = (f"#{_tag(name)}" if _is_tag(name) else _folder(name) for name in deny)
    return VaultSettings(allow=tuple(map(_folder, allow)), deny=tuple(denied))


def check_access(roots: Sequence[Path], allow: Sequence[str], deny: Sequence[str]) -> None:
    """Check that each name is a folder of any of the vaults, or, for `deny`, a tag.

    Raises:
        VaultseekError: a name is neither.
    """
    for option, names in (("--allow", allow), ("--deny", deny)):
        for name in names:
            if option == "--deny" and _is_tag(name):
                if not _tag(name):
                    raise ConfigError(option, name, "a tag such as #private")
            elif not any(_is_in(root, name) for root in roots):
                tag = "; a tag begins with #" if option == "--deny" else ""
                raise VaultseekError(
                    f"{option}: there is no folder {shorten(name)}; write it from the vault's root{tag}"
                )


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
