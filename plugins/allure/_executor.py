"""Who runs a session: the CI service, by the variables that each documents, or a person's machine."""

from collections.abc import Mapping


def executor_of(environment: Mapping[str, str]) -> dict[str, str | int]:
    """Return what Allure's ``executor.json`` says.

    Args:
        environment: The environment's variables: of GitHub Actions, GitLab CI/CD, Jenkins, or any that sets
            ``CI``; else it is a local run.

    Returns:
        ``name`` and ``type``; where the service tells them ``buildName``, ``buildOrder`` and ``buildUrl``.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github(environment)
    if "GITLAB_CI" in environment:
        job = environment.get("CI_JOB_NAME", "job")
        return _executor(
            "GitLab CI/CD", "gitlab", job, environment.get("CI_PIPELINE_IID"), environment.get("CI_JOB_URL")
        )
    if "JENKINS_URL" in environment:
        job, number = environment.get("JOB_NAME", "job"), environment.get("BUILD_NUMBER")
        return _executor("Jenkins", "jenkins", job, number, environment.get("BUILD_URL"))
    if environment.get("CI", "").lower() in ("1", "true"):
        return _executor("CI", "ci")
    return _executor("local", "local")


def _github(environment: Mapping[str, str]) -> dict[str, str | int]:
    repository, run = environment.get("GITHUB_REPOSITORY"), environment.get("GITHUB_RUN_ID")
    server = environment.get("GITHUB_SERVER_URL")
    url = f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None
    workflow, number = environment.get("GITHUB_WORKFLOW", "workflow"), environment.get("GITHUB_RUN_NUMBER")
    return _executor("GitHub Actions", "github", workflow, number, url)


def _executor(
    name: str, kind: str, job: str | None = None, number: str | None = None, url: str | None = None
) -> dict[str, str | int]:
    found: dict[str, str | int] = {"name": name, "type": kind}
    if job is not None:
        found["buildName"] = job if number is None else f"{job} #{number}"
    if number is not None and number.isdecimal():
        found["buildOrder"] = int(number)
    if url is not None:
        found["buildUrl"] = url
    return found
