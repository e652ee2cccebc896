from collections.abc import Mapping
from typing import Any

import pytest

from retrocypher.plugins.reporting.allure.about import executor_of

GITHUB = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_WORKFLOW": "benchmark",
    "GITHUB_RUN_NUMBER": "7",
    "GITHUB_RUN_ID": "99",
    "GITHUB_REPOSITORY": "lab/retro",
    "GITHUB_SERVER_URL": "https://git.example",
}
GITLAB = {
    "CI": "true",
    "GITLAB_CI": "true",
    "CI_JOB_NAME": "bench",
    "CI_PIPELINE_IID": "12",
    "CI_JOB_URL": "https://git.example/jobs/1",
}
JENKINS = {"JENKINS_URL": "x", "JOB_NAME": "bench", "BUILD_NUMBER": "3", "BUILD_URL": "https://ci.example/3"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (
            GITHUB,
            {
                "name": "GitHub Actions",
                "type": "github",
                "buildName": "benchmark #7",
                "buildOrder": 7,
                "buildUrl": "https://git.example/lab/retro/actions/runs/99",
            },
        ),
        (
            GITLAB,
            {
                "name": "GitLab CI/CD",
                "type": "gitlab",
                "buildName": "bench #12",
                "buildOrder": 12,
                "buildUrl": "https://git.example/jobs/1",
            },
        ),
        (
            JENKINS,
            {
                "name": "Jenkins",
                "type": "jenkins",
                "buildName": "bench #3",
                "buildOrder": 3,
                "buildUrl": "https://ci.example/3",
            },
        ),
        ({"CI": "true"}, {"name": "CI", "type": "ci"}),
        ({}, {"name": "local", "type": "local"}),
    ],
)
def test_the_service_that_runs_it_is_named(environment: Mapping[str, str], expected: dict[str, Any]) -> None:
    assert executor_of(environment) == expected
