"""A judge behind an API, calibrated by the command."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.calibrated import BANK
from support.judged import judge_answer
from support.manifests import manifest_of
from support.records import write_run
from support.reported import answered, some_questions
from support.roles_api import RolesApi, Said

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.gate_decision import JUDGE_KAPPA
from retrocypher.plugins.cli.judge import judge_command
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.stored_calibration import load_calibrations

REFERENCES = frozenset(each.reference_cypher for each in load_questions().questions)
RIGHT = REFERENCES | {each.cypher for each in load_bank("development", BANK) if each.kind == "neutral"}
QUERY = re.compile(r"<<< query (\w+)\n(.*?)\n>>> \1", re.DOTALL)


def said_of(text: str) -> Said | str:
    """What a judge says that knows every right query, and is mistaken where a query returns a path."""
    query = QUERY.search(text)
    assert query is not None
    right = query[2] in RIGHT
    return judge_answer(9 if right else 2, "It is right." if right else "The arrow is reversed.")


@pytest.fixture(autouse=True)
def _judged_here(api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own, and a judge behind the scripted API."""
    api.players["judge"] = said_of
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("RETROCYPHER_JUDGE_BASE_URL", api.address)
    monkeypatch.chdir(tmp_path)


def calibrated(*arguments: str) -> Result:
    options = ("--judge", "model-j", "--bank", str(BANK), "--per-error", "1", "--cache", "answers.sqlite")
    return CliRunner().invoke(judge_command, ["--calibrate", *options, *arguments])


def test_a_calibration_is_measured_kept_and_had_again_from_the_cache(
    api: RolesApi, tmp_path: Path, refused: list[None]
) -> None:
    found = calibrated("--json")
    assert found.exit_code == 0, found.output
    told: dict[str, Any] = json.loads(found.stdout)
    queries = sum(told["sample"].values())
    # Two variants, and each query twice.
    assert told["calls"] == {"all": 4 * queries, "cached": 0}
    assert api.count("judge") == 4 * queries
    # What it will cost is told before it is paid for.
    said = re.search(
        rf"{queries} queries, {4 * queries} judgements: about ([\d,]+) tokens sent", found.stderr
    )
    assert said is not None
    sent = sum(len(text) for _, text in api.asked) / 3.5
    assert int(said[1].replace(",", "")) == pytest.approx(sent, rel=0.1)
    assert told["false_accept_rate"]["value"] == told["false_reject_rate"]["value"] == 0
    assert told["kappa"]["value"] == 1
    assert told["kappa"]["low"] > JUDGE_KAPPA
    assert told["test_retest"]["largest"] == 0
    assert set(told["by_error"]) >= {"syntax_error", "traversal_direction", "no_query"}
    assert told["model"] == "model-j"
    (kept,) = load_calibrations(tmp_path)
    assert told["file"] == f"reports/calibrations/{kept.name}.json"
    assert kept.calibration.variants.keys() == {"with_reference", "without_reference"}
    page = (tmp_path / told["file"]).read_text()
    assert str(tmp_path) not in page
    assert len(page) < 60_000
    # Neither DeepEval nor anything else leaves files where one works.
    assert {file.name.partition(".sqlite")[0] for file in tmp_path.iterdir()} == {"reports", "answers"}
    assert not refused
    again = calibrated("--offline")
    assert again.exit_code == 0, again.output
    assert refused
    assert api.count("judge") == 4 * queries
    assert "false accepts   0.000 [0.000, " in again.stdout
    assert max(map(len, again.stdout.splitlines())) <= 100


def test_a_judge_that_cannot_be_asked_leaves_no_calibration(api: RolesApi, tmp_path: Path) -> None:
    api.players["judge"] = lambda text: Said(status=401)
    found = calibrated("--repeats", "1")
    assert found.exit_code == 16
    assert "incomplete, and not stored" in found.stdout
    assert load_calibrations(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--calibrate"], "--calibrate needs a judge"),
        (["--calibrate", "run", "--judge", "m"], "--calibrate judges no run"),
        (["run", "--repeats", "2"], "--repeats goes with --calibrate"),
        ([], "name the folder of a run"),
        (["--calibrate", "--judge", "m", "--bank", "nowhere"], "holds no bank"),
        (["--calibrate", "--judge", "m", "--name", "a/b"], "not a name"),
    ],
)
def test_what_does_not_go_together_is_refused(api: RolesApi, arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(judge_command, arguments)
    assert isinstance(found.exception, InputError)
    assert said in str(found.exception)
    assert not api.asked


def test_a_judged_run_is_told_with_its_agreement(api: RolesApi, tmp_path: Path) -> None:
    questions = some_questions(1)
    records = [answered(question, bool(number % 2)) for number, question in enumerate(questions)]
    run = write_run(tmp_path / "run", records, questions, manifest_of(), {"cases": len(records)})
    arguments = [str(run), "--judge", "model-j", "--cache", "answers.sqlite"]
    found = CliRunner().invoke(judge_command, [*arguments, "--json"])
    assert found.exit_code == 0, found.output
    shown, blind = json.loads(found.stdout)["agreement"]
    assert (shown["variant"], blind["variant"]) == ("with_reference", "without_reference")
    # Right answers are the references, which this judge knows.
    assert shown["overall"]["kappa"]["value"] == blind["overall"]["kappa"]["value"] == 1
    assert shown["by_task"].keys() == {question.task for question in questions}
    again = CliRunner().invoke(judge_command, arguments)
    assert "agreement with execution, without reference" in again.stdout
    assert api.count("judge") == 2 * len(questions)
