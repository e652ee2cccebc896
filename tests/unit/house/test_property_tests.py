"""Property tests draw the same examples everywhere."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


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
