"""Where a vault's vectors and snapshot are kept: in the user's cache folder, never in the vault."""

import os
import re
from hashlib import blake2b
from pathlib import Path


def cache_folder(folder: str) -> Path:
    """The folder that the settings name, or for "" the user's cache folder."""
    from platformdirs import user_cache_path  # noqa: PLC0415 a vault that keeps nothing need not load it

    return Path(folder).expanduser() if folder else user_cache_path("vaultseek", appauthor=False)


def path_in_cache(cache: Path, vault_root: Path) -> Path:
    """The path for what belongs to a vault: one for each real path, whatever symbolic links lead to it.

    Its name starts with the vault's, for people who look, and ends with a hash of the path.
    """
    real = vault_root.resolve()
    name = re.sub(r"[^\w-]+", "-", real.name)[:40].strip("-") or "vault"
    return cache / f"{name}-{blake2b(os.fsencode(os.path.normcase(real)), digest_size=8).hexdigest()}"


def snapshot_path(cache: Path, vault_root: Path) -> Path:
    """The file of a vault's snapshot."""
    path = path_in_cache(cache, vault_root)
    return path.with_name(f"{path.name}.snapshot")
