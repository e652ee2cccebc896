"""How wide tables are."""

import pytest

from retrocypher.plugins.cli.console import table_console


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("", 240)])
def test_a_pipe_is_wide_unless_it_is_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert table_console().width == width
