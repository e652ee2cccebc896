"""What all unit tests share."""

import pytest


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed is as wide as where there is no terminal, whatever is wide around the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)
