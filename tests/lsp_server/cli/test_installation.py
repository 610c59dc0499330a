"""What `vaultseek doctor` says about the installation, for the traces that each installer leaves."""

import json
import subprocess
import sys
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from lsp_server.cli import installation as module
from lsp_server.cli.installation import (
    Environment,
    command_that_adds_to,
    installation,
    installation_of,
    running_environment,
)

WHEEL = {"url": "file:///w/vaultseek-0.1.0-py3-none-any.whl", "archive_info": {}}
REPOSITORY = {"url": "https://me:secret@example.org/v.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}


def folder(path, *, editable=False):
    return {"url": path.as_uri(), "dir_info": {"editable": True} if editable else {}}


@pytest.fixture
def told(tmp_path):
    """Say how a package was installed whose metadata and environment hold the given traces."""

    def found(*, installer="pip", direct_url=None, code=None, prefix="env", base="usr", receipt=None, **python):
        environment = tmp_path / prefix
        metadata = environment / "lib/vaultseek-0.1.0.dist-info"
        metadata.mkdir(parents=True)
        if installer is not None:
            (metadata / "INSTALLER").write_text(installer)
        if direct_url is not None:
            (metadata / "direct_url.json").write_text(
                direct_url if isinstance(direct_url, str) else json.dumps(direct_url)
            )
        if receipt:
            (environment / receipt).write_text("")
        facts = {"is_frozen": False, "is_managed": False, "executable": "/bin/python", "packages": (), **python}
        return (
            PathDistribution(metadata),
            Environment(prefix=environment, base_prefix=tmp_path / base, **facts),
            code or environment / "lib",
        )

    def tell(**traces):
        return installation_of(*found(**traces))

    def adding(package, **traces):
        own, *others = found(**traces)
        return command_that_adds_to(own, package, *others)

    tell.adding = adding
    return tell


@pytest.mark.parametrize(
    ("receipt", "direct_url", "text"),
    [
        ("pipx_metadata.json", None, "by pipx; update: `pipx upgrade vaultseek-dev`"),
        ("pipx_metadata.json", WHEEL, "by pipx from a file; update: `pipx install --force` with the newer file"),
        ("pipx_metadata.json", REPOSITORY, "by pipx from a repository; update: `pipx reinstall vaultseek-dev`"),
        ("uv-receipt.toml", None, "by uv tool; update: `uv tool upgrade vaultseek-dev`"),
        ("uv-receipt.toml", WHEEL, "by uv tool from a file; update: `uv tool install --force` with the newer file"),
        ("uv-receipt.toml", REPOSITORY, "by uv tool from a repository; update: `uv tool upgrade vaultseek-dev`"),
    ],
)
def test_a_tool_for_programs_is_known_by_its_receipt_and_the_environment_s_name(told, receipt, direct_url, text):
    """Both tools install with pip or uv, which say nothing about them."""
    assert told(prefix="vaultseek-dev", receipt=receipt, direct_url=direct_url) == (text, True)


@pytest.mark.parametrize(
    ("traces", "text"),
    [
        ({}, "by pip in the virtual environment {env}; update: `/bin/python -m pip install --upgrade vaultseek`"),
        (
            {"installer": "uv\n", "executable": "/a b/py"},
            "by uv in the virtual environment {env}; update: `uv pip install --python '/a b/py' --upgrade vaultseek`",
        ),
        (
            {"direct_url": WHEEL},
            (
                "by pip in the virtual environment {env} from a file; update: "
                "`/bin/python -m pip install` with the newer file"
            ),
        ),
        (
            {"direct_url": REPOSITORY},
            (
                "by pip in the virtual environment {env} from a repository; update: "
                "`/bin/python -m pip install --force-reinstall` with the repository's address"
            ),
        ),
        ({"base": "env"}, "by pip in Python {env}; update: `/bin/python -m pip install --upgrade vaultseek`"),
        (
            {"base": "env", "is_managed": True},
            "by pip in Python {env}; update: `/bin/python -m pip install --break-system-packages --upgrade vaultseek`",
        ),
        (
            {"is_managed": True},
            "by pip in the virtual environment {env}; update: `/bin/python -m pip install --upgrade vaultseek`",
        ),
        (
            {"prefix": "Cellar/python@3.13/3.13.1", "base": "Cellar/python@3.13/3.13.1", "is_managed": True},
            (
                "by pip in Homebrew's Python {env}; update: "
                "`/bin/python -m pip install --break-system-packages --upgrade vaultseek`"
            ),
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="commands are quoted for a POSIX shell")
def test_pip_and_uv_are_known_by_their_name_in_the_metadata(told, tmp_path, traces, text):
    environment = tmp_path / traces.get("prefix", "env")
    assert told(**traces) == (text.format(env=environment), True)


@pytest.mark.skipif(sys.platform == "win32", reason="commands are quoted for a POSIX shell")
def test_a_clone_is_pulled_before_it_is_installed_again(told, tmp_path):
    clone = tmp_path / "my vault seek"
    (clone / ".git").mkdir(parents=True)
    env = f"by pip in the virtual environment {tmp_path / 'env'} from an editable folder"
    command = f"`git pull` in {clone}, then `/bin/python -m pip install --editable '{clone}'`"
    assert told(direct_url=folder(clone, editable=True), code=clone) == (f"{env}; update: {command}", True)


@pytest.mark.parametrize("receipt", ["pipx_metadata.json", "uv-receipt.toml"])
def test_a_folder_that_is_no_clone_is_not_pulled(told, tmp_path, receipt):
    text = told(direct_url=folder(tmp_path), receipt=receipt).text
    assert f"from a folder; update: put the newer files into {tmp_path}, then `" in text
    assert text.endswith(" upgrade env`")


@pytest.mark.skipif(sys.platform == "win32", reason="commands are quoted for a POSIX shell")
def test_a_package_of_one_user_is_updated_for_that_user(told, tmp_path, monkeypatch):
    monkeypatch.setattr("site.getusersitepackages", lambda: str(tmp_path / "env/lib"))
    assert "`/bin/python -m pip install --user --upgrade vaultseek`" in told(base="env").text


def test_a_standalone_program_is_replaced_with_its_folder(told):
    text = f"as a standalone program; update: replace the folder {Path('/opt/vaultseek')} with a newer one"
    assert told(is_frozen=True, executable="/opt/vaultseek/vaultseek") == (text, True)


def test_the_program_of_the_extension_is_updated_with_it(told, tmp_path):
    program = tmp_path / "server/vaultseek"
    assert "standalone" in told(is_frozen=True, executable=str(program), prefix="other").text
    (tmp_path / "package.json").touch()
    text = "as a part of the extension for VS Code; update: update the extension"
    assert told(is_frozen=True, executable=str(program)) == (text, True)


@pytest.mark.parametrize(
    ("traces", "part"),
    [
        ({"installer": "poetry 2.1"}, "by poetry in the virtual environment"),
        ({"installer": None}, "does not name its installer"),
        ({"installer": " \n"}, "does not name its installer"),
        ({"direct_url": "{"}, "direct_url.json of the package cannot be read"),
        ({"direct_url": "[]"}, "direct_url.json of the package cannot be read"),
        ({"direct_url": {"url": 3, "dir_info": {}}}, "direct_url.json of the package cannot be read"),
        ({"direct_url": {"url": "file:///x"}}, "direct_url.json of the package cannot be read"),
        ({"direct_url": {"url": "https://x/y", "dir_info": {}}}, "direct_url.json of the package cannot be read"),
        ({"code": Path("/elsewhere")}, " runs, but "),
        ({"code": Path("/elsewhere"), "receipt": "pipx_metadata.json"}, " runs, but "),
    ],
)
def test_what_the_traces_do_not_say_is_unknown(told, traces, part):
    found = told(**traces)
    assert (found.is_known, part in found.text, "unknown" in found.text) == (False, True, True)


def test_sources_that_were_never_installed_are_unknown(monkeypatch):
    def missing(name):
        raise module.PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", missing)
    assert installation() == (f"unknown: {module.CODE} runs without having been installed", False)


def test_no_password_of_an_address_is_shown(told):
    for number, receipt in enumerate([None, "pipx_metadata.json", "uv-receipt.toml"]):
        assert "secret" not in told(prefix=f"env{number}", direct_url=REPOSITORY, receipt=receipt).text


@pytest.mark.parametrize(
    ("traces", "command"),
    [
        ({"receipt": "pipx_metadata.json"}, "pipx inject env pypdfium2"),
        ({"receipt": "uv-receipt.toml"}, "uv tool install --with pypdfium2 vaultseek"),
        ({"receipt": "uv-receipt.toml", "direct_url": WHEEL}, ""),
        ({}, "/bin/python -m pip install pypdfium2"),
        ({"installer": "uv"}, "uv pip install --python /bin/python pypdfium2"),
        ({"installer": "conda"}, ""),
        (
            {"is_managed": True, "prefix": "usr"},
            "/bin/python -m pip install --break-system-packages pypdfium2",
        ),
        ({"is_frozen": True}, ""),
    ],
)
def test_the_command_that_adds_a_package_is_that_of_the_installer(told, traces, command):
    assert told.adding("pypdfium2", **traces) == command


@pytest.mark.slow
def test_a_real_pip_leaves_these_traces(tmp_path):
    """A project of the same name, so that nothing large is installed."""
    project, target = tmp_path / "project", tmp_path / "env"
    (project / "lsp_server").mkdir(parents=True)
    (project / "lsp_server/__init__.py").touch()
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "vaultseek"\nversion = "9"\n'
        '[tool.hatch.build.targets.wheel]\npackages = ["lsp_server"]\n'
    )
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", target, project], check=True)
    (package,) = Distribution.discover(name="vaultseek", path=[str(target)])
    assert "outside of " in installation_of(package, running_environment(), target).text
    found = installation_of(package, running_environment()._replace(prefix=target), target)
    assert found.is_known
    assert found.text.startswith("by pip in ")
    assert f" from a folder; update: put the newer files into {project}, then " in found.text


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_package_outside_the_environment_is_known_only_in_a_folder_of_packages(tmp_path, is_listed):
    """A zipapp brings packages that pip installed elsewhere; Homebrew has its packages outside the prefix."""
    metadata = tmp_path / "lib/vaultseek-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "INSTALLER").write_text("pip")
    prefix, packages = tmp_path / "usr", frozenset([metadata.parent] if is_listed else [])
    python = running_environment()._replace(prefix=prefix, base_prefix=prefix, packages=packages)
    found = installation_of(PathDistribution(metadata), python, metadata.parent)
    assert (found.is_known, "outside of " in found.text) == (is_listed, not is_listed)
