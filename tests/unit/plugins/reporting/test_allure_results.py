"""What Allure shows of a case, of its kinds of failures, and of the service that ran it."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from support.allure_results import attachments, shown
from support.records import record_of
from support.verified import written

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.reporting.allure.about import categories_2, categories_3, executor_of
from retrocypher.plugins.reporting.allure.results import CAP, ResultWriter
from retrocypher.plugins.reporting.case_view import CaseView, failure_of
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
    told = attachments(result_of(tmp_path / "long", long))
    assert len(told["findings"]) < CAP + 200
    assert "of 10,000 rows: see the case in records.jsonl" in told["findings"].splitlines()[-1]
    left = f"… {50_000 - CAP:,} more characters: see the case in records.jsonl"
    assert told["Cypher"].endswith(left)
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
    told = {each["name"]: each["matchedStatuses"] for each in categories_2()}
    assert [name for name, statuses in told.items() if "broken" in statuses] == [NO_SCORE]
    told = {each["name"]: each["matchers"]["statuses"] for each in categories_3()}
    assert [name for name, statuses in told.items() if "broken" in statuses] == [NO_SCORE]


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
    told = {"buildName": build, "buildOrder": int(build.partition("#")[2]), "buildUrl": url}
    assert executor_of({"CI": "true", **environment}) == {"name": name, "type": kind, **told}
    assert executor_of({"CI": "true"}) == {"name": "CI", "type": "ci"}
    assert executor_of({}) == {"name": "local", "type": "local"}
