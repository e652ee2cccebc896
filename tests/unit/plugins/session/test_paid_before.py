"""What a case had cost before it was tried again."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from support.judged import judgement
from support.records import record_of, write_run

from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record, Round
from retrocypher.plugins.session.resume import read_resumable, restore_costs

FAULT = {"stage": "model", "kind": "timeout", "message": "no answer"}
SCORES = {"f1": 1.0}


def turn(asked: str, cost: float | None, *, cached: bool = False, role: str = "generator") -> Round:
    return Round(role, asked, "an answer", None, time_s=1.0, cost=cost, cached=cached)


def judged(cost: float | None, *, cached: bool = False) -> dict[str, Any]:
    told = judgement(0.5, asked_sha256="j", time_s=2.0, cost=cost, cached=cached)
    return {"model": "j", "criteria": "c", "with_reference": told, "without_reference": None}


def again(folder: Path, before: list[Record], now: Record) -> tuple[bool, Record]:
    """Return what becomes of the record of a case, after records of it that were not whole."""
    run = RunLog(write_run(folder, before, messages={}))
    record = deepcopy(now)
    return restore_costs(record, read_resumable(run).paid.get("c", {})), record


def test_what_was_paid_is_told_as_in_a_run_that_asked_once(tmp_path: Path) -> None:
    first = record_of(
        rounds=[turn("a", 0.5), turn("b", None), turn("a", 0.25), turn("k", 0.0, cached=True)],
        judge=judged(0.125),
        infrastructure_error=FAULT,
    )
    now = record_of(
        rounds=[
            turn("a", None, cached=True),
            turn("b", None, cached=True),
            turn("a", None, cached=True),
            turn("a", None, cached=True),
            turn("k", None, cached=True),
            turn("a", None, cached=True, role="corrector"),
            turn("new", 3.0),
        ],
        judge=judged(None, cached=True),
        scores=SCORES,
    )

    found, record = again(tmp_path, [first], now)

    assert found
    assert [(each.cost, each.cached) for each in record.rounds] == [
        (0.5, False),
        (None, False),
        (0.25, False),
        (None, True),
        (None, True),
        (None, True),
        (3.0, False),
    ]
    assert record.judge is not None
    assert record.judge.with_reference is not None
    assert record.judge.with_reference.cost == 0.125
    assert record.judge.with_reference.cached is False


def test_attempts_add_up(tmp_path: Path) -> None:
    first = record_of(rounds=[turn("a", 0.5)], infrastructure_error=FAULT)
    second = record_of(rounds=[turn("a", None, cached=True), turn("b", 0.25)], infrastructure_error=FAULT)
    now = record_of(rounds=[turn("a", None, cached=True), turn("b", None, cached=True)], scores=SCORES)

    _, record = again(tmp_path, [first, second], now)

    assert [each.cost for each in record.rounds] == [0.5, 0.25]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([record_of("other", rounds=[turn("a", 0.5)], infrastructure_error=FAULT)], id="another"),
        pytest.param([record_of(rounds=[], infrastructure_error=FAULT)], id="nothing paid"),
        pytest.param(
            [
                record_of(rounds=[turn("a", 0.5)], infrastructure_error=FAULT),
                record_of(rounds=[turn("a", 0.5)], scores=SCORES),
            ],
            id="whole since",
        ),
    ],
)
def test_what_the_run_did_not_pay_for_the_case_is_as_it_is(tmp_path: Path, before: list[Any]) -> None:
    now = record_of(rounds=[turn("a", None, cached=True)], scores=SCORES)

    found, record = again(tmp_path, before, now)

    assert not found
    assert record == now
