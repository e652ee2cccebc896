"""Judging a run afterwards: how it ends, and what is said of the progress."""

from typing import Any

import pytest

from retrocypher.plugins.operations import judging
from retrocypher.plugins.operations.judging import Progress, final_status

WHOLE = {"cases": 3, "selected_cases": 3, "failed": 0, "infrastructure_errors_by_stage": {}}


@pytest.mark.parametrize(
    ("before", "totals", "after"),
    [
        (16, {}, 0),
        (16, {"failed": 2}, 1),
        (16, {"infrastructure_errors_by_stage": {"judge": 1}}, 16),
        (16, {"infrastructure_errors_by_stage": {"model": 1}}, 16),
        (16, {"lost_cases": ["x"]}, 16),
        (16, {"selected_cases": 4}, 16),
        (16, {"answers": {"failed": 1}}, 16),
        (16, {"answers": {"failed": 0}}, 0),
        (1, {}, 1),
        (2, {}, 2),
        (None, {}, None),
    ],
)
def test_only_what_lacked_judgements_alone_ends_otherwise(
    before: int | None, totals: dict[str, Any], after: int | None
) -> None:
    assert final_status(before, {**WHOLE, **totals}) == after


def test_one_judgement_is_told_in_the_singular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_EVERY_S", 0.0)
    said: list[str] = []
    progress = Progress(said.append)
    progress.add()
    progress.add()
    assert said == ["1 judgement", "2 judgements"]
