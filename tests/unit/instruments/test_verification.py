"""The trial of the verification of written answers: options, table and misses."""

from collections import Counter

import pytest
from click.testing import CliRunner

from retrocypher.benchmarks.instruments import verification
from retrocypher.benchmarks.instruments.verification import ANSWER_KINDS, Miss, Tally, Trial, print_trial
from retrocypher.kg.errors import InputError
from retrocypher.plugins.scoring.verdict import AnswerVerdict


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
