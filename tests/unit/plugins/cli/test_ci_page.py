"""The workflow and the settings that docs/compare-and-gate.md shows are what it says."""

import re
import shlex

import pytest
import yaml
from support.suite import CHECKOUT

from retrocypher.plugins.analysis.baselines import find_scores
from retrocypher.plugins.analysis.gate_rules import parse_rule
from retrocypher.plugins.session.options import read_options

PAGE = (CHECKOUT / "docs" / "compare-and-gate.md").read_text(encoding="utf-8")


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
