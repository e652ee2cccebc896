"""Pages of the docs that are generated are up to date, and lack no field."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

GENERATORS = Path(__file__).parents[3] / "docs" / "_generate"
TYPES = '''
from msgspec import Struct


class Record(Struct):
    """One case."""

    execution: str | None
    """Null without a graph."""
    model: str
'''


@pytest.mark.parametrize("name", ["commands.py", "records.py"])
def test_a_generated_page_is_up_to_date(name: str) -> None:
    if name == "records.py":
        pytest.importorskip("griffe")
    command = [sys.executable, str(GENERATORS / name), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_field_without_a_docstring_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("griffe")
    monkeypatch.syspath_prepend(GENERATORS)
    (tmp_path / "toy_types.py").write_text(TYPES)
    generator = importlib.import_module("records")
    with pytest.raises(SystemExit, match=r"toy_types\.Record: without a docstring: model"):
        generator.page("# Types\n\n<!-- types toy_types -->\n", tmp_path)
