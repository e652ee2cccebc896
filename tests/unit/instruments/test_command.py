"""The trials are run from a checkout as ``python -m retrocypher.benchmarks.instruments``."""

import subprocess
import sys
from pathlib import Path

import pytest

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
