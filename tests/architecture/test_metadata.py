"""What PyPI shows of the package: metadata of a wheel that is built from the sources."""

import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    return Path(path)


@pytest.fixture(scope="module")
def metadata(wheel):
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_the_metadata_name_licence_pythons_and_addresses(metadata):
    assert (metadata["Name"], metadata["Summary"]) == ("vaultseek", PROJECT["description"])
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("License-File")) == {"LICENSE", "NOTICE"}
    assert metadata["Requires-Python"] == ">=3.11"
    classifiers = set(metadata.get_all("Classifier"))
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)} <= classifiers
    assert not {name for name in classifiers if name.startswith("License ::")}, (
        "PyPI refuses them next to an expression"
    )
    addresses = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL"))
    assert addresses == PROJECT["urls"]
    assert all(address.startswith("https://") for address in addresses.values())


def test_no_dependency_is_an_address(metadata):
    """PyPI refuses a package that needs one."""
    assert not [line for line in metadata.get_all("Requires-Dist") if "@" in line]


def test_a_wheel_can_be_built_from_the_source_archive(tmp_path):
    (archive,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"hatch_build.py", "README.md", "LICENSE", "NOTICE", "pyproject.toml"} <= names


def links_in(text):
    return re.findall(r"\]\(([^)]+)\)", text)


def test_the_long_description_is_readme_and_can_be_shown(wheel, metadata):
    """PyPI does not have the project's files, so a link to one of them must name the repository, or be no link."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    shown, readme = metadata.get_payload(decode=True).decode(), (ROOT / "README.md").read_text(encoding="utf-8")
    assert "## Three commands" in shown
    assert links_in(readme)
    assert [link for link in links_in(shown) if not link.startswith(("https://", "#"))] == []
    if importlib.util.find_spec("twine") is None:
        pytest.skip("twine is not installed")
    check = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel], capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stdout


@pytest.fixture(scope="module")
def hook():
    """The module that makes the long description."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("line", "with_address", "without"),
    [
        ("see [all](docs/a.md#b).", "see [all](https://x/y/blob/v1/docs/a.md#b).", "see all."),
        ("![picture](docs/p.svg)", "![picture](https://x/y/raw/v1/docs/p.svg)", ""),
        ("[out](https://z) [here](#top)", "[out](https://z) [here](#top)", "[out](https://z) [here](#top)"),
        ("`pipx install '.[mcp]'`, [[Note]]", "`pipx install '.[mcp]'`, [[Note]]", "`pipx install '.[mcp]'`, [[Note]]"),
    ],
)
def test_links_to_files_become_absolute_or_text(hook, line, with_address, without):
    assert hook.long_description(line, "https://x/y/{kind}/v1") == with_address
    assert hook.long_description(line, None) == without


def test_the_address_is_the_one_of_the_repository_at_the_version(hook):
    metadata = {"urls": {"Source": "https://github.com/me/vaultseek"}, "version": "1.2"}
    hook.LongDescription(str(ROOT), {}).update(metadata)
    links = [link for link in links_in(metadata["readme"]["text"]) if not link.startswith("#")]
    assert "https://github.com/me/vaultseek/blob/v1.2/docs/editors.md" in links
    assert "https://github.com/me/vaultseek/raw/v1.2/docs/pictures/terminal.svg" in links
    assert all(link.startswith("https://") for link in links)
