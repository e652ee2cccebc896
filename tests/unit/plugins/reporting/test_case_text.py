"""One case in full, and the names it goes by."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.calibrated import JUDGE_ENTRY, calibration
from support.judged import judged
from support.records import record_of, write_run
from support.schemas import DEFAULT_SCHEMA_TEXT
from support.verified import written

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.cases import find_case
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.judge.stored_calibration import keep
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record, Round

QUESTION = next(each for each in load_questions().questions if each.task == "precursors")
SCORES = {"precision": 0.5, "recall": 1.0, "f1": 2 / 3}
EVIL = "\x1b[2J\x1b]0;owned\a[bold]\u202e\ud800"
NODE = {"$node": {"id": "4:a:1", "labels": ["Molecule"], "properties": {"name": "CCO"}}}


def execution(**fields: Any) -> dict[str, Any]:
    return {"status": "ok", "columns": ["x"], "rows": [[NODE]], "row_count": 1, "time_s": 0.5, **fields}


def failed(case_id: str = "precursors-001-P5-ZS-none-m", **fields: Any) -> Record:
    query = QUESTION.reference_cypher.replace("MATCH", "match", 1).replace("PRODUCES", "MAKES")
    tokens = {"prompt": 9, "completion": 1}
    turn = Round("generator", "h", f"Here: {query}", query, time_s=1.25, tokens=tokens)
    values = {"rounds": [turn], "cypher": query, "execution": execution(), "scores": SCORES}
    return record_of(case_id, of=QUESTION, **{**values, "errors": ["syntax_error"], **fields})


def run_of(folder: Path, *records: Record) -> Path:
    manifest = {"options": {"key_encoder": None}, "graph": {"schema": DEFAULT_SCHEMA_TEXT}}
    messages = {"h": [{"role": "user", "content": f"Asked so {EVIL}"}], "other": []}
    return write_run(folder, records, [QUESTION], manifest=manifest, messages=messages)


def shown(run: Path, case: str, *options: str) -> Result:
    return CliRunner().invoke(cli, ["show", str(run), case, *options], catch_exceptions=False)


def test_a_failed_case(tmp_path: Path) -> None:
    done = shown(run_of(tmp_path, failed()), "precursors-001")
    assert done.exit_code == 0
    for part in (
        "precursors-001-P5-ZS-none-m",
        "failed, F1 0.667",
        "round 1: generator, 1.25 s, 10 tokens",
        "only in the query: MAKES",
        "only in the reference: PRODUCES",
        "ok, 1 row, 0.500 s",
        "(:Molecule {name: CCO})",
        "syntax_error: ",
        "difference (- missing, + too much)",
    ):
        assert part in done.output, part
    assert "Asked so" not in done.output
    assert "\x1b" not in done.output
    output = shown(tmp_path, "precursors", "--messages").output
    assert "[user]" in output
    assert r"Asked so \x1b[2J\x1b]0;owned\x07[bold]\u202e\ud800" in output


def test_a_case_for_programs(tmp_path: Path) -> None:
    run = run_of(tmp_path, failed())
    output = json.loads(shown(run, "precursors", "--json", "--messages").stdout)
    assert output["run"] == str(run)
    assert output["case_id"] == output["record"]["case_id"] == "precursors-001-P5-ZS-none-m"
    assert output["question"]["gold"] == QUESTION.gold
    assert output["exemplar"] is None
    assert [each["label"] for each in output["labels"]] == ["syntax_error"]
    assert output["difference"]
    assert list(output["messages"]) == ["h"]
    assert json.loads(shown(run, "precursors", "--json").stdout)["messages"] is None


def test_text_of_others_steers_no_terminal(tmp_path: Path) -> None:
    turn = Round(f"role{EVIL}", "h", EVIL, EVIL, EVIL, [{"a": EVIL}], 1.0)
    fields = {"rounds": [turn], "cypher": f"RETURN 1 // {EVIL}", "errors": [f"x{EVIL}"]}
    ended = execution(status="runtime_error", code=EVIL, message=EVIL, rows=[[EVIL]], columns=[EVIL])
    record = failed(f"c{EVIL}", model=EVIL, question=EVIL, execution=ended, **fields)
    write_run(tmp_path, [record], [QUESTION], messages={"h": [{"role": EVIL, "content": EVIL}]})
    output = shown(tmp_path, "c", "--messages").output
    assert all(each.isprintable() or each == "\n" for each in output)
    assert "[bold]" in output


LATE = {"stage": "model", "kind": "timeout", "message": "late"}
NOT_ASKED: dict[str, Any] = {
    **{"cypher": None, "scores": None, "execution": None, "rounds": [], "errors": []},
    "infrastructure_error": LATE,
}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"passed": True, "scores": {**SCORES, "f1": 1.0}, "errors": []}, "passed, F1 1.000"),
        ({"cypher": None, "execution": execution(status="no_query", rows=[])}, "(no query in the answer)"),
        (NOT_ASKED, "not run: model timeout: late"),
        (NOT_ASKED, "(no answer)"),
        (NOT_ASKED, "the graph was not queried"),
        ({**NOT_ASKED, "infrastructure_error": {**LATE, "stage": "graph"}}, "the graph could not be queried"),
        ({"judge": judged(None), "infrastructure_error": {**LATE, "stage": "judge"}}, "failed, F1 0.667"),
        ({"execution": execution(rows=[[1]] * 50, row_count=50)}, "and 30 more"),
        ({"exemplar_id": "reaction-pathway-discovery"}, "exemplar: reaction-pathway-discovery: Which"),
        ({"exemplar_id": "unknown"}, "exemplar: unknown"),
        ({"errors": ["label_of_a_later_version"]}, "label_of_a_later_version"),
    ],
)
def test_other_cases(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    assert said in shown(run_of(tmp_path, failed(**fields)), "precursors").output


def test_an_exemplar_of_another_bank_is_only_named(tmp_path: Path) -> None:
    run = run_of(tmp_path, failed(exemplar_id="reaction-pathway-discovery"))
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "exemplars": {"multi_step": "0" * 64}}))
    assert "exemplar: reaction-pathway-discovery\n" in shown(run, "precursors").output


def test_a_case_whose_question_is_gone(tmp_path: Path) -> None:
    write_run(tmp_path, [failed()], [replace(QUESTION, id="other")])
    done = shown(tmp_path, "precursors")
    assert "expected rows" not in done.output
    assert json.loads(shown(tmp_path, "precursors", "--json").stdout)["question"] is None


CASES = (
    "precursors-001-P5-ZS-none-m",
    "multi_step_precursors-001-P8-ZS-none-m",
    "conditions-001-P5-ZS-none-M2",
)


def test_names_of_cases(tmp_path: Path) -> None:
    run = RunLog(write_run(tmp_path / "run", [failed(case) for case in CASES]))
    names = {CASES[0]: 0, "precursors-001": 0, "PRECURSORS": 0, "multi": 1, "P8": 1, "none-m2": 2}
    assert {name: CASES.index(find_case(run, name).case_id) for name in names} == names


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", f"3 cases contain 'none': {', '.join(CASES)}. Name one."),
        (
            "precursor-001-P5-ZS-none-x",
            "no case is called 'precursor-001-P5-ZS-none-x'. Similar: prec",
        ),
        ("1234567", "no case is called '1234567'. It has precursors-001"),
    ],
)
def test_names_that_are_not_one_case(tmp_path: Path, name: str, said: str) -> None:
    run = write_run(tmp_path / "run", [failed(case) for case in CASES])
    with pytest.raises(InputError) as caught:
        find_case(RunLog(run), name)
    assert said in str(caught.value)
    with pytest.raises(InputError, match="no records"):
        find_case(RunLog(tmp_path), "a")


def test_a_written_answer_is_shown_with_its_claims(tmp_path: Path) -> None:
    found = written(f"It is CCO. {EVIL}", "REFUTED", shortcomings=["Nothing is said of agents."])
    done = shown(
        run_of(tmp_path, failed(**{**found, "rounds": failed().rounds + found["rounds"][1:]})), "pre"
    )
    assert "\x1b" not in done.output
    text = " ".join(done.output.split())
    assert "round 2: answer:text, written, 0.50 s" in text
    verdict = "REFUTED, 0% of 1 claim supported Nothing is said of agents."
    assert f"{verdict} CONTRADICTED: (5, PRODUCES, CCO)" in text
    assert "reaction 5 (a.parquet, row 3); by reader" in text


def test_what_a_judge_said_is_shown_with_its_reason(tmp_path: Path) -> None:
    judge = judged(0.75, None, reason=f"The arrow is wrong {EVIL}")
    done = shown(run_of(tmp_path, failed(judge=judge)), "precursors-001")
    assert "judge: j" in done.output
    assert "with reference: 0.750 (as given): The arrow is wrong" in done.output
    assert "without reference: no score: malformed: no JSON" in done.output
    assert "\x1b" not in done.output


def test_how_far_its_judge_can_be_believed_stands_above_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = run_of(tmp_path, failed(judge=judged(0.9, 0.2)))
    assert "calibration" not in shown(run, "precursors").output
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "judge": JUDGE_ENTRY}))
    assert "with reference, calibration: none is on file" in shown(run, "precursors").output
    keep(calibration(mistaken=6), None, tmp_path)
    said = " ".join(shown(run, "precursors").output.split())
    assert re.search(
        r"with reference, calibration: kappa 0\.6\d\d \[0\.\d+, 0\.\d+\], false accepts 0\.1", said
    )
    assert "without reference, calibration: none is on file" in said
