"""What an installed wheel must hold: the types of every package, its data, and nothing else."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGES = {"search", "expansion", "lsp_server"}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The names in a wheel that is built from the sources."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_each_package_ships_its_types(shipped, package):
    """Without `py.typed`, a type checker treats everything that is imported from the package as Any."""
    assert f"{package}/py.typed" in shipped


def test_the_wheel_has_every_module_and_data_file_of_the_packages(shipped):
    ours = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {name for name in shipped if name.partition("/")[0] in PACKAGES} == ours


def test_the_data_files_of_the_wheel_are_those_on_the_list(shipped):
    """Modules are imported and so noticed; a file of data could get into the wheel unseen."""
    data = {name for name in shipped if name.partition("/")[0] in PACKAGES and not name.endswith(".py")}
    assert sorted(data) == Path(__file__).with_name("shipped_data.txt").read_text(encoding="utf-8").split()


def test_the_wheel_installs_no_other_top_level_name(shipped):
    top = {name.partition("/")[0] for name in shipped}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES
