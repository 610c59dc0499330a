"""How the running copy of Vaultseek was installed, and which command updates it.

Installers leave traces: `INSTALLER` and `direct_url.json` (PEP 610) in the package's metadata, a receipt in the
environment. Only these are read; what they do not say is "unknown", never guessed.
"""

import json
import shlex
import site
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

NAME = "vaultseek"
_PIPX, _UV = "pipx_metadata.json", "uv-receipt.toml"  # the receipts in the environments of these tools
CODE = Path(__file__).parents[2]  # the folder that contains the packages


class Installation(NamedTuple):
    """What a user can be told about an installation."""

    text: str
    is_known: bool = True


class Environment(NamedTuple):
    """The Python that runs."""

    executable: str
    prefix: Path
    base_prefix: Path
    is_frozen: bool
    packages: frozenset[Path]  # folders of packages outside the prefix, as Homebrew and users have them
    is_managed: bool  # the system manages its packages (PEP 668), so that pip refuses to without an option

    @property
    def is_virtual(self) -> bool:
        """Whether it is a virtual environment."""
        return self.prefix != self.base_prefix

    @property
    def is_homebrew(self) -> bool:
        """Whether it is Homebrew's Python itself, whose folder is `Cellar/python@3.13/...`."""
        folders = self.prefix.resolve().parts
        names = folders[folders.index("Cellar") + 1 :] if "Cellar" in folders else ()
        return bool(names) and names[0].startswith("python")


class Origin(NamedTuple):
    """What was installed: a package of an index, a folder, a file, or a repository."""

    folder: Path | None = None
    is_editable: bool = False
    is_file: bool = False
    is_repository: bool = False  # its address may hold a password, so it is not kept

    def __str__(self) -> str:
        if self.folder:
            return f" from {'an editable' if self.is_editable else 'a'} folder"
        if self.is_repository:
            return " from a repository"
        return " from a file" if self.is_file else ""


def installation() -> Installation:
    """The installation of the code that runs."""
    try:
        package = distribution(NAME)
    except PackageNotFoundError:
        package = None
    return installation_of(package, running_environment(), CODE)


def command_that_adds(package: str) -> str:
    """The command that adds a package to Vaultseek's Python; "" if it is not known, as in a standalone program."""
    try:
        own = distribution(NAME)
    except PackageNotFoundError:
        return ""
    return command_that_adds_to(own, package, running_environment(), CODE)


def command_that_adds_to(own: Distribution, package: str, python: Environment, code: Path) -> str:
    """The command that adds a package to an installation, where `own` is Vaultseek's package."""
    if python.is_frozen:
        return ""
    if (python.prefix / _PIPX).is_file():
        return f"pipx inject {_quoted(python.prefix.name)} {package}"
    if (python.prefix / _UV).is_file():
        origin = _origin_of(own) or Origin()
        what = f"{'--editable ' if origin.is_editable else ''}{_quoted(str(origin.folder))}" if origin.folder else NAME
        return "" if origin.is_file or origin.is_repository else f"uv tool install --with {package} {what}"
    install = _install_command(own, python, code)
    return f"{install} {package}" if install else ""


def running_environment() -> Environment:
    """The Python that runs this code."""
    return Environment(
        executable=sys.executable,
        prefix=Path(sys.prefix),
        base_prefix=Path(sys.base_prefix),
        is_frozen=bool(getattr(sys, "frozen", False)),
        packages=frozenset(map(Path, (*map(sysconfig.get_path, ("purelib", "platlib")), site.getusersitepackages()))),
        is_managed=Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file(),
    )


def installation_of(package: Distribution | None, python: Environment, code: Path) -> Installation:
    """The installation of a package, where `code` is the folder whose code runs."""
    if python.is_frozen:
        return _standalone(Path(python.executable).parent)
    if package is None:
        return _unknown(f"{code} runs without having been installed")
    origin = _origin_of(package)
    if origin is None:
        return _unknown("direct_url.json of the package cannot be read")
    home = Path(str(package.locate_file("")))
    if home not in python.packages and not home.resolve().is_relative_to(python.prefix.resolve()):
        return _unknown(f"the package is in {home}, outside of {python.prefix}")  # a zipapp, or `pip install --target`
    installed = origin.folder if origin.folder and origin.is_editable else home
    if installed.resolve() != code.resolve():
        return _unknown(f"the code in {code} runs, but {installed} is installed")
    return _by_receipt(python, origin) or _by_installer(package, python, origin, code)


