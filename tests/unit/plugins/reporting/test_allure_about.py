"""What Allure is told beside the results: kinds of failures, and the service that ran them."""

import re
from typing import Any

import pytest
from support.records import record_of

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.reporting.allure.about import categories_2, categories_3, executor_of
from retrocypher.plugins.reporting.case_view import CaseView
from retrocypher.plugins.reporting.failures import failure_of

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
