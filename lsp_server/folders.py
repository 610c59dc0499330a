"""Which folders may be read at all.

A folder is searched when one of these holds:

- it holds an `.obsidian` folder: a vault, wherever it lies;
- the user named it in `vaultseek.vaults`;
- the editor opened it as a workspace folder, it is neither the file system's root nor the home folder nor one that
  contains the home folder, and Markdown lies in it or in one of its direct sub-folders. People open plain folders of
  notes and expect them to be searched; nobody who opens an editor in `~` means all that they own.

A workspace folder inside a vault stands for that vault, as in Obsidian: its notes link to all the others by name, so
that a part of it alone would have dead links and miss half of what is related.

The look itself is bounded. Nothing here reads a note.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MARKER = ".obsidian"
MARKDOWN = (".md", ".markdown")
_DEPTH = 3  # levels below a folder where its vault is looked for
N_LOOKED_AT = 2000  # directory entries; a folder of notes shows one long before


def vault_around(folder: Path) -> Path:
    """The vault that a folder lies in: the nearest with a marker, itself or above it; the folder where there is none.

    Not one of which the folder is a hidden part, which its vault does not have; and not the home folder or one that
    contains it, unless it is the folder itself: a marker there says nothing of a project further down.
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
    """Why `folder` is not searched, as a clause for a person; empty when it may be.

    Never raises: what cannot be looked at is refused.
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
        return f"it is or contains the home folder; give it an {MARKER} folder or name it in vaultseek.vaults"
    if not any(_is_markdown(name) for name in islice(_names(folder), N_LOOKED_AT)):
        vault = _vault_below(folder)
        if vault is not None:
            below = vault.relative_to(folder).as_posix()
            return f"the vault lies below it, in {below}; open that folder, or name it in vaultseek.vaults"
        return f"it holds no Markdown, nor do its folders; give it an {MARKER} folder or name it in vaultseek.vaults"
    return ""


def _vault_below(folder: Path) -> Path | None:
    """The nearest vault at most three levels below, by name; looks at no more entries than `_missing_consent`."""
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
    try:
        with os.scandir(folder) as entries:
            yield from (
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return


def _holds_home(folder: Path) -> bool:
    real = folder.resolve()
    if real == Path(real.anchor):
        return True
    try:
        return Path.home().resolve().is_relative_to(real)
    except RuntimeError:  # no home folder is known, so none can be protected
        return False


def _names(folder: Path) -> Iterator[str]:
    """Names of files in the folder, then in its direct sub-folders that are not hidden."""
    subfolders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                subfolders.append(entry)
            yield entry.name
    for subfolder in subfolders:
        if not subfolder.name.startswith("."):
            try:
                yield from os.listdir(subfolder)  # noqa: PTH208 names alone are wanted
            except OSError:
                continue


def _is_markdown(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(MARKDOWN)
