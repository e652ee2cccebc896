"""What rounds cost, and texts that are made once a run."""

import threading
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from support.judged import judged
from support.records import record_of, write_run

from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import MadeOnce
from retrocypher.plugins.runs.record import Record, Round, Tokens
from retrocypher.plugins.session.context import OnceInFolder, made_once
from retrocypher.plugins.session.resume import read_resumable, restore_costs
from retrocypher.plugins.session.run_case import Outcome
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Completion, ModelError

ASKED = [{"role": "user", "content": "What makes it?"}]
TOLD = Completion("```\nRETURN 1\n```", tokens={"prompt": 100, "completion": 20}, cost=72e-6)
FAULT = {"stage": "model", "kind": "timeout", "message": "no answer"}
SCORES = {"f1": 1.0}


def test_calls_have_a_cost_where_it_is_known_and_was_paid_now() -> None:
    kept = Outcome(record_of(loop="review"))
    kept.add_completion(ASKED, TOLD, "RETURN 1")
    kept.add(Step("corrector", "RETURN 1", "taken", messages=ASKED, answer=TOLD))
    kept.add_completion(ASKED, Completion("RETURN 1", verbatim=True), "RETURN 1")
    kept.add(Step("explain", "RETURN 1", "ok"))
    unpriced = Completion("No.", tokens=TOLD.tokens)
    kept.add(Step("corrector", None, "no_query", messages=ASKED, answer=unpriced))
    kept.add(Step("analyst", None, "made", messages=ASKED, answer=TOLD, cached=True))
    assert [each.cost for each in kept.record.rounds] == [72e-6, 72e-6, None, None, None, None]


def turn(asked: str, cost: float | None, *, cached: bool = False, role: str = "generator") -> Round:
    return Round(role, asked, "an answer", None, time_s=1.0, cost=cost, cached=cached)


def from_cache(asked: str, role: str = "generator") -> Round:
    return turn(asked, None, cached=True, role=role)


def failed(*rounds: Round, case_id: str = "c", **fields: Any) -> Record:
    return record_of(case_id, rounds=list(rounds), infrastructure_error=FAULT, **fields)


def again(folder: Path, before: list[Record], now: Record) -> tuple[bool, Record]:
    """Return what becomes of the record of a case, after records of it that were not whole."""
    run = RunLog(write_run(folder, before, messages={}))
    record = deepcopy(now)
    return restore_costs(record, read_resumable(run).paid.get("c", {})), record


def test_what_was_paid_is_on_record_as_in_a_run_that_asked_once(tmp_path: Path) -> None:
    paid = [turn("a", 0.5), turn("b", None), turn("a", 0.25), turn("k", 0.0, cached=True)]
    repeated = [*map(from_cache, "abaak"), from_cache("a", "corrector"), turn("new", 3.0)]
    now = record_of(rounds=repeated, judge=judged(0.5, asked_sha256="j", cached=True), scores=SCORES)

    found, record = again(tmp_path, [failed(*paid, judge=judged(0.5, asked_sha256="j", cost=0.125))], now)

    assert found
    assert [(each.cost, each.cached) for each in record.rounds] == [
        *((0.5, False), (None, False), (0.25, False)),
        *((None, True), (None, True), (None, True), (3.0, False)),
    ]
    assert record.judge is not None
    assert record.judge.with_reference is not None
    assert (record.judge.with_reference.cost, record.judge.with_reference.cached) == (0.125, False)


def test_costs_of_several_attempts_add_up(tmp_path: Path) -> None:
    before = [failed(turn("a", 0.5)), failed(from_cache("a"), turn("b", 0.25))]
    now = record_of(rounds=[from_cache("a"), from_cache("b")], scores=SCORES)
    _, record = again(tmp_path, before, now)
    assert [each.cost for each in record.rounds] == [0.5, 0.25]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([failed(turn("a", 0.5), case_id="other")], id="another case"),
        pytest.param([failed()], id="nothing paid"),
        pytest.param(
            [failed(turn("a", 0.5)), record_of(rounds=[turn("a", 0.5)], scores=SCORES)], id="scored since"
        ),
    ],
)
def test_what_the_run_did_not_pay_for_the_case_stays_as_it_is(tmp_path: Path, before: list[Any]) -> None:
    now = record_of(rounds=[from_cache("a")], scores=SCORES)
    found, record = again(tmp_path, before, now)
    assert not found
    assert record == now


def test_a_text_is_made_once_for_all(tmp_path: Path) -> None:
    made: list[int] = []
    found: list[str] = []

    def make() -> Completion:
        made.append(1)
        return Completion(f"text {len(made)}", tokens={"prompt": 3}, time_s=1.5, cost=0.25)

    def ask() -> None:
        once = OnceInFolder(tmp_path)
        found.extend((once.get("a", make), once.get("a", make)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["text 1"] * 12
    assert OnceInFolder(tmp_path).get("b", make) == "text 2"
    first = MadeOnce(key="a", text="text 1", tokens=Tokens(prompt=3), cost=0.25, time_s=1.5)
    assert made_once(tmp_path)[0] == first
    assert [each.key for each in made_once(tmp_path)] == ["a", "b"]


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    def fail() -> Completion:
        raise ModelError("timeout", "no answer")

    once = OnceInFolder(tmp_path)
    with pytest.raises(ModelError):
        once.get("a", fail)
    assert once.get("a", lambda: Completion("now")) == "now"
