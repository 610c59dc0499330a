"""Where the vectors and the snapshots of a vault are kept: in the user's cache folder, never in the vault."""

import os
import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path


def cache_folder(folder: str) -> Path:
    """The folder that the settings name, or for "" the user's cache folder."""
    from platformdirs import user_cache_path  # noqa: PLC0415 a vault that keeps nothing need not load it

    return Path(folder).expanduser() if folder else user_cache_path("vaultseek", appauthor=False)


def path_in_cache(cache: Path, vault_root: Path) -> Path:
    """The path in `cache` for what is kept of a vault: the same whatever symbolic links lead to the vault.

    Its name starts with the vault's, for people who look into the folder, and ends with a hash of its real path.
    """
    real = vault_root.resolve()
    name = re.sub(r"[^\w-]+", "-", real.name)[:40].strip("-") or "vault"
    return cache / f"{name}-{blake2b(os.fsencode(os.path.normcase(real)), digest_size=8).hexdigest()}"


def snapshot_path(cache: Path, vault_root: Path, withheld: Sequence[str] = ()) -> Path:
    """The file of a vault's snapshot: one for each set of rules in `withheld`, see `VaultSettings.withheld`.

    So a reader who may not see all notes never opens a snapshot that has them, and replaces no one else's snapshot.
    """
    path = path_in_cache(cache, vault_root)
    rules = blake2b(repr(tuple(withheld)).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return path.with_name(f"{path.name}.{rules}.snapshot" if withheld else f"{path.name}.snapshot")


def attachments_folder(snapshot: Path) -> Path:
    """The folder for texts of attachments of the same vault as `snapshot`; one folder, whatever notes are withheld."""
    return snapshot.with_name(f"{snapshot.name.partition('.')[0]}.attachments")


def snapshots_like(snapshot: Path) -> list[Path]:
    """The existing snapshots of the same vault as `snapshot`, and `snapshot` itself."""
    return sorted({snapshot, *snapshot.parent.glob(f"{snapshot.name.partition('.')[0]}.*snapshot")})
