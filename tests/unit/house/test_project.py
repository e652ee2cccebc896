"""The project: imports go one way, links lead somewhere, and tests and plugins are the same everywhere."""

import ast
import importlib.util
import os
import re
import sys
import tomllib
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importlinter.cli import lint_imports

CHECKOUT = Path(__file__).parents[3]
PACKAGES = ("kg", "prompts", "plugins", "fixtures")
INITS = sorted(path for package in PACKAGES for path in (CHECKOUT / package).rglob("__init__.py"))


def test_imports_go_one_way(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(CHECKOUT)
    status = lint_imports(config_filename=os.fspath(CHECKOUT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", INITS, ids=lambda path: str(path.parent.relative_to(CHECKOUT)))
def test_a_package_shows_its_names_and_nothing_else(path: Path) -> None:
    for statement in ast.parse(path.read_text()).body:
        assert isinstance(statement, ast.Expr | ast.ImportFrom | ast.Assign)
        if isinstance(statement, ast.Assign):
            assert [ast.unparse(target) for target in statement.targets] == ["__all__"]


# Parts of generated pages are linked as the pages that they become a part of.
PARTS = set(CHECKOUT.glob("docs/_parts/*"))
PAGES = sorted({*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")} - PARTS)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in LINK.findall(text)]
    relative = [target for target in targets if target and "://" not in target]
    missing = [target for target in relative if not (page.parent / target).exists()]
    assert not missing


USED = {"allure_pytest", "benchmark", "hypothesispytest", "platformdirs", "xdist", "xdist.looponfail"}


def test_a_plugin_that_a_library_brings_is_used_or_switched_off_and_not_both() -> None:
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        options = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"].split()
    switched_off = {value.removeprefix("no:") for flag, value in pairwise(options) if flag == "-p"}
    installed = {each.name for each in entry_points(group="pytest11")}
    assert installed - USED - switched_off == set()
    assert switched_off & USED == set()


def drawn() -> list[int]:
    numbers = []

    @given(st.integers())
    def draw(number: int) -> None:
        numbers.append(number)

    draw()
    return numbers


@pytest.mark.skipif(not settings.default.derandomize, reason="examples are drawn at random")
def test_examples_do_not_depend_on_what_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    source = tmp_path / "loaded_between.py"
    source.write_text("".join(f"N{number} = {number}\n" for number in range(1_000, 1_400)))
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, source.stem, module)
    assert drawn() == before
