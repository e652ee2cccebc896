"""What is in the wheel."""

import configparser
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.installed import CHECKOUT, PACKAGES, Installed

pytestmark = pytest.mark.package

LEFT_OUT = ("benchmarks/speed", "benchmarks/instruments")


def contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as opened:
        return {each.filename: each.CRC for each in opened.infolist() if not each.filename.endswith("RECORD")}


def test_src_links_to_the_packages() -> None:
    home = CHECKOUT / "src" / "retrocypher"
    links = {path.name for path in home.iterdir() if path.is_symlink()}
    assert links == set(PACKAGES)
    assert all((home / name).resolve() == CHECKOUT / name for name in links)


def test_all_code_and_data_are_in_it(wheel: Path, copied: Path) -> None:
    found = {name.removeprefix("retrocypher/") for name in contents(wheel) if name.startswith("retrocypher/")}
    files = {
        path.relative_to(copied).as_posix()
        for package in PACKAGES
        for path in (copied / package).rglob("*")
        if path.is_file()
    }
    wanted = {name for name in files if not name.startswith(LEFT_OUT)}
    assert found == wanted | {"__init__.py", "py.typed", "pytest_plugin.py"}
    assert any(path.startswith(LEFT_OUT) for path in files)


def test_all_licences_are_in_it(wheel: Path) -> None:
    licences = [name for name in contents(wheel) if ".dist-info/licenses/" in name]
    assert sorted(name.partition("licenses/")[2] for name in licences) == [
        "LICENSE",
        "src/retrocypher/kg/data/graph/LICENSE",
        "src/retrocypher/kg/data/suites/flights/LICENSE",
    ]


def test_no_pytest_session_loads_it_unasked(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith("entry_points.txt"))
        points = configparser.ConfigParser()
        points.read_string(opened.read(name).decode())
    assert points.sections() == ["console_scripts"]


def test_the_source_distribution_makes_the_same_wheel(
    wheel: Path, sdist: Path, build_wheel: Callable[[Path], Path]
) -> None:
    assert contents(build_wheel(sdist)) == contents(wheel)


def test_it_claims_one_name(installed: Installed) -> None:
    names = {path.name for path in installed.site_packages.iterdir()} - {"dependencies.pth"}
    assert {name for name in names if not name.endswith(".dist-info")} == {"retrocypher"}
