"""Plugins of pytest that come with libraries, and what of them a session may load."""

import tomllib
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[3]
USED = {"allure_pytest", "benchmark", "hypothesispytest", "platformdirs", "xdist", "xdist.looponfail"}


def test_a_plugin_that_a_library_brings_is_used_or_switched_off_and_not_both() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        options = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"].split()
    switched_off = {value.removeprefix("no:") for flag, value in pairwise(options) if flag == "-p"}
    installed = {each.name for each in entry_points(group="pytest11")}
    assert installed - USED - switched_off == set()
    assert switched_off & USED == set()