def _standalone(folder: Path) -> Installation:
    """The program in a folder that has its Python; the VS Code extension has that folder next to its own files."""
    if folder.name == "server" and (folder.parent / "package.json").is_file():
        return Installation("as a part of the extension for VS Code; update: update the extension")
    return Installation(f"as a standalone program; update: replace the folder {folder} with a newer one")


def _by_receipt(python: Environment, origin: Origin) -> Installation | None:
    """The installation by a tool that makes an environment for each program."""
    name = python.prefix.name  # of the environment; a suffix of pipx is part of it
    if (python.prefix / _PIPX).is_file():
        if origin.is_file:
            return _told("pipx", origin, "`pipx install --force` with the newer file")
        command = "reinstall" if origin.is_repository else "upgrade"
        return _told("pipx", origin, f"`pipx {command} {_quoted(name)}`")
    if (python.prefix / _UV).is_file():
        if origin.is_file:
            return _told("uv tool", origin, "`uv tool install --force` with the newer file")
        return _told("uv tool", origin, f"`uv tool upgrade {_quoted(name)}`")
    return None


def _by_installer(package: Distribution, python: Environment, origin: Origin, code: Path) -> Installation:
    """The installation by a tool that installs into any environment."""
    words = (package.read_text("INSTALLER") or "").split()
    if not words:
        return _unknown(f"the package in {code} does not name its installer")
    kind = "Homebrew's Python" if python.is_homebrew else "the virtual environment" if python.is_virtual else "Python"
    where = f"{words[0]} in {kind} {python.prefix}"
    install = _install_command(package, python, code)
    if not install:
        return Installation(f"by {where}{origin}; update: unknown", is_known=False)
    if origin.folder:
        option = " --editable" if origin.is_editable else ""
        return _told(where, origin, f"`{install}{option} {_quoted(str(origin.folder))}`")
    if origin.is_repository:
        return _told(where, origin, f"`{install} --force-reinstall` with the repository's address")
    if origin.is_file:
        return _told(where, origin, f"`{install}` with the newer file")
    return _told(where, origin, f"`{install} --upgrade {NAME}`")


def _install_command(package: Distribution, python: Environment, code: Path) -> str:
    """The command that installs more packages with the tool that installed this one; "" for an unknown tool."""
    tool = next(iter((package.read_text("INSTALLER") or "").split()), "")
    executable = _quoted(python.executable)
    install = {"pip": f"{executable} -m pip install", "uv": f"uv pip install --python {executable}"}.get(tool, "")
    if tool == "pip" and code == Path(site.getusersitepackages()):
        install += " --user"
    if install and python.is_managed and not python.is_virtual:
        install += " --break-system-packages"
    return install


def _told(installer: str, origin: Origin, command: str) -> Installation:
    """A clone is brought up to date first."""
    pull = ""
    if origin.folder and (origin.folder / ".git").exists():
        pull = f"`git pull` in {origin.folder}, then "
    elif origin.folder:
        pull = f"put the newer files into {origin.folder}, then "
    return Installation(f"by {installer}{origin}; update: {pull}{command}")


def _quoted(word: str) -> str:
    """A word of a command for the shell of this system."""
    return subprocess.list2cmdline([word]) if sys.platform == "win32" else shlex.quote(word)


def _unknown(why: str) -> Installation:
    return Installation(f"unknown: {why}", is_known=False)


def _origin_of(package: Distribution) -> Origin | None:
    """What `direct_url.json` says, or None if it cannot be understood; a package of an index has none."""
    text = package.read_text("direct_url.json")
    if text is None:
        return Origin()
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, Mapping) or not isinstance(url := record.get("url"), str):
        return None
    if isinstance(folder := record.get("dir_info"), Mapping):
        parts = urlsplit(url)
        # the path of a Windows drive has a form of its own, which url2pathname knows
        path = url2pathname(parts.path) if sys.platform == "win32" else unquote(parts.path)
        return Origin(folder=Path(path), is_editable=folder.get("editable") is True) if parts.scheme == "file" else None
    if "vcs_info" in record:
        return Origin(is_repository=True)
    return Origin(is_file=True) if "archive_info" in record else None
