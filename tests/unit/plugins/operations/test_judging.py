"""How a run ends that was judged afterwards."""

from typing import Any

import pytest

from retrocypher.plugins.operations.judging import final_status

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
