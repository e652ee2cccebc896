"""What judging says of how it gets on."""

import pytest

from retrocypher.plugins.operations import judging as _progress


def test_one_judgement_is_told_in_the_singular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_EVERY_S", 0.0)
    said: list[str] = []
    progress = _progress.Progress(said.append)
    progress.add()
    progress.add()
    assert said == ["1 judgement", "2 judgements"]
