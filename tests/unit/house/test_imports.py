"""The house: imports go one way, and an ``__init__`` only re-exports."""

import ast
import os
from pathlib import Path

import pytest
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
