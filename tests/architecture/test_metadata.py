"""What PyPI shows of the package: metadata of a wheel that is built from the sources."""

import importlib.util
import subprocess
import sys
import tomllib
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest
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


def test_the_long_description_is_readme_and_can_be_shown(wheel, metadata):
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload(decode=True).decode() == (ROOT / "README.md").read_text(encoding="utf-8")
    if importlib.util.find_spec("twine") is None:
        pytest.skip("twine is not installed")
    check = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel], capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stdout
