"""Judgements on records, and what they count for."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.judgements import judged, judgement
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.summary import Usage, summarise
from retrocypher.plugins.judge.criteria import case_to_judge, fault_of, load_criteria
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import InfrastructureError, Judge, Record

UNREACHED = {"kind": "connection", "message": "nobody there"}
EXECUTION = {"status": "ok", "columns": ["a"], "rows": [[1]], "row_count": 1, "truncated": False}


def run(**fields: Any) -> Record:
    scores = {"f1": 1.0, "precision": 1.0, "recall": 1.0}
    told = {"cypher": "RETURN 1", "execution": EXECUTION, "scores": scores, "passed": True, **fields}
    return record_of(**told)


def test_a_judgement_is_read_as_it_was_written() -> None:
    judge = run(judge=judged(0.75, None)).judge
    assert judge is not None
    assert judge.judgements == {
        "with_reference": judgement("with_reference", 0.75),
        "without_reference": judgement("without_reference", None),
    }
    assert run().judge is None
    assert Judge("j", "c").judgements == {}


@pytest.mark.parametrize(
    "change",
    [
        {"score": 1.5},
        {"score": "1"},
        {"score": None},
        {"error": {"kind": "x", "message": "y"}},
        {"time_s": None},
        {"details": []},
    ],
)
def test_what_is_no_judgement_is_refused_with_its_place(tmp_path: Path, change: dict[str, Any]) -> None:
    record = json.loads(json_line(run(judge=judged())))
    record["judge"]["with_reference"].update(change)
    for judge in (record["judge"], {"with_reference": []}, ["x"]):
        log = RunLog(write_run(tmp_path, [{**record, "judge": judge}]))
        with pytest.raises(InputError, match=r"records\.jsonl, line 1: not a whole record: judge"):
            list(log.records())


def test_only_a_judge_that_could_not_be_asked_is_a_fault_of_the_harness() -> None:
    assert fault_of({"with_reference": judgement(score=None)}) is None
    unreached = judgement("without_reference", None, error=UNREACHED)
    fault = fault_of({"with_reference": judgement(), "without_reference": unreached})
    assert fault == InfrastructureError("judge", **UNREACHED)


def test_a_fault_of_the_judge_takes_no_score_from_the_case() -> None:
    fault = {"stage": "judge", **UNREACHED}
    told = summarise(
        [
            run(case_id="a", judge=judged(1.0, 0.5)),
            run(case_id="b", judge=judged(None, 0.0), passed=False),
            run(case_id="c", judge=judged(None, None), infrastructure_error=fault),
            run(case_id="d", infrastructure_error={"stage": "model", **UNREACHED}, scores=None, passed=False),
        ]
    )
    assert (told["scored"], told["infrastructure_errors"], told["means"]["f1"]) == (3, 1, 1.0)
    assert told["infrastructure_errors_by_stage"] == {"judge": 1, "model": 1}
    judge = told["judge"]
    assert (judge["cases"], judge["faults"]) == (3, 1)
    assert judge["with_reference"] == {"scored": 1, "mean": 1.0, "weighted": 0, "no_score": {"malformed": 2}}
    assert judge["without_reference"]["mean"] == 0.25
    assert "judge" not in summarise([run()])


def test_answers_of_the_judge_are_counted_with_what_they_cost() -> None:
    usage = Usage()
    one = {
        "with_reference": judgement(cost=0.5),
        "without_reference": judgement("without_reference", cached=True),
    }
    usage.add(run(judge=Judge("j", "c", **one)))
    assert (usage.asked, usage.from_cache, usage.cost) == (1, 1, 0.5)
    assert list(usage.counts().by_model) == ["judge:j"]


def test_only_cases_that_were_run_are_judged() -> None:
    criteria = load_criteria(2)
    case = case_to_judge(run(), "(:Molecule)", criteria)
    assert case is not None
    assert (case.columns, case.rows) == (["a"], [[1]])
    hidden = case_to_judge(run(), "(:Molecule)", load_criteria())
    assert hidden is not None
    assert hidden.rows is None
    assert case_to_judge(run(scores=None), "", criteria) is None
    again = case_to_judge(run(infrastructure_error={"stage": "judge", **UNREACHED}), "", criteria)
    assert again is not None
