"""Pages of the docs that are generated are up to date, and say what their source says."""

import subprocess
import sys
from pathlib import Path

import pytest

GENERATORS = Path(__file__).parents[3] / "docs" / "_generate"
TYPES = '''
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field

JsonValue = Any
Status = Literal["ok", "timeout"]


class Stage(StrEnum):
    """Where a case failed."""

    MODEL = "model"
    """The model could not be asked."""


class Execution(Struct):
    """What came of a query."""

    status: Status
    """How it ended."""
    rows: list[list[JsonValue]]
    """Rows | in order."""
    before: "float | None" = field(default=None, name="f1_before")
    """Without
    the loop."""


class Record(Struct):
    """One case."""

    execution: Execution | None
    """Null without a graph."""
    stages: dict[str, Stage]
    """By name."""
'''


def _run(name: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GENERATORS / name), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_page_of_commands_is_up_to_date() -> None:
    done = _run("commands.py", "--check")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    pytest.importorskip("griffe")
    (tmp_path / "toy_types.py").write_text(TYPES)
    return tmp_path


def _write_records(toy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run("records.py", "toy_types", "--path", str(toy), "--out", str(toy / "page.md"), *arguments)


def test_structs_become_tables_with_the_docstrings_of_their_fields(toy: Path) -> None:
    assert _write_records(toy).returncode == 0
    page = (toy / "page.md").read_text()
    assert "## Execution\n\nWhat came of a query.\n" in page
    assert "| `status` | `ok`, `timeout` | How it ended. |" in page
    assert "| `rows` | list of list of any JSON | Rows \\| in order. |" in page
    assert "| `f1_before` | number or null | Without the loop. |" in page
    assert "| `execution` | [Execution](#execution) or null | Null without a graph. |" in page
    assert "| `stages` | object: [Stage](#stage) by name | By name. |" in page
    assert "| `model` | The model could not be asked. |" in page


def test_a_page_that_is_out_of_date_is_reported(toy: Path) -> None:
    _write_records(toy)
    assert _write_records(toy, "--check").returncode == 0
    (toy / "toy_types.py").write_text(TYPES.replace("By name.", "By the name of the role."))
    done = _write_records(toy, "--check")
    assert done.returncode == 1
    assert "out of date" in done.stderr


def test_a_field_without_a_docstring_is_refused(toy: Path) -> None:
    (toy / "toy_types.py").write_text(TYPES + "    model: str\n")
    done = _write_records(toy)
    assert done.returncode == 1
    assert "toy_types.Record: without a docstring: model" in done.stderr
