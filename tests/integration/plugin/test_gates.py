"""The gate of a run: the exit status, and where the result is reported."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.calibrated import calibration
from support.roles_api import RolesApi, Said, always
from support.suite import Suite

from retrocypher.plugins.judge.criteria import load_criteria
from retrocypher.plugins.judge.stored_calibration import keep

PART = ("--sample=10", "--gate-partial")
WRONG = "--model=mini=mutant:drop_component,change_length"


def properties(file: Path) -> dict[str, str]:
    """Return the properties of the suite in a JUnit file."""
    found = ElementTree.parse(file).getroot().findall("./testsuite/properties/property")
    return {each.attrib["name"]: each.attrib["value"] for each in found}


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    return file


def test_a_gate_decides_and_is_told_everywhere(live: Suite, tmp_path: Path, job: Path) -> None:
    junit = tmp_path / "junit.xml"
    first = live("-n0", WRONG, *PART, "--gate=f1>=0", f"--junitxml={junit}", "--no-summary")
    assert first.status == 0, first.output
    assert first.summary["failed"] > 0
    assert "gate: HOLDS (1 rule)" in first.output
    assert "prompt×shot" not in first.output
    found = properties(junit)
    assert found["retrocypher.gate"] == "holds"
    assert found["retrocypher.models"] == "mini"
    assert float(found["retrocypher.f1_low"]) < float(found["retrocypher.f1"])
    assert "## RetroCypher: gate holds" in job.read_text()

    # The baseline that comes with the project is what its command gives, to the last bit.
    rules = ("--gate=no-regression f1 margin=0 by task", "--gate=f1>=0.9", "--baseline=exemplar")
    other = live("-n0", "--model=exemplar", "--sample=90", "--gate-partial", *rules, f"--junitxml={junit}")
    gate = other.summary["gate"]
    assert [rule["verdict"] for rule in gate["rules"]] == ["holds", "fails"], other.output
    assert gate["rules"][0]["changed"] == 0
    assert other.status == gate["exit_status"] == 1
    assert properties(junit)["retrocypher.gate.1"].startswith("holds: no-regression f1 margin=0 by task")

    # A failing test that is no case stays a failure, whatever the gate says; it is no case that was selected.
    fails = tmp_path / "test_fails.py"
    fails.write_text("def test_fails():\n    assert False\n")
    rules = ("--gate=no-regression f1", f"--baseline={first.run}")
    better = live("-n0", "--model=mini=oracle", *PART, *rules, str(fails))
    assert better.status == 1, better.output
    assert better.summary["gate"]["exit_status"] == 0
    assert better.summary["selected_cases"] == 10
    assert "selected cases were run" not in better.output
    assert better.summary["gate"]["rules"][0]["slices"][0]["pairs"]["difference"]["n"] == 10
    assert "changed most" in better.output
    assert job.read_text().count("## RetroCypher: gate") == 3


def test_a_run_that_stops_at_its_first_failure_is_refused(live: Suite) -> None:
    ran = live("-n0", "--model=mutant", "--prompt=P5", "--shot=ZS", "-x", "--gate=f1>=0", "--gate-cases=fail")
    assert ran.status == 1, ran.output
    cases = f"{len(ran.records)} of 1,200 selected cases were run"
    assert f"gate: REFUSED: the run is partial: {cases}; --gate-partial judges it anyway" in ran.output


def test_a_judge_gates_once_it_is_calibrated(
    live: Suite, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROCYPHER_JUDGE_API_KEY", "judge-key-1")
    monkeypatch.setenv("RETROCYPHER_JUDGE_BASE_URL", api.address)
    asked = ("-n0", "--model=oracle", "--sample=3", "--gate-partial", "--judge=gpt-4o", "--gate=judge>=0.8")
    known = replace(calibration(), model="gpt-4o", criteria=load_criteria().sha256)
    keep(known, None, tmp_path)
    held = live(*asked, root=tmp_path)
    assert held.status == 0, held.output
    assert "judge>=0.8: 0.900" in held.output
    # A judge that is away blocks the gate that asks for it.
    api.roles["judge"] = always(Said(status=400))
    away = live(*asked, "--cache=none", "--fresh", root=tmp_path)
    assert away.status == 16, away.output
    assert "the run is incomplete: 3 whose judge could not be asked, for judge>=0.8" in away.output
