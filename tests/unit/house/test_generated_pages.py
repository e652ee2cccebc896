"""Pages of the docs that are generated are up to date, and say what their source says."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

GENERATORS = Path(__file__).parents[3] / "docs" / "_generate"
TYPES = '''
from typing import Any, Literal

from msgspec import Struct, field

JsonValue = Any
Status = Literal["ok", "timeout"]


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

    @property
    def has_rows(self) -> bool:
        """No field."""
        return True

    execution: Execution | None
    """Null without a graph."""
    stages: dict[str, str]
    """By name."""
'''


def _run(name: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GENERATORS / name), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_page_of_commands_is_up_to_date() -> None:
    done = _run("commands.py", "--check")

    assert done.returncode == 0, done.stderr


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return the page of a module with the text given."""
    pytest.importorskip("griffe")
    monkeypatch.syspath_prepend(GENERATORS)
    generator = importlib.import_module("records")

    def made(types: str) -> str:
        (tmp_path / "toy_types.py").write_text(types)
        return str(generator.page("# Types\n\n<!-- types toy_types -->\n", tmp_path))

    return made


def test_structs_become_tables_with_the_docstrings_of_their_fields(page: Callable[[str], str]) -> None:
    text = page(TYPES)

    assert text.startswith("# Types\n\n### Record\n\nOne case.\n")
    assert "### Execution\n\nWhat came of a query.\n" in text
    assert "| `status` | `ok`, `timeout` | How it ended. |" in text
    assert "| `rows` | list of list of any JSON | Rows \\| in order. |" in text
    assert "| `f1_before` | number or null | Without the loop. |" in text
    assert "| `execution` | [Execution](#execution) or null | Null without a graph. |" in text
    assert "| `stages` | object: text by name | By name. |" in text
    assert "has_rows" not in text


def test_a_field_without_a_docstring_is_refused(page: Callable[[str], str]) -> None:
    with pytest.raises(SystemExit, match=r"toy_types\.Record: without a docstring: model"):
        page(TYPES + "    model: str\n")


def test_the_page_of_records_is_up_to_date() -> None:
    pytest.importorskip("griffe")
    done = _run("records.py", "--check")

    assert done.returncode == 0, done.stderr
