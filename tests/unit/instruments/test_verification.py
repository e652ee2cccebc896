"""The trials as a command, and the trial of the verification of written answers."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.benchmarks.instruments import verification
from retrocypher.benchmarks.instruments.verification import ANSWER_KINDS, Miss, Tally, Trial, print_trial
from retrocypher.kg.errors import InputError
from retrocypher.plugins.scoring.verdict import AnswerVerdict

CHECKOUT = Path(__file__).parents[3]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=CHECKOUT, capture_output=True, text=True)


def test_the_trials_are_listed() -> None:
    done = python("-m", "retrocypher.benchmarks.instruments", "--help")
    assert done.returncode == 0, done.stderr
    assert all(f"\n  {name} " in done.stdout for name in ("labels", "validator", "verification"))


def test_an_error_for_the_user_is_one_line_and_status_2(tmp_path: Path) -> None:
    done = python("-m", "retrocypher.benchmarks.instruments", "labels", "--bank", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path}: holds no bank")


@pytest.mark.parametrize("command", [["labels", "evaluate"], ["bank", "validate"], ["verify", "--calibrate"]])
def test_the_installed_command_has_none_of_them(command: list[str]) -> None:
    done = python("-c", "from retrocypher.plugins.cli.main import main; main()", *command)
    assert done.returncode == 2
    assert "No such " in done.stderr


def test_pytest_collects_none_of_them() -> None:
    done = python("-m", "pytest", "benchmarks", "--collect-only", "-q", "--sample", "2", "--model", "oracle")
    assert "::test_" in done.stdout
    assert "instruments" not in done.stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--verified", "0.5", "--partial", "0.7"], "--partial"), (["--tolerance", "nan"], "nan")],
)
def test_thresholds_are_checked_before_a_server_starts(options: list[str], named: str) -> None:
    result = CliRunner().invoke(verification.verification_command, options)
    assert isinstance(result.exception, InputError)
    assert named in str(result.exception)


def test_the_table_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    counts = {"VERIFIED": 2_400, "PARTIALLY_VERIFIED": 2_379, "REFUTED": 1_504, "UNVERIFIABLE": 1_298}
    trial = Trial({kind: Tally(Counter(counts), by_support=2_400) for kind in ANSWER_KINDS})
    for tally in trial.tallies.values():
        tally.not_applicable["best_yield"] = 2_200
    trial.tallies["true"].verdicts = Counter(VERIFIED=2_400)
    print_trial(trial, misses=0)
    shown = capsys.readouterr().out
    lines = [line.rstrip() for line in shown.splitlines()]
    assert max(map(len, lines)) <= 80
    assert "…" not in shown
    for kind in ANSWER_KINDS:
        assert shown.count(f"\n{kind} ") == 1
    assert "100.00 %" in shown


def test_json_has_all_misses_and_the_table_some(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = AnswerVerdict("UNVERIFIABLE", None, ())
    misses = [Miss(f"q-{n}", "precursors", "true", "list", "Q?", "A.", nothing) for n in range(5)]
    trial = Trial(misses=misses)
    assert [each["question_id"] for each in trial.to_json()["misses"]] == [f"q-{n}" for n in range(5)]
    print_trial(trial, misses=1)
    assert capsys.readouterr().out.count("q-") == 1
