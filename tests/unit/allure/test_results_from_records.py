import json
from pathlib import Path
from typing import Any

import pytest
from support.allure_results import attachments, shown
from support.judgements import judged
from support.manifests import manifest_of
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.reporting.allure.run import write_results
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import InfrastructureError, Record, Round

ASKED = [question for question in load_questions().questions if question.task == "precursors"][:4]
RIGHT, WRONG, UNASKED, LOST = (f"{question.id}-P5-ZS-none-m" for question in ASKED)
SCORES = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "per_key": None}
NOTHING = {
    **{"status": "ok", "code": None, "message": None, "columns": [], "rows": [], "row_count": 0},
    **{"truncated": False, "time_s": 1.5},
}


def record(number: int, **fields: Any) -> Record:
    rounds = [Round("generator", "abc", "```\nRETURN 1\n```", "RETURN 1", time_s=2.5)]
    return record_of(f"{ASKED[number].id}-P5-ZS-none-m", of=ASKED[number], **{"rounds": rounds, **fields})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    right = record(0, cypher="RETURN 1", execution=NOTHING, scores={**SCORES, "f1": 1.0}, passed=True)
    wrong = record(1, cypher="RETURN 1", execution=NOTHING, scores=SCORES, errors=["empty_result"])
    fault = {"stage": "model", "kind": "unreachable", "message": "nobody there"}
    unasked = record(2, rounds=[], infrastructure_error=fault)
    lost = [f"benchmarks/test_single_step.py::test_single_step[{LOST}]"]
    return write_run(
        tmp_path / "run",
        [right, wrong, unasked],
        ASKED,
        manifest_of(executor={"name": "local", "type": "local"}),
        {"lost_cases": lost, "selected_cases": 4},
        {"abc": [{"role": "user", "content": "Which?"}]},
    )


def test_each_case_is_shown_once_with_its_status(run: Path, tmp_path: Path) -> None:
    written = write_results(RunLog(run), tmp_path / "results")
    assert (written.cases, written.lost) == (3, 1)
    found = shown(tmp_path / "results")
    statuses = {case: result["status"] for case, result in found.items()}
    assert statuses == {RIGHT: "passed", WRONG: "failed", UNASKED: "broken", LOST: "broken"}
    assert (
        found[WRONG]["statusDetails"]["message"]
        .splitlines()[0]
        .endswith(
            "CaseFailedError: empty_result: F1 0.000 (precision 0.000, recall 0.000), status ok, 0 rows"
        )
    )
    assert found[UNASKED]["statusDetails"]["message"].endswith("CaseError: model unreachable: nobody there")
    assert found[LOST]["statusDetails"]["message"].startswith(
        "retrocypher.plugins.reporting.case_view.CaseError: harness lost: the case broke off"
    )
    assert {"name": "error", "value": "empty_result"} in found[WRONG]["labels"]
    told = attachments(found[WRONG])
    assert told["question"] == ASKED[1].text
    assert told["messages"] == "--- user ---\nWhich?"
    assert told["reference Cypher"] == ASKED[1].reference_cypher
    assert told["difference"].startswith("- ")


def test_what_is_said_of_the_run(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "results")
    about = (tmp_path / "results" / "environment.properties").read_text().splitlines()
    assert {"models=m", "prompts=P5, P10", "cases=3 of 4", "graph=Neo4j 5.26.30 (local)"} <= set(about)
    executor = json.loads((tmp_path / "results" / "executor.json").read_text())
    assert executor == {"name": "local", "type": "local"}


def test_a_case_has_the_same_ids_in_every_run(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "one")
    of_another = write_run(tmp_path / "other", [record(1, rounds=[], passed=True)], ASKED, manifest_of())
    write_results(RunLog(of_another), tmp_path / "two")
    before, after = shown(tmp_path / "one")[WRONG], shown(tmp_path / "two")[WRONG]
    for name in ("historyId", "testCaseId", "fullName"):
        assert before[name] == after[name]
    # Of these Allure 3 makes its own id.
    counted = [
        [each for each in result["parameters"] if not each.get("excluded")] for result in (before, after)
    ]
    assert counted[0] == counted[1]


def counted(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in result["parameters"] if not each.get("excluded")]


def test_a_lost_case_has_the_ids_that_it_would_have_had(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "one")
    answered = write_run(
        tmp_path / "other", [record(3, passed=True)], ASKED, manifest_of(), None, {"abc": []}
    )
    write_results(RunLog(answered), tmp_path / "two")
    lost, found = shown(tmp_path / "one")[LOST], shown(tmp_path / "two")[LOST]
    assert (lost["historyId"], lost["parameters"]) == (found["historyId"], found["parameters"])


def test_times_are_those_of_the_run_and_durations_those_of_the_case(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "results")
    files = (tmp_path / "results").glob("*-result.json")
    results = [json.loads(file.read_text()) for file in files]
    first = min((each for each in results if each["status"] != "broken"), key=lambda each: int(each["stop"]))
    began = 1_767_323_045_000
    assert first["stop"] == began + 20_000
    assert first["stop"] - first["start"] == 4_000
    assert max(each["stop"] for each in results) == began + 60_000


def test_results_are_replaced_and_nothing_else(run: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    write_results(RunLog(run), results)
    before = shown(results)
    write_results(RunLog(run), results)
    assert shown(results) == before
    (results / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds thesis.tex, which is no Allure result"):
        write_results(RunLog(run), results)
    assert shown(results) == before


def test_a_case_whose_question_is_missing_is_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [record(0)], [], manifest_of())
    with pytest.raises(InputError, match=f"the case {RIGHT} asks {ASKED[0].id}, which questions.jsonl"):
        write_results(RunLog(run), tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_run_without_a_manifest_is_shown(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [record(0, passed=True)], ASKED, messages={"abc": []})
    assert write_results(RunLog(run), tmp_path / "results").cases == 1


def test_a_run_that_still_goes_on_is_shown(tmp_path: Path) -> None:
    """The messages of its last cases were not there when they were read."""
    run = write_run(tmp_path / "run", [record(0, passed=True)], ASKED, manifest_of(), messages={})
    assert write_results(RunLog(run), tmp_path / "results").cases == 1
    told = attachments(shown(tmp_path / "results")[RIGHT])
    assert "messages" not in told
    assert told["question"] == ASKED[0].text


def test_no_two_cases_share_the_file_of_an_attachment(run: Path, tmp_path: Path) -> None:
    # Allure 3 shows such a file with one of them only.
    write_results(RunLog(run), tmp_path / "results")
    texts = "".join(file.read_text() for file in (tmp_path / "results").glob("*-result.json"))
    files = [file.name for file in (tmp_path / "results").glob("*-attachment.*")]
    assert [texts.count(name) for name in files] == [1] * len(files)


def test_a_judgement_is_a_line_with_its_reason(tmp_path: Path) -> None:
    told = record(1, cypher="RETURN 1", execution=NOTHING, scores=SCORES, judge=judged(0.75, None))
    told.infrastructure_error = InfrastructureError("judge", "timeout", "late")
    run = write_run(tmp_path / "run", [told], ASKED, manifest_of(), {}, {"abc": []})
    write_results(RunLog(run), tmp_path / "results")
    (result,) = shown(tmp_path / "results").values()
    # Its judge is no reason to call it broken.
    assert result["status"] == "failed"
    names = [step["name"] for step in result["steps"]]
    assert names[-2:] == [
        "Judge j, with reference: 0.750",
        "Judge j, without reference: no score (malformed)",
    ]
