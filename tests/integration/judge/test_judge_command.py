"""``retrocypher judge``: a run judged from records, resumed and interrupted, and a judge calibrated."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.calibrated import BANK
from support.interrupts import heed_interrupts
from support.manifests import manifest_of
from support.records import raw_records, record_of, write_run
from support.reported import answered, some_questions
from support.roles_api import JUDGED, Role, RolesApi, Said, always
from support.waiting import becomes_true

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli, main
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.stored_calibration import load_calibrations
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import JUDGE_KAPPA
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.prompts.models.cache_files import stats
from retrocypher.prompts.models.response_cache import ResponseCacheError

QUESTIONS = load_questions().questions[:6]
OK: dict[str, Any] = {"status": "ok", "columns": ["a"], "rows": [[1]], "row_count": 1, "truncated": False}
OK |= {"time_s": 0.1, "code": None, "message": None}
SCORES = {"f1": 0.5, "precision": 0.5, "recall": 0.5}
REFERENCES = frozenset(each.reference_cypher for each in load_questions().questions)
RIGHT = REFERENCES | {each.cypher for each in load_bank("development", BANK) if each.kind == "neutral"}
QUERY = re.compile(r"<<< query (\w+)\n(.*?)\n>>> \1", re.DOTALL)
NOT_RUN = {"stage": "model", "kind": "timeout", "message": "late"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Five cases that were run, and one that was not."""
    records = [
        record_of(f"case-{number}", of=question, cypher="RETURN 1", execution=OK, scores=SCORES)
        for number, question in enumerate(QUESTIONS[:5])
    ]
    records.append(record_of("case-5", of=QUESTIONS[5], infrastructure_error=NOT_RUN))
    return write_run(tmp_path / "run", records, QUESTIONS, manifest_of(), {"cases": 6, "kept": "as it is"})


