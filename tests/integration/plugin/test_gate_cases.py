"""With a gate, cases under the threshold are below and the gate decides; a part is judged by its baseline."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from support.suite import CHECKOUT

from retrocypher.kg.server.endpoint import Endpoint

COUNT = 10
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run some cases, of which about half are under the threshold, in a pytest of its own."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def start(*arguments: object, model: str = "m=mutant") -> pytest.RunResult:
        plugins = ("-p", "retrocypher.pytest_plugin", "-p", "no:allure_pytest", "-p", "no:deepeval")
        asked = (f"--graph={endpoint.uri}", f"--model={model}", "--prompt=P5", "--shot=ZS", "--color=yes")
        of_run = () if any("--run-dir" in str(each) for each in arguments) else ("--run-dir=run",)
        cases = str(CHECKOUT / "benchmarks" / "test_single_step.py")
        return pytester.runpytest_subprocess(
            *plugins, cases, "--rootdir=.", *asked, *of_run, *map(str, arguments)
        )

    return start


def last(result: pytest.RunResult) -> str:
    return next(line for line in reversed(result.outlines) if " in " in line and "=" in line)


GREEN, RED, YELLOW = "\x1b[32m", "\x1b[31m", "\x1b[33m"
SAMPLE = (f"--sample={COUNT}", "--gate-partial")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_gate_that_holds_ends_green_and_one_that_fails_red(
    run: Run, pytester: pytest.Pytester, workers: str
) -> None:
    held = run(workers, *SAMPLE, "--gate=f1>=0", "--junitxml=held.xml", "-v")
    assert held.ret == 0, held.stdout.str()
    summary = json.loads((pytester.path / "run" / "summary.json").read_text())
    below = summary["failed"]
    assert 0 < below <= COUNT
    assert f"{YELLOW}{below} below" in last(held)
    assert last(held).startswith(GREEN)
    assert held.stdout.str().count("BELOW") == below
    assert f"below: {below} cases under the threshold; the gate decides" in held.stdout.str()
    assert "FAILURES" not in held.stdout.str()
    (suite,) = ElementTree.parse(pytester.path / "held.xml").getroot().findall("testsuite")
    assert (suite.attrib["tests"], suite.attrib["failures"]) == (str(COUNT), "0")
    named = [each for each in suite.iter("property") if each.attrib["name"] == "below"]
    assert len(named) == below
    assert all("F1" in each.attrib["value"] for each in named)

    failed = run(workers, *SAMPLE, "--gate=f1>=1", "--run-dir=other")
    assert failed.ret == 1
    assert last(failed).startswith(RED)
    assert f"{below} below" in last(failed)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_gate_cases_fail_makes_them_failures(run: Run, workers: str) -> None:
    failed = run(workers, *SAMPLE, "--gate=f1>=0", "--gate-cases=fail", "--tb=no")
    # The gate decides about the exit status all the same.
    assert failed.ret == 0
    assert " failed" in last(failed)
    assert "below" not in last(failed)
    assert last(failed).startswith(RED)
    wrong = run(workers, *SAMPLE, "--gate=f1>=0", "--gate-cases=maybe")
    assert wrong.ret == 4
    wrong.stderr.fnmatch_lines(["*--gate-cases maybe: choose below or fail*"])
    # Without a gate, cases fail as ever.
    assert run(workers, f"--sample={COUNT}", "--tb=no", "--run-dir=plain").ret == 1


def test_resumed_cases_are_below_too(run: Run, pytester: pytest.Pytester) -> None:
    first = run("-n0", *SAMPLE, "--gate=f1>=0")
    assert first.ret == 0
    records = pytester.path / "run" / "records.jsonl"
    lines = records.read_text().splitlines(keepends=True)
    records.write_text("".join(lines[:-1]))
    (pytester.path / "run" / "summary.json").unlink()
    again = run("-n0", *SAMPLE, "--gate=f1>=0")
    assert again.ret == 0, again.stdout.str()
    assert "continued: 9 cases were taken" in again.stdout.str()
    # Without the rule around it, which is as long as the duration leaves room for.
    assert last(again).split(" in ")[0].replace("=", "") == last(first).split(" in ")[0].replace("=", "")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_part_is_judged_against_a_baseline_with_its_cases(
    run: Run, pytester: pytest.Pytester, workers: str
) -> None:
    rules = ("--gate=no-regression f1 margin=0.5", "--baseline=base")
    first = run("-n0", f"--sample={COUNT}", "--tb=no", "--run-dir=base")
    assert first.ret == 1
    records = [json.loads(line) for line in (pytester.path / "base" / "records.jsonl").open()]
    same = run(workers, f"--sample={COUNT}", *rules)
    assert same.ret == 0, same.stdout.str()
    assert f"judged on a partial run: a sample of {COUNT} questions" in same.stdout.str()
    named = records[0]["question_id"]
    chosen = run(workers, "-k", named, "--gate-allow-inconclusive", *rules, "--run-dir=chosen")
    assert chosen.ret == 0, chosen.stdout.str()
    assert "of 1,200 planned cases" in chosen.stdout.str()
    # A selection of which the baseline lacks cases is refused before one is run.
    lacking = run(workers, "-k", "precursors", *rules, "--run-dir=lacking")
    assert lacking.ret == 4, lacking.stdout.str()
    assert "lacks some of them, so a gate does not judge them" in lacking.stderr.str() + lacking.stdout.str()
    assert not (Path(pytester.path) / "lacking" / "records.jsonl").exists()
    more = run(workers, f"--sample={2 * COUNT}", *rules, "--run-dir=more")
    assert more.ret == 4, more.stdout.str()
    other = run(workers, f"--sample={COUNT}", "--phrasing=2", *rules, "--run-dir=wording")
    assert other.ret == 4
    assert "They differ in --phrasing: 1 and 2" in other.stderr.str()
