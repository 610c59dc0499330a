"""Which folders may be searched, and which vault a folder belongs to.

A folder is searched if one of these is true:

- It contains an `.obsidian` folder, which makes it a vault wherever it is.
- The user named it in `vaultseek.vaults`.
- The editor opened it as a workspace folder, it or one of its direct subfolders contains Markdown, and it is neither
  the file system's root nor the home folder nor a parent of the home folder. People open plain folders of notes and
  expect them to be searched; but an editor opened in `~` is no request to search everything a user owns.

A workspace folder inside a vault stands for the whole vault, as in Obsidian: notes link to each other by name, so a
part of a vault would have dead links and miss many related notes.

The number of directory entries looked at is bounded. Nothing here reads a note.
"""

import contextlib
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from search.ids import MARKDOWN_EXTENSIONS

MARKER = ".obsidian"
_DEPTH = 3  # how many levels below a folder to look for a vault
N_LOOKED_AT = 2000  # directory entries; a folder of notes shows a note long before


def vault_around(folder: Path) -> Path:
    """The vault that a folder lies in: the folder itself or the nearest parent with a marker; without one, the folder.

    A hidden folder is not part of the vault around it. The home folder and its parents count only if they are `folder`
    itself: a marker there says nothing about a project further down.
    """
    for above in (folder, *folder.parents):
        if above != folder and _holds_home(above):
            break
        if (above / MARKER).is_dir():
            return above
        if above.name.startswith("."):
            break
    return folder


def refusal(folder: Path, *, is_consented: bool) -> str:
    """Why `folder` is not searched, as a clause for a person; empty when it may be searched.

    Never raises: a folder that cannot be inspected is refused.
    """
    try:
        return _obstacle(folder) or _missing_consent(folder, is_consented=is_consented)
    except OSError as error:
        return f"it cannot be read: {error.strerror or type(error).__name__}"


def _obstacle(folder: Path) -> str:
    if not folder.exists():
        return "the folder does not exist"
    if not folder.is_dir():
        return "it is a file, not a folder"
    os.scandir(folder).close()
    return ""


def _missing_consent(folder: Path, *, is_consented: bool) -> str:
    if is_consented or (folder / MARKER).is_dir():
        return ""
    if _holds_home(folder):
        return f"it is or contains your home folder; create an {MARKER} folder in it or add it to vaultseek.vaults"
    if not any(_is_markdown(name) for name in islice(_names(folder), N_LOOKED_AT)):
        vault = _vault_below(folder)
        if vault is not None:
            below = vault.relative_to(folder).as_posix()
            return f"the vault is in its subfolder {below}; open that folder or add it to vaultseek.vaults"
        return (
            f"neither it nor its direct subfolders contain Markdown; "
            f"create an {MARKER} folder in it or add it to vaultseek.vaults"
        )
    return ""


def _vault_below(folder: Path) -> Path | None:
    """The nearest vault at most three levels below, the first by name; looks at `N_LOOKED_AT` entries at most."""
    level, n_left = [folder], N_LOOKED_AT
    for _ in range(_DEPTH):
        inner: list[Path] = []
        for parent in level:
            names = sorted(islice(_subfolders(parent), n_left))
            n_left -= len(names)
            inner += [parent / name for name in names]
        found = next((path for path in inner if (path / MARKER).is_dir()), None)
        if found is not None:
            return found
        level = inner
    return None


def _subfolders(folder: Path) -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        yield from (
            entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
        )


def _holds_home(folder: Path) -> bool:
    real = folder.resolve()
    if real == Path(real.anchor):
        return True
    try:
        return Path.home().resolve().is_relative_to(real)
    except RuntimeError:  # the home folder is unknown, so it cannot be protected
        return False


def _names(folder: Path) -> Iterator[str]:
    """The names in the folder, then those in its direct subfolders that are not hidden."""
    with os.scandir(folder) as entries:
        yield from (entry.name for entry in entries)
    for name in _subfolders(folder):
        with contextlib.suppress(OSError):
            yield from os.listdir(folder / name)  # noqa: PTH208 names alone are wanted


def _is_markdown(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(MARKDOWN_EXTENSIONS)