@pytest.fixture(autouse=True)
def refused(api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A judge behind the scripted API and a folder of the test's own; note that the network is refused.

    In earnest that would hold for all tests that follow.
    """
    calls: list[None] = []
    monkeypatch.setattr("retrocypher.prompts.models.pool.refuse_network", lambda: calls.append(None))
    monkeypatch.setenv("OPENAI_API_KEY", "usual-key-1")
    monkeypatch.setenv("RETROCYPHER_JUDGE_BASE_URL", api.address)
    monkeypatch.chdir(tmp_path)
    return calls


def asked(run: Path, *arguments: str) -> Result:
    cache = () if "--cache" in arguments else ("--cache", "answers.sqlite")
    return CliRunner().invoke(cli, ["judge", str(run), *arguments, *cache], catch_exceptions=False)


def output_of(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def kept_in(cache: Path) -> int:
    try:
        return stats(cache).answers
    except ResponseCacheError:
        return 0  # It is being made.


def test_a_run_is_judged_and_keeps_all_else(run: Path, api: RolesApi) -> None:
    before = raw_records(run)
    done = asked(run, "--judge", "gpt-4o", "--json", "--concurrency", "3")
    assert done.exit_code == 0
    after = raw_records(run)
    assert [{**record, "judge": None} for record in after] == before
    assert [record["judge"] is not None for record in after] == [True] * 5 + [False]
    assert after[0]["judge"]["without_reference"]["score"] == 0.9
    summary, manifest = RunLog(run).summary_json, RunLog(run).manifest_json
    assert (summary["kept"], summary["scored"], summary["means"]["f1"]) == ("as it is", 5, 0.5)
    assert summary["judge"]["with_reference"]["mean"] == pytest.approx(0.9)
    assert manifest["judge"]["model"]["label"] == "gpt-4o"
    assert manifest["judged_from"]["asked"] == 10
    found = output_of(done)
    assert (found["cases"], found["judged"], found["asked"], found["kept"]) == (6, 5, 10, 0)
    means = {each["metric"]: each["mean"]["value"] for each in found["means"] if not each["slice"]}
    assert means == pytest.approx({"f1": 0.5, "with_reference": 0.9, "without_reference": 0.9})
    assert api.most_at_once <= 3
    shown = CliRunner().invoke(cli, ["show", str(run), "case-0"])
    assert "It is right." in shown.output


def test_the_same_judge_goes_on(run: Path, api: RolesApi) -> None:
    first = QUESTIONS[0].text

    def sometimes(text: str) -> Said | str:
        return Said(status=400, error={"message": "not now"}) if first in text else JUDGED

    api.roles["judge"] = sometimes
    done = asked(run, "--judge", "gpt-4o")
    assert done.exit_code == 16
    assert "the judge could not be asked about 1 case" in done.output
    record = raw_records(run)[0]
    assert record["infrastructure_error"] == {
        "stage": "judge",
        "kind": "bad_request",
        "message": record["judge"]["with_reference"]["error"]["message"],
    }
    assert SCORES.items() <= record["scores"].items()
    assert RunLog(run).summary_json["judge"]["faults"] == 1
    # Without --judge it is the run's own; what it has said stays.
    api.roles["judge"] = always(JUDGED)
    again = output_of(asked(run, "--json"))
    assert (again["kept"], again["asked"], again["summary"]["faults"]) == (8, 2, 0)
    assert raw_records(run)[0]["infrastructure_error"] is None


def test_another_judge_takes_the_place_of_one_only_where_it_is_told_to(
    run: Path, api: RolesApi, refused: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One that has judged nothing has nothing to lose.
    api.roles["judge"] = always(Said(status=400))
    assert asked(run, "--judge", "gpt-5").exit_code == 16
    api.roles["judge"] = always(JUDGED)
    api.asked.clear()
    assert asked(run, "--judge", "gpt-4o").exit_code == 0
    before = (run / "records.jsonl").read_bytes()
    with pytest.raises(InputError, match=r"model gpt-4o, now gpt-4o-mini. .* or give --replace"):
        asked(run, "--judge", "gpt-4o-mini")
    with pytest.raises(InputError, match="shown 0 rows, now 2"):
        asked(run, "--judge", "gpt-4o", "--judge-rows", "2")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("RETROCYPHER_JUDGE_BASE_URL", "http://elsewhere/v1")
        with pytest.raises(InputError, match=r"API 127\.0\.0\.1:\d+/v1, now elsewhere/v1"):
            asked(run, "--offline")
    assert api.count("judge") == 10

    other = output_of(asked(run, "--judge", "gpt-4o", "--judge-rows", "2", "--replace", "--json"))
    assert (other["kept"], other["asked"], other["written"]) == (0, 10, True)
    # Of the one before all answers are there.
    api.stop()
    back = asked(run, "--judge", "gpt-4o", "--judge-rows", "0", "--replace", "--offline", "--json")
    assert (output_of(back)["from_cache"], output_of(back)["asked"], back.exit_code) == (10, 0, 0)
    assert refused
    assert {**judge_of(before), "cached": True, "cost": None} == judge_of(
        (run / "records.jsonl").read_bytes()
    )


def judge_of(records: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(records.splitlines()[0])["judge"]["with_reference"]
    return found


def test_what_was_paid_for_gives_way_to_no_fault(run: Path, api: RolesApi, refused: list[None]) -> None:
    assert asked(run, "--judge", "gpt-4o").exit_code == 0
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    # Nothing of another judge is in the cache, and one that is asked breaks down on the way.
    gone = asked(run, "--judge", "gpt-4o-mini", "--replace", "--offline")
    assert gone.exit_code == 16
    assert "could not be asked about 5 cases; nothing was replaced" in gone.output
    last = QUESTIONS[4].text
    failing = Said(status=400, error={"message": "not now"})
    api.roles["judge"] = lambda text: failing if last in text else Said(JUDGED)
    half = asked(run, "--judge", "gpt-4o-mini", "--replace", "--json")
    assert (half.exit_code, output_of(half)["written"], output_of(half)["agreement"]) == (16, False, [])
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    # The same command again asks for what was not had, and then replaces.
    api.roles["judge"] = always(JUDGED)
    whole = output_of(asked(run, "--judge", "gpt-4o-mini", "--replace", "--json"))
    assert (whole["from_cache"], whole["asked"], whole["written"]) == (8, 2, True)
    assert raw_records(run)[0]["judge"]["model"] == "gpt-4o-mini"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run", "has no judge; name one with --judge MODEL"),
        ("run --judge oracle", "reads no messages"),
        ("run --judge gpt-4o --offline --cache none", "then there are no answers"),
        ("run --judge gpt-4o --cache /dev/null/x", "the response cache /dev/null/x"),
        ("run --repeats 2", "--repeats goes with --calibrate"),
        ("", "name the folder of a run"),
        ("--calibrate", "--calibrate needs a judge"),
        ("--calibrate run --judge m", "--calibrate judges no run"),
        ("--calibrate --judge m --bank nowhere", "holds no bank"),
        ("--calibrate --judge m --name a/b", "not a name"),
    ],
)
def test_what_cannot_be_judged_is_refused_and_changes_nothing(
    run: Path, api: RolesApi, arguments: str, message: str
) -> None:
    before = (run / "records.jsonl").read_bytes()
    with pytest.raises(InputError, match=message):
        CliRunner().invoke(cli, ["judge", *arguments.split()], catch_exceptions=False)
    assert (run / "records.jsonl").read_bytes() == before
    assert not api.asked


def test_a_run_that_is_held_is_refused(run: Path) -> None:
    with RunDirectory(run, resume=True), pytest.raises(Exception, match="is writing this run"):
        asked(run, "--judge", "gpt-4o")


def test_an_interruption_keeps_answers_and_changes_no_record(
    run: Path, api: RolesApi, tmp_path: Path
) -> None:
    last = QUESTIONS[4].text
    api.roles["judge"] = lambda text: Said(JUDGED, pause_s=60.0 if last in text else 0.0)
    cache = tmp_path / "kept.sqlite"
    code = "from retrocypher.plugins.cli.main import main; main()"
    arguments = ["judge", str(run), "--judge", "gpt-4o", "--cache", str(cache)]
    before = (run / "records.jsonl").read_bytes()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    assert becomes_true(lambda: kept_in(cache) == 8)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=45)
    assert process.returncode == 130
    assert f"responses are in {cache}" in error
    assert (run / "records.jsonl").read_bytes() == before
    assert not list(run.glob("*.partial"))
    api.roles["judge"] = always(JUDGED)
    done = output_of(asked(run, "--judge", "gpt-4o", "--cache", str(cache), "--json"))
    assert (done["from_cache"], done["asked"]) == (8, 2)


def said_of(text: str) -> Said | str:
    """What a judge says that knows every right query, and is mistaken where a query returns a path."""
    query = QUERY.search(text)
    assert query is not None
    return JUDGED if query[2] in RIGHT else '{"reason": "The arrow is reversed.", "score": 2}'


def calibrated(api: RolesApi, *arguments: str, judge: Role = said_of) -> Result:
    api.roles["judge"] = judge
    options = ("--judge", "model-j", "--bank", str(BANK), "--per-error", "1", "--cache", "answers.sqlite")
    return CliRunner().invoke(cli, ["judge", "--calibrate", *options, *arguments])


def test_a_calibration_is_measured_kept_and_had_again_from_the_cache(
    api: RolesApi, tmp_path: Path, refused: list[None]
) -> None:
    found = calibrated(api, "--json")
    assert found.exit_code == 0, found.output
    data: dict[str, Any] = json.loads(found.stdout)
    queries = sum(data["sample"].values())
    # Two variants, and each query twice.
    assert data["calls"] == {"all": 4 * queries, "cached": 0}
    assert api.count("judge") == 4 * queries
    # The cost is printed before it is paid.
    said = re.search(
        rf"{queries} queries, {4 * queries} judgements: about ([\d,]+) tokens sent", found.stderr
    )
    assert said is not None
    sent = sum(len(text) for _, text in api.asked) / 3.5
    assert int(said[1].replace(",", "")) == pytest.approx(sent, rel=0.1)
    assert data["false_accept_rate"]["value"] == data["false_reject_rate"]["value"] == 0
    assert data["kappa"]["value"] == 1
    assert data["kappa"]["low"] > JUDGE_KAPPA
    assert data["test_retest"]["largest"] == 0
    assert set(data["by_error"]) >= {"syntax_error", "traversal_direction", "no_query"}
    assert data["model"] == "model-j"
    (kept,) = load_calibrations(tmp_path)
    assert data["file"] == f"reports/calibrations/{kept.name}.json"
    assert kept.calibration.variants.keys() == {"with_reference", "without_reference"}
    page = (tmp_path / data["file"]).read_text()
    assert str(tmp_path) not in page
    assert len(page) < 60_000
    # Neither DeepEval nor anything else leaves files where one works.
    assert {file.name.partition(".sqlite")[0] for file in tmp_path.iterdir()} == {"reports", "answers"}
    assert not refused
    again = calibrated(api, "--offline")
    assert again.exit_code == 0, again.output
    assert refused
    assert api.count("judge") == 4 * queries
    assert "false accepts   0.000 [0.000, " in again.stdout
    assert max(map(len, again.stdout.splitlines())) <= 100


@pytest.mark.parametrize("calibrate", [False, True])
def test_a_refused_key_ends_the_command_with_status_4_and_one_message(
    run: Path,
    api: RolesApi,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    calibrate: bool,
) -> None:
    api.roles["judge"] = always(Said(status=401))
    before = (run / "records.jsonl").read_bytes()
    what = ["--calibrate", "--bank", str(BANK)] if calibrate else [str(run)]
    arguments = ["retrocypher", "judge", *what, "--judge", "gpt-4o", "--cache", "none"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 4
    said = capfd.readouterr().err
    where = api.address.removeprefix("http://")
    assert said.count("refused the key") == 1
    assert f"error: gpt-4o: The API at {where} refused the key (401); check OPENAI_API_KEY" in said
    assert (run / "records.jsonl").read_bytes() == before
    assert load_calibrations(tmp_path) == []
    # Those in flight when the first came back.
    assert api.count("judge") <= 16


def test_a_judge_that_cannot_be_asked_leaves_no_calibration(api: RolesApi, tmp_path: Path) -> None:
    failing = Said(status=400, error={"message": "not now"})
    found = calibrated(api, "--repeats", "1", judge=always(failing))
    assert found.exit_code == 16
    assert "incomplete, and not stored" in found.stdout
    assert "refused the request (400): " in found.stdout
    assert load_calibrations(tmp_path) == []


def test_a_judged_run_is_told_with_its_agreement(api: RolesApi, tmp_path: Path) -> None:
    api.roles["judge"] = said_of
    questions = some_questions(1)
    records = [answered(question, bool(number % 2)) for number, question in enumerate(questions)]
    run = write_run(tmp_path / "run", records, questions, manifest_of(), {"cases": len(records)})
    found = asked(run, "--judge", "model-j", "--json")
    assert found.exit_code == 0, found.output
    shown, blind = json.loads(found.stdout)["agreement"]
    assert (shown["variant"], blind["variant"]) == ("with_reference", "without_reference")
    # Right answers are the references, which this judge knows.
    assert shown["overall"]["kappa"]["value"] == blind["overall"]["kappa"]["value"] == 1
    assert shown["by_task"].keys() == {question.task for question in questions}
    again = asked(run, "--judge", "model-j")
    assert "agreement with execution, without reference" in again.stdout
    assert api.count("judge") == 2 * len(questions)
