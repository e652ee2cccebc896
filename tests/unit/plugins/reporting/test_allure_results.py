"""Allure results: of a case, of a run, of a session that runs, and of the service that runs it."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from support.allure_results import attachments, shown
from support.judged import judged
from support.manifests import manifest_of
from support.records import record_of, write_run
from support.verified import written

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.reporting.allure.about import categories_2, categories_3, executor_of
from retrocypher.plugins.reporting.allure.results import CAP, ResultWriter
from retrocypher.plugins.reporting.allure.run import LiveResults, write_results
from retrocypher.plugins.reporting.case_view import CaseView, failure_of
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Explanation, FailureReasons, Record, Round

EMPTY: dict[str, Any] = {"precision": None, "recall": None, "f1": None, "stage": None, "columns": {}}
COUNTS = {"tp": 1, "fp": 0, "fn": 1}


def result_of(folder: Path, record: Record, explanation: Explanation | None = None) -> dict[str, Any]:
    ResultWriter(folder).write(CaseView(record, None, explanation or Explanation()), 0, 1)
    (result,) = shown(folder).values()
    return result


@pytest.fixture
def description(tmp_path: Path) -> Any:
    def described(errors: list[str] | None = None, why: dict[str, str] | None = None, **scores: Any) -> str:
        record = record_of(scores={"f1": 0.0, **scores}, errors=errors or [])
        return str(
            result_of(tmp_path, record, Explanation([], FailureReasons(**(why or {}))))["descriptionHtml"]
        )

    return described


def test_labels_are_listed_with_their_meanings_in_order(description: Any) -> None:
    assert description(["traversal_direction", "missing_component:agents", "<of a later version>"]).endswith(
        "<ol>"
        f"<li><code>traversal_direction</code>: {escape(LABELS['traversal_direction'].meaning)}</li>"
        f"<li><code>missing_component:agents</code>: {escape(LABELS['missing_component'].meaning)}</li>"
        "<li><code>&lt;of a later version&gt;</code></li>"
        "</ol>"
    )
    shown = description(["other"], {"loop": "cove: corrector: no_query <&>"})
    assert shown.endswith("</ol><p><b>loop</b>: cove: corrector: no_query &lt;&amp;&gt;</p>")


def test_the_defined_scores_and_the_keys_have_a_line_each(description: Any) -> None:
    found = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "stage": "stem", "columns": {}}
    per_key = {"<i>": {**found, **COUNTS}, "agents": {**EMPTY, **COUNTS}}
    assert description(f1=2 / 3, per_key=per_key, unmatched_columns=["x"], bleu=1.0) == (
        "<p><b>0.667</b> f1<br><b>1.000</b> bleu</p><br>"
        "<p><b>&lt;i&gt;</b>: F1 0.667, precision 1.000, recall 0.500 (column matched by stem)<br>"
        "<b>agents</b>: nothing expected and nothing returned</p><br>"
    )


def test_long_rows_and_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    rows = [{"id": number, "name": "C" * 50} for number in range(10_000)]
    long = record_of(rounds=[Round("generator", None, "", "x" * 50_000, findings=rows)])
    short = record_of(rounds=[Round("generator", None, "", None, findings=rows[:3])])
    attached = attachments(result_of(tmp_path / "long", long))
    assert len(attached["findings"]) < CAP + 200
    assert "of 10,000 rows: see the case in records.jsonl" in attached["findings"].splitlines()[-1]
    left = f"… {50_000 - CAP:,} more characters: see the case in records.jsonl"
    assert attached["Cypher"].endswith(left)
    assert json.loads(attachments(result_of(tmp_path / "short", short))["findings"]) == rows[:3]


def test_an_answer_has_a_step_with_its_verdict_and_claims(tmp_path: Path) -> None:
    result = result_of(tmp_path, record_of(**written(verdict="REFUTED")))
    names = [step["name"] for step in result["steps"]]
    assert names[1:] == [
        "Round 2: answer:text: written, 0.50 s",
        "Round 3: answer:check: REFUTED, 0.00 s",
        "Answer: REFUTED, 0% of 1 claim supported",
    ]
    found = attachments(result)
    assert found["written answer"] == "It is CCO."
    assert "CONTRADICTED: (5, PRODUCES, CCO); it is a solvent there" in found["claims"]
    kinds = [[each["name"] for each in step.get("attachments", ())] for step in result["steps"]]
    assert ["Cypher" in each for each in kinds] == [True, False, False, False]


SERVER = "https://git.example"
NO_SCORE = "No score: the harness could not ask or measure"


@pytest.mark.parametrize("label", [*LABELS, "missing_component:agents"])
def test_each_label_has_a_kind_of_its_own(label: str) -> None:
    name = label.partition(":")[0]
    in_3 = [each["name"] for each in categories_3() if _matches_3(each, label)]
    assert in_3[0] == name
    in_2 = [each["name"] for each in categories_2() if "messageRegex" in each and _matches_2(each, label)]
    assert in_2 == [name]


def test_what_has_no_score_is_no_wrong_answer() -> None:
    found = {each["name"]: each["matchedStatuses"] for each in categories_2()}
    assert [name for name, statuses in found.items() if "broken" in statuses] == [NO_SCORE]
    found = {each["name"]: each["matchers"]["statuses"] for each in categories_3()}
    assert [name for name, statuses in found.items() if "broken" in statuses] == [NO_SCORE]


def _matches_3(kind: dict[str, Any], label: str) -> bool:
    pattern = kind["matchers"].get("labels", {}).get("error")
    return pattern is not None and re.search(pattern, label) is not None


def _matches_2(kind: dict[str, Any], label: str) -> bool:
    scores = {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    record = record_of(execution={"status": "ok"}, scores=scores, errors=[label])
    failure = failure_of(CaseView(record, None))
    message = f"{type(failure).__module__}.{type(failure).__name__}: {failure}"
    return re.fullmatch(kind["messageRegex"], message) is not None


@pytest.mark.parametrize(
    ("environment", "kind", "name", "build", "url"),
    [
        (
            {
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKFLOW": "benchmark",
                "GITHUB_RUN_NUMBER": "7",
                "GITHUB_RUN_ID": "99",
                "GITHUB_REPOSITORY": "lab/retro",
                "GITHUB_SERVER_URL": SERVER,
            },
            *("github", "GitHub Actions", "benchmark #7", f"{SERVER}/lab/retro/actions/runs/99"),
        ),
        (
            {
                "GITLAB_CI": "true",
                "CI_JOB_NAME": "bench",
                "CI_PIPELINE_IID": "12",
                "CI_JOB_URL": f"{SERVER}/jobs/1",
            },
            *("gitlab", "GitLab CI/CD", "bench #12", f"{SERVER}/jobs/1"),
        ),
        (
            {"JENKINS_URL": "x", "JOB_NAME": "bench", "BUILD_NUMBER": "3", "BUILD_URL": SERVER},
            *("jenkins", "Jenkins", "bench #3", SERVER),
        ),
    ],
)
def test_the_service_that_runs_it_is_named(
    environment: dict[str, str], kind: str, name: str, build: str, url: str
) -> None:
    fields = {"buildName": build, "buildOrder": int(build.partition("#")[2]), "buildUrl": url}
    assert executor_of({"CI": "true", **environment}) == {"name": name, "type": kind, **fields}
    assert executor_of({"CI": "true"}) == {"name": "CI", "type": "ci"}
    assert executor_of({}) == {"name": "local", "type": "local"}


ASKED = [question for question in load_questions().questions if question.task == "precursors"][:4]
RIGHT, WRONG, UNASKED, LOST = (f"{question.id}-P5-ZS-none-m" for question in ASKED)
CASES = (RIGHT, WRONG, UNASKED, LOST)
SCORED: dict[str, Any] = {
    "scores": {"precision": 0.0, "recall": 0.0, "f1": 0.0},
    "execution": {"status": "ok", "time_s": 1.5},
    "cypher": "RETURN 1",
}
FAULT = {"stage": "model", "kind": "unreachable", "message": "nobody there"}


def record(number: int, **fields: Any) -> Record:
    rounds = [Round("generator", "abc", "```\nRETURN 1\n```", "RETURN 1", time_s=2.5)]
    return record_of(CASES[number], of=ASKED[number], **{"rounds": rounds, **fields})


def node(case: str) -> str:
    return f"benchmarks/test_single_step.py::test_single_step[{case}]"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    right = record(0, **{**SCORED, "scores": {**SCORED["scores"], "f1": 1.0}}, passed=True)
    wrong = record(1, **SCORED, errors=["empty_result"])
    unasked = record(2, rounds=[], infrastructure_error=FAULT)
    return write_run(
        tmp_path / "run",
        [right, wrong, unasked],
        ASKED,
        manifest_of(executor={"name": "local", "type": "local"}),
        {"lost_cases": [node(LOST)], "selected_cases": 4},
        {"abc": [{"role": "user", "content": "Which?"}]},
    )


def test_each_case_is_shown_once_with_its_status(run: Path, tmp_path: Path) -> None:
    written = write_results(RunLog(run), tmp_path / "results")
    assert (written.cases, written.crashed) == (3, 1)
    found = shown(tmp_path / "results")
    statuses = {case: result["status"] for case, result in found.items()}
    assert statuses == {RIGHT: "passed", WRONG: "failed", UNASKED: "broken", LOST: "broken"}
    said = {case: found[case]["statusDetails"]["message"].splitlines()[0] for case in CASES[1:]}
    f1 = "F1 0.000 (precision 0.000, recall 0.000), status ok, 0 rows"
    assert said[WRONG].endswith(f"CaseFailedError: empty_result: {f1}")
    assert said[UNASKED].endswith("CaseError: model unreachable: nobody there")
    assert "case_view.CaseError: harness crashed: the case ended" in said[LOST]
    assert {"name": "error", "value": "empty_result"} in found[WRONG]["labels"]
    attached = attachments(found[WRONG])
    assert (attached["question"], attached["messages"]) == (ASKED[1].text, "--- user ---\nWhich?")
    assert attached["reference Cypher"] == ASKED[1].reference_cypher
    assert attached["difference"].startswith("- ")
    texts = "".join(file.read_text() for file in (tmp_path / "results").glob("*-result.json"))
    # Allure 3 shows an attachment of two cases with one of them only.
    files = [file.name for file in (tmp_path / "results").glob("*-attachment.*")]
    assert [texts.count(name) for name in files] == [1] * len(files)
    about = (tmp_path / "results" / "environment.properties").read_text().splitlines()
    assert {"models=m", "prompts=P5", "cases=3 of 4", "graph=Neo4j 5.26.30 (local)"} <= set(about)
    assert about[0] == "mean_F1=0.500 [no interval]"
    executor = json.loads((tmp_path / "results" / "executor.json").read_text())
    assert executor == {"name": "local", "type": "local"}


def counted(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in result["parameters"] if not each.get("excluded")]


def test_a_case_has_the_same_ids_in_every_run_even_where_it_was_lost(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "one")
    answered = [record(number, rounds=[], passed=True) for number in (1, 3)]
    write_results(RunLog(write_run(tmp_path / "other", answered, ASKED, manifest_of())), tmp_path / "two")
    before, after = shown(tmp_path / "one"), shown(tmp_path / "two")
    for case in (WRONG, LOST):
        for name in ("historyId", "testCaseId", "fullName"):
            assert before[case][name] == after[case][name]
        # Of these Allure 3 makes its own id.
        assert counted(before[case]) == counted(after[case])


def test_times_are_those_of_the_run_and_durations_those_of_the_case(run: Path, tmp_path: Path) -> None:
    write_results(RunLog(run), tmp_path / "results")
    results = [json.loads(file.read_text()) for file in (tmp_path / "results").glob("*-result.json")]
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
    with pytest.raises(InputError, match=r"has thesis.tex, which is no Allure result"):
        write_results(RunLog(run), results)
    assert shown(results) == before


def test_a_case_whose_question_is_missing_is_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [record(0)], [], manifest_of())
    with pytest.raises(InputError, match=f"the case {RIGHT} asks {ASKED[0].id}, which questions.jsonl"):
        write_results(RunLog(run), tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_run_that_still_goes_on_is_shown(tmp_path: Path) -> None:
    """It has no manifest yet, and the messages of its last cases were not there when they were read."""
    run = write_run(tmp_path / "run", [record(0, passed=True)], ASKED, messages={})
    assert write_results(RunLog(run), tmp_path / "results").cases == 1
    attached = attachments(shown(tmp_path / "results")[RIGHT])
    assert "messages" not in attached
    assert attached["question"] == ASKED[0].text


def test_a_judgement_is_a_line_with_its_reason(tmp_path: Path) -> None:
    found = record(1, **SCORED, judge=judged(0.75, None), infrastructure_error={**FAULT, "stage": "judge"})
    run = write_run(tmp_path / "run", [found], ASKED, manifest_of(), {}, {"abc": []})
    write_results(RunLog(run), tmp_path / "results")
    (result,) = shown(tmp_path / "results").values()
    # Its judge is no reason to call it broken.
    assert result["status"] == "failed"
    names = [step["name"] for step in result["steps"]]
    assert names[-2:] == [
        "Judge j, with reference: 0.750",
        "Judge j, without reference: no score (malformed)",
    ]


def report() -> pytest.TestReport:
    captured = [("Captured stdout call", "said")]
    return pytest.TestReport("t", ("f", 1, "t"), {}, "passed", None, "call", captured, 1.5, 10.0, 11.5)


def log_of(folder: Path, *records: Record, started: str = "2026-01-02T03:04:05+00:00") -> RunLog:
    return RunLog(write_run(folder, records, ASKED, manifest_of(started=started), messages={}))


def test_a_case_is_shown_with_its_times_and_what_it_printed(tmp_path: Path) -> None:
    folder = tmp_path / "allure-results"
    results = LiveResults(folder, log_of(tmp_path / "run"))
    results.add(record(0, rounds=[]), {}, report())
    (file,) = folder.glob("*-result.json")
    result = json.loads(file.read_text())
    assert (result["start"], result["stop"]) == (10_000, 11_500)
    assert {"name": "thread", "value": "main"} in result["labels"]
    assert [each["name"] for each in result["attachments"]] == ["question", "stdout"]
    # Asked again it has one result, and no old attachment.
    results.add(record(0, rounds=[], infrastructure_error=FAULT), {}, report())
    assert shown(folder)[RIGHT]["status"] == "broken"
    assert len(list(folder.glob("*-attachment.*"))) == 2


def test_a_crashed_case_is_broken_even_if_it_has_a_record(tmp_path: Path) -> None:
    folder = tmp_path / "allure-results"
    results = LiveResults(folder, log_of(tmp_path / "run"))
    results.add(record(0), {}, report())
    results.finish([node(case) for case in CASES[:2]], 1, 2)
    found = shown(folder)
    assert {case: result["status"] for case, result in found.items()} == dict.fromkeys(CASES[:2], "broken")
    assert (folder / "environment.properties").is_file()


@pytest.mark.parametrize("own", [True, False])
def test_a_resumed_run_has_the_results_of_its_records(tmp_path: Path, own: bool) -> None:
    run = tmp_path / "run"
    folder = run / "allure-results" if own else tmp_path / "of many runs"
    log = log_of(run, record(0), record(1))
    other = log_of(tmp_path / "other", started="2025-01-01T00:00:00+00:00")
    if not own:
        LiveResults(folder, other).add(record(2), {}, report())
    before = LiveResults(folder, log)
    before.add(record(0), {}, report())
    before.add(record(2), {}, report())
    (folder / "half-result.json.tmp").touch()
    kept = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    LiveResults(folder, RunLog(run)).resume(CASES[:3])
    assert not list(folder.glob("*.tmp"))
    cases = sorted(shown(folder))
    assert cases == sorted(CASES[:2] if own else CASES[:3])
    # What was there is not written again.
    again = [file for file in folder.iterdir() if kept.get(file.name) == file.stat().st_mtime_ns]
    assert len(again) >= 2


def test_results_that_cannot_be_written_end_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    results = LiveResults(tmp_path / "allure-results", log_of(tmp_path / "run"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    results.add(record(0), {}, report())
    results.add(record(1), {}, report())
    results.finish([], 2, 2)
    assert len(logged) == 1
    assert "No space left on device" in logged[0]
