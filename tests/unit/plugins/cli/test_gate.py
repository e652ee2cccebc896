"""`retrocypher gate`, and the workflow and settings that docs/compare-and-gate.md shows."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from support.compared import run_of
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import find_scores
from retrocypher.plugins.analysis.gate_rules import parse_rule
from retrocypher.plugins.cli.gate import gate_command
from retrocypher.plugins.session.options import read_options

PAGE = (CHECKOUT / "docs" / "compare-and-gate.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(gate_command, [str(each) for each in arguments])


def test_exit_statuses(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [1.0, 0.0] * 10)
    assert invoke(run, "f1>=0.5").exit_code == 0
    assert invoke(run_of(tmp_path / "broken", [None, 1.0]), "f1>=0").exit_code == 16
    part = run_of(tmp_path / "part", [1.0] * 20, manifest={"cases": 30})
    assert invoke(part, "f1>=0").exit_code == 1
    assert invoke(part, "f1>=0", "--gate-partial").exit_code == 0
    assert invoke(run).exit_code == 2
    wrong = invoke(run, "f2>=0")
    assert isinstance(wrong.exception, InputError)


def test_a_run_is_not_its_own_baseline(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [1.0, 0.0] * 10)
    found = invoke(run, "no-regression f1 margin=0.5", "--baseline", tmp_path / "other" / ".." / "run")
    assert isinstance(found.exception, InputError)
    assert "run: this is the run itself, which cannot lose against itself; name" in str(found.exception)


def test_json_has_what_the_text_has_and_the_same_status(tmp_path: Path) -> None:
    run, before = run_of(tmp_path / "run", [1.0, 0.0] * 10), run_of(tmp_path / "before", [1.0] * 20)
    found = invoke(run, "f1>=0.5", "no-regression f1 margin=0.35 by task", "--baseline", before, "--json")
    assert found.exit_code == 1
    printed = json.loads(found.output)
    assert (printed["verdict"], printed["exit_status"]) == ("fails", 1)
    first, second = printed["rules"]
    assert (first["rule"], first["verdict"], first["holds"]) == ("f1>=0.5", "holds", True)
    assert first["slices"][0]["estimate"]["value"] == 0.5
    verdicts = {each["slice"]["task"]: each["verdict"] for each in second["slices"]}
    assert verdicts == {"conditions": "regressed", "precursors": "holds"}
    assert second["changed"] == 10


def test_a_job_gets_its_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path / "run", [1.0, 0.0] * 10)
    file = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    assert invoke(run, "f1>=0.6").exit_code == 1
    text = file.read_text()
    assert "## RetroCypher: gate fails" in text
    assert "**0.500**" in text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "folder"))
    assert invoke(run, "f1>=0.5").exit_code == 0


def test_the_workflow_is_one_and_its_command_can_be_used(pytester: pytest.Pytester) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    (command,) = (step["run"] for step in steps if "pytest" in step.get("run", ""))
    program, where, *arguments = shlex.split(command)
    assert (program, where) == (".venv/bin/pytest", "benchmarks")
    pytester.plugins = ["retrocypher.plugins.pytest_plugin"]
    options = read_options(pytester.parseconfig(*arguments))
    assert [str(parse_rule(rule)) for rule in options.gate] == ["no-regression f1 margin=0.02"]
    assert find_scores(str(options.baseline), CHECKOUT).models == ("exemplar",)
    assert (CHECKOUT / "Makefile").read_text().count("INSTALLED := .venv/.installed") == 1


def test_rules_in_pyproject_are_not_split(pytester: pytest.Pytester) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    pytester.makepyprojecttoml(settings)
    pytester.plugins = ["retrocypher.plugins.pytest_plugin"]
    options = read_options(pytester.parseconfig())
    assert options.gate == ("f1>=0.60", "no-regression f1 margin=0.02")
    assert options.baseline == "main"
    assert read_options(pytester.parseconfig("--gate=f1 by task,steps>=0.4")).gate == (
        "f1 by task,steps>=0.4",
    )
    assert read_options(pytester.parseconfig("-o", "gate=")).gate == ()
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\ngate = "f1 by task,steps>=0.4"\n')
    assert read_options(pytester.parseconfig()).gate == ("f1 by task,steps>=0.4",)
