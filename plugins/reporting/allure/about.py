"""What Allure shows about the run itself: environment, executor, categories of failure."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.analysis.run_scores import read_scores
from retrocypher.plugins.analysis.scores import slice_means
from retrocypher.plugins.reporting.numbers import estimate_text, score_name
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.runs.record import NO_LOOP

_NO_LABEL = "Wrong for no known reason"
_NO_SCORE = "No score: the harness could not ask or measure"
_NOT_ASKED = "Not asked"


def categories_2() -> list[dict[str, Any]]:
    """Return the categories of failure in the form of ``categories.json``, which Allure 2 reads.

    A failed case's message begins with its primary label, after the name of the exception.
    """
    labelled = [
        {
            "name": label,
            "description": meaning.meaning,
            "matchedStatuses": ["failed"],
            "messageRegex": rf"(\S+: )?{label}(:\w+)?: F1 [\s\S]*",
        }
        for label, meaning in LABELS.items()
    ]
    others = ((_NO_LABEL, ["failed"]), (_NO_SCORE, ["broken"]), (_NOT_ASKED, ["skipped", "unknown"]))
    return [*labelled, *({"name": name, "matchedStatuses": statuses} for name, statuses in others)]


def categories_3() -> list[dict[str, Any]]:
    """Return the categories in the form of Allure 3's configuration, by the label ``error`` of a result.

    Two of the last three have the ids of the default categories of Allure 3, so that they replace these.
    """
    labelled = [
        {
            "id": label,
            "name": label,
            "matchers": {"statuses": ["failed"], "labels": {"error": f"^{label}(:|$)"}},
            "groupBy": [{"label": "task"}],
            "groupByMessage": False,
        }
        for label in LABELS
    ]
    return [
        *labelled,
        _rest("_product_errors_default_category", _NO_LABEL, ["failed"]),
        _rest("_test_errors_default_category", _NO_SCORE, ["broken"], by_message=True),
        _rest("not_asked", _NOT_ASKED, ["skipped", "unknown"]),
    ]


def _rest(identifier: str, name: str, statuses: list[str], *, by_message: bool = False) -> dict[str, Any]:
    return {"id": identifier, "name": name, "matchers": {"statuses": statuses}, "groupByMessage": by_message}


def write_about(results: Path, log: RunLog, cases: int, selected: int) -> None:
    """Write the environment, the executor and the categories of failure of a run."""
    manifest = log.manifest
    # Allure's first page shows the first facts only.
    facts = {**dict(_means(log)), **_facts(manifest), "cases": f"{cases:,} of {selected:,}"}
    lines = (f"{_property(name)}={_escaped(value)}\n" for name, value in facts.items())
    (results / "environment.properties").write_text("".join(lines), encoding="ascii")
    _write(results / "categories.json", categories_2())
    if manifest.executor:
        _write(results / "executor.json", manifest.executor)


def _means(log: RunLog) -> Iterator[tuple[str, str]]:
    """Yield the mean of the score that decides whether a case passes, for each model and loop."""
    scores = read_scores(log)
    name = f"mean {score_name(log.manifest.headline)}"
    means = list(slice_means(scores.table(), ("model", "loop"), (log.manifest.headline,)))
    for each in means:
        model, loop = (str(each.slice[part]) for part in ("model", "loop"))
        of = "" if len(means) == 1 else f" {model}" if loop == NO_LOOP else f" {model} {loop}"
        yield f"{name}{of}", estimate_text(each.mean)


def _facts(manifest: Manifest) -> dict[str, str]:
    graph, git, options = manifest.graph, manifest.git, manifest.known_options
    facts = {
        "models": ", ".join(model.label for model in manifest.models),
        "prompts": ", ".join(manifest.prompts),
        "shots": ", ".join(options.shot),
        "loops": ", ".join(manifest.loops.names),
        "seed": None if options.seed is UNSET else options.seed,
        "started": manifest.started,
        "graph": f"Neo4j {graph.version} ({graph.kind})" if graph and graph.version else None,
        "graph fingerprint": graph.fingerprint[:12] if graph else None,
        "question set": manifest.questions.set_sha256[:12],
        "RetroCypher": manifest.versions.get("retrocypher"),
        "Python": manifest.versions.get("python"),
        "commit": f"{git.commit}{' with changes' if git.changed else ''}" if git else None,
    }
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}


def _property(name: str) -> str:
    return re.sub(r"[\s=:]", "_", _escaped(name))


def _escaped(value: str) -> str:
    # Java's property files are ASCII, with a backslash doubled.
    return value.encode("unicode_escape").decode("ascii")


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="ascii")


def executor_of(environment: Mapping[str, str]) -> dict[str, str | int]:
    """Return Allure's ``executor.json``: the CI service by the environment's variables, else a local run."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github(environment)
    known = environment.get
    if "GITLAB_CI" in environment:
        job, number, url = known("CI_JOB_NAME", "job"), known("CI_PIPELINE_IID"), known("CI_JOB_URL")
        return _executor("GitLab CI/CD", "gitlab", job, number, url)
    if "JENKINS_URL" in environment:
        job, number, url = known("JOB_NAME", "job"), known("BUILD_NUMBER"), known("BUILD_URL")
        return _executor("Jenkins", "jenkins", job, number, url)
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
